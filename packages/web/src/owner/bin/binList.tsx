/** The list of the bin, with checkboxes to choose files. */
import type { BinEntry, BinItem } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, IconButton, Name } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { Toolbar } from '../../common/controls/toolbar.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { iconOf } from '../../common/names/fileKind.tsx'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { binTexts, inboxTexts, workTexts } from '../ground/texts.ts'
import { HalfCheckbox } from '../inbox/halfCheckbox.tsx'
import { afterClick, allOrNone, EMPTY_SELECTION, extentOf, pruned, type Selection } from '../inbox/selection.ts'
import '../inbox/inbox.css'
import './bin.css'

export interface EntryActions {
  readonly onRestore: (entries: readonly BinEntry[]) => void
  readonly onEnd: (entries: readonly BinEntry[]) => void
}

interface BinListProps extends EntryActions {
  readonly found: readonly BinEntry[]
  /** Those that are drawn. */
  readonly visible: readonly BinEntry[]
  /** Undefined until its name is read. */
  readonly itemOf: (entry: BinEntry) => BinItem | undefined
  /** A piece of work has this file still to do. */
  readonly isBusy: (id: string) => boolean
}

export function BinList({ found, visible, itemOf, isBusy, ...actions }: BinListProps) {
  const text = useText(binTexts)
  const inboxText = useText(inboxTexts)
  const format = useText(formats)
  const [last, setSelection] = useState<Selection>(EMPTY_SELECTION)
  const ids = found.map(({ id }) => id).filter((id) => !isBusy(id))
  const selection = pruned(last, ids)
  const chosen = found.filter(({ id }) => selection.chosen.has(id))
  const bytes = chosen.reduce((sum, { sealedBytes }) => sum + sealedBytes, 0)
  return (
    <div class="stack tight">
      <div class={`choosing ${chosen.length > 0 ? 'active' : ''}`}>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside HalfCheckbox */}
        <label class="check all">
          <HalfCheckbox
            extent={extentOf(selection, ids)}
            isDisabled={ids.length === 0}
            onChange={(isOn) => setSelection(allOrNone(ids, isOn))}
          />
          <span>{inboxText.chooseAll}</span>
        </label>
        <p role="status" class="small grow">
          {chosen.length > 0 && inboxText.chosen(chosen.length, format.bytes(bytes))}
        </p>
        {chosen.length > 0 && (
          <div class="row">
            <Button kind="primary" icon="retry" onClick={() => actions.onRestore(chosen)}>
              {text.restore.button}
            </Button>
            <Button kind="danger" icon="trash" onClick={() => actions.onEnd(chosen)}>
              {text.end.button}
            </Button>
          </div>
        )}
      </div>
      <ul class="card drops" aria-label={text.list}>
        {visible.map((entry) => (
          <BinRow
            key={entry.id}
            {...actions}
            {...{ entry, item: itemOf(entry), isBusy: isBusy(entry.id), isChosen: selection.chosen.has(entry.id) }}
            onChoose={(isOn, isRange) => setSelection(afterClick(selection, ids, { id: entry.id, isOn, isRange }))}
          />
        ))}
      </ul>
    </div>
  )
}

interface BinRowProps extends EntryActions {
  readonly entry: BinEntry
  readonly item: BinItem | undefined
  readonly isChosen: boolean
  readonly isBusy: boolean
  readonly onChoose: (isOn: boolean, isRange: boolean) => void
}

function BinRow({ entry, item, isChosen, isBusy, onChoose, onRestore, onEnd }: BinRowProps) {
  const text = useText(binTexts)
  const inboxText = useText(inboxTexts)
  const workText = useText(workTexts)
  const format = useText(formats)
  const { sealedBytes, deletedAt, emptiesAt, drop } = entry
  const named = visibleName(item?.file?.name)
  const [title, otherwise] =
    item === undefined
      ? [text.reading, inboxText.unreadSpoken]
      : item.fault === undefined
        ? [text.unnamed, inboxText.unnamed]
        : [text.unreadable, inboxText.unopened]
  const spoken = spokenName(named, otherwise)
  const when = format.instant(deletedAt)
  return (
    <li class={`drop in-bin ${isChosen ? 'chosen' : ''}`}>
      <label class="pick">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isBusy}
          aria-label={inboxText.choose(spoken)}
          onClick={(event) => onChoose(event.currentTarget.checked, event.shiftKey)}
        />
      </label>
      <div class="what">
        <h2 class="open">
          <Icon name={item?.fault === undefined ? iconOf(item?.file ?? {}) : 'alert'} />
          <span class="name">{named === undefined ? title : <Name>{named}</Name>}</span>
        </h2>
        <ul class="dotted small soft">
          <li>{format.bytes(item?.file?.size ?? sealedBytes)}</li>
          <li>{drop === undefined ? text.deleted(when) : text.discarded(when)}</li>
          <li>{text.until(format.instant(emptiesAt))}</li>
        </ul>
      </div>
      {isBusy ? (
        <span class="badge warn">{inboxText.busy}</span>
      ) : (
        <Toolbar class="actions" label={workText.actionsOf(spoken)}>
          <IconButton icon="retry" label={text.restore.of(spoken)} onClick={() => onRestore([entry])} />
          <IconButton icon="trash" label={text.end.of(spoken)} onClick={() => onEnd([entry])} />
        </Toolbar>
      )}
    </li>
  )
}
