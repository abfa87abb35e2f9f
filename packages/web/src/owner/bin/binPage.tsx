import type { BinEntry, BinItem } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { Icon } from '../../common/icons.tsx'
import { useText } from '../../common/reader.ts'
import { ConfirmDialog } from '../confirmDialog.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import './bin.css'
import { binTexts } from './texts.ts'
import { useBin } from './useBin.ts'
import { useUndo } from './useUndo.ts'

/** Rows that are drawn at first, and more each time. */
const SHOWN = 50

const bytesOf = (entries: readonly BinEntry[]) => entries.reduce((sum, { sealedBytes }) => sum + sealedBytes, 0)

export function BinPage() {
  const text = useText(binTexts)
  const format = useText(formats)
  const [shown, setShown] = useState(SHOWN)
  const [ending, setEnding] = useState<readonly BinEntry[]>()
  const { value, error, visible, nameOf, reload } = useBin(shown)
  const { restore } = useUndo()
  return (
    <div class="stack">
      <h1 tabIndex={-1}>{text.title}</h1>
      <p class="soft">{text.intro}</p>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined && (
        <p class="row soft" role="status">
          <span class="spinner" aria-hidden="true" />
          {text.loading}
        </p>
      )}
      {value?.length === 0 && (
        <div class="card stack empty">
          <Icon name="trash" />
          <h2>{text.none.title}</h2>
          <p class="soft">{text.none.text}</p>
        </div>
      )}
      {value !== undefined && value.length > 0 && (
        <>
          <div class="row apart">
            <p>{text.total(value.length, format.bytes(bytesOf(value)))}</p>
            <Button kind="danger" icon="trash" onClick={() => setEnding(value)}>
              {text.empty.button}
            </Button>
          </div>
          <ul class="stack" aria-label={text.list}>
            {visible?.map((entry) => (
              <BinRow
                key={entry.id}
                entry={entry}
                item={nameOf(entry)}
                onRestore={() => void restore([entry.id]).then(reload)}
                onEnd={() => setEnding([entry])}
              />
            ))}
          </ul>
          {shown < value.length && <Button onClick={() => setShown(shown + SHOWN)}>{text.more}</Button>}
        </>
      )}
      {ending !== undefined && <EndEntries entries={ending} onClose={() => setEnding(undefined)} onEnded={reload} />}
    </div>
  )
}

interface BinRowProps {
  readonly entry: BinEntry
  /** Undefined until its name is read. */
  readonly item: BinItem | undefined
  readonly onRestore: () => void
  readonly onEnd: () => void
}

function BinRow({ entry, item, onRestore, onEnd }: BinRowProps) {
  const text = useText(binTexts)
  const format = useText(formats)
  const { sealedBytes, deletedAt, emptiesAt, drop } = entry
  const named = item?.file?.name
  const title = named ?? (item === undefined ? text.reading : item.fault === undefined ? text.unnamed : text.unreadable)
  const when = format.instant(deletedAt)
  return (
    <li class="card row apart bin-row">
      <div class="stack tight">
        <h2 class="bin-name">{named === undefined ? title : <Name>{named}</Name>}</h2>
        <p class="small soft">
          {format.bytes(item?.file?.size ?? sealedBytes)} ·{' '}
          {drop === undefined ? text.deleted(when) : text.discarded(when)} · {text.until(format.instant(emptiesAt))}
        </p>
      </div>
      <div class="row">
        <Button icon="retry" onClick={onRestore}>
          <span aria-hidden="true">{text.restore.button}</span>
          <span class="visually-hidden">{text.restore.of(title)}</span>
        </Button>
        <Button kind="quiet" onClick={onEnd}>
          <span aria-hidden="true">{text.end.button}</span>
          <span class="visually-hidden">{text.end.of(title)}</span>
        </Button>
      </div>
    </li>
  )
}

interface EndEntriesProps {
  readonly entries: readonly BinEntry[]
  readonly onClose: () => void
  readonly onEnded: () => void
}

/** One by one: what has come into the bin since the question was not meant. */
function EndEntries({ entries, onClose, onEnded }: EndEntriesProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(binTexts)
  const format = useText(formats)
  const isOne = entries.length === 1
  return (
    <ConfirmDialog
      title={isOne ? text.end.title : text.empty.title(entries.length)}
      submit={isOne ? text.end.confirm : text.empty.confirm}
      icon="trash"
      work={async () => {
        for (const { id } of entries) await owner.endBinEntry(id)
      }}
      onDone={() => {
        showMessage({ tone: 'good', text: text.end.done(entries.length) })
        onEnded()
        onClose()
      }}
      onClose={onClose}
    >
      <p>{text.end.text(format.bytes(bytesOf(entries)))}</p>
    </ConfirmDialog>
  )
}
