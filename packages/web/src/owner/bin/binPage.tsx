import type { BinEntry } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { StepEnd } from '../../common/drawing/stepEnd.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FindBar } from '../find/findBar.tsx'
import { useFinding } from '../find/findState.ts'
import { binTexts } from '../ground/texts.ts'
import { useWork } from '../work/work.ts'
import { BinList, type EntryActions } from './binList.tsx'
import { useBin } from './useBin.ts'

/** Rows are drawn in steps while the owner scrolls. */
const STEP = 60
const ORDERS = ['newest', 'oldest', 'name', 'sender', 'largest', 'smallest'] as const

const bytesOf = (entries: readonly BinEntry[]) => entries.reduce((sum, { sealedBytes }) => sum + sealedBytes, 0)

export function BinPage() {
  const text = useText(binTexts)
  const format = useText(formats)
  const finding = useFinding()
  const [count, setCount] = useState(STEP)
  const [ending, setEnding] = useState<readonly BinEntry[]>()
  const { value, error, found, visible, reading, itemOf, reload } = useBin(finding.state, count)
  const work = useWork()
  const itemsOf = (entries: readonly BinEntry[]) =>
    entries.map((entry) => ({ id: entry.id, name: itemOf(entry)?.file?.name }))
  const actions: EntryActions = {
    onRestore: (entries) =>
      work.begin({ kind: 'restore', items: itemsOf(entries).map((item) => ({ do: 'restore', ...item })) }),
    onEnd: setEnding,
  }
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
      {value?.length === 0 && <EmptyBin />}
      {value !== undefined && value.length > 0 && (
        <>
          <div class="row apart">
            <p>{text.total(value.length, format.bytes(bytesOf(value)))}</p>
            <div class="row">
              <Button icon="retry" onClick={() => actions.onRestore(value)}>
                {text.restore.all}
              </Button>
              <Button kind="danger" icon="trash" onClick={() => setEnding(value)}>
                {text.empty.button}
              </Button>
            </div>
          </div>
          <FindBar
            {...finding}
            {...{ reading }}
            what="files"
            filters="files"
            orders={ORDERS}
            shown={found.length}
            of={value.length}
          />
          {found.length > 0 && <BinList {...actions} {...{ found, visible, itemOf }} isBusy={work.isBusy} />}
          {count < found.length && <StepEnd key={count} onReached={() => setCount(count + STEP)} />}
        </>
      )}
      {ending !== undefined && (
        <EndEntries
          entries={ending}
          onConfirmed={() =>
            work.begin({ kind: 'end', items: itemsOf(ending).map((item) => ({ do: 'end', ...item })) })
          }
          onClose={() => setEnding(undefined)}
        />
      )}
    </div>
  )
}

function EmptyBin() {
  const { none } = useText(binTexts)
  return (
    <div class="card stack empty">
      <Icon name="trash" />
      <h2>{none.title}</h2>
      <p class="soft">{none.text}</p>
    </div>
  )
}

interface EndEntriesProps {
  readonly entries: readonly BinEntry[]
  readonly onConfirmed: () => void
  readonly onClose: () => void
}

/** Only these end: what has come into the bin since the question was not meant. */
function EndEntries({ entries, onConfirmed, onClose }: EndEntriesProps) {
  const text = useText(binTexts)
  const format = useText(formats)
  const isOne = entries.length === 1
  return (
    <ConfirmDialog
      title={isOne ? text.end.title : text.empty.title(entries.length)}
      submit={isOne ? text.end.confirm : text.empty.confirm(entries.length)}
      icon="trash"
      onDone={() => {
        onClose()
        onConfirmed()
      }}
      onClose={onClose}
    >
      <p>{text.end.text(format.bytes(bytesOf(entries)))}</p>
    </ConfirmDialog>
  )
}
