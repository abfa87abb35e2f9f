/** The list of the inbox, with checkboxes to choose files. */
import { useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { StepEnd } from '../../common/drawing/stepEnd.tsx'
import { useNow } from '../../common/drawing/useNow.ts'
import { canChooseFolder } from '../../common/files/saveFolder.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import { KeysHelp } from '../keys/keysHelp.tsx'
import { useKeys } from '../keys/listKeys.ts'
import { BatchCard, FOLDED_ROWS } from './batchCard.tsx'
import { type DropBatch, dropsOf, type InboxEntry } from './batches.ts'
import type { ListedDrop } from './dropList.ts'
import { type DropActions, DropRow, type RowActions } from './dropRow.tsx'
import { totalOf } from './dropTexts.ts'
import { HalfCheckbox } from './halfCheckbox.tsx'
import type { InboxSnapshot } from './inboxDrops.ts'
import type { InboxLinks } from './linkFilter.tsx'
import { afterAll, afterClick, allOrNone, extentOf, type Selection } from './selection.ts'
import type { DropMark } from './useVisit.ts'

/** Rows are drawn in steps while the owner scrolls, so a large inbox appears at once. */
const STEP = 60

interface InboxListProps extends DropActions {
  /** In the order in which they are shown. */
  readonly entries: readonly InboxEntry[]
  readonly lookingIn: InboxSnapshot['lookingIn']
  readonly links: InboxLinks
  readonly markOf: (item: ListedDrop) => DropMark | undefined
  readonly readName: RowActions['readName']
  readonly readBatch: RowActions['readBatch']
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
  /** A piece of work has this file still to do. */
  readonly isBusy: (dropId: string) => boolean
  /** A download is running: no other can start. */
  readonly isSaving: boolean
}

export function InboxList(props: InboxListProps) {
  const { entries, lookingIn, links, markOf, selection, onSelection, isBusy, isSaving, ...actions } = props
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  const format = useText(formats)
  const nowMs = useNow(owner.now)
  const [count, setCount] = useState(STEP)
  const [openBatches, setOpenBatches] = useState<ReadonlySet<string>>(new Set())
  const items = dropsOf(entries)
  const shown = items.map(({ dropId }) => dropId).filter((dropId) => !isBusy(dropId))
  const keys = useKeys()
  const extent = extentOf(selection, shown)
  const chosen = items.filter(({ dropId }) => selection.chosen.has(dropId))
  const rowActions = useStable({
    ...actions,
    onChoose: ({ dropId: id }, isOn, isRange) => onSelection(afterClick(selection, shown, { id, isOn, isRange })),
    onChooseAll: (of, isOn) =>
      onSelection(
        afterAll(
          selection,
          of.map(({ dropId }) => dropId),
          isOn,
        ),
      ),
  })
  const common = { actions: rowActions, nowMs, isSaving, markOf }
  const { drawn, isAll } = firstRows(entries, openBatches, count)
  return (
    <div class="stack tight">
      <div class={`choosing ${chosen.length > 0 ? 'active' : ''}`} data-bar>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside HalfCheckbox */}
        <label class="check all">
          <HalfCheckbox
            extent={extent}
            isDisabled={shown.length === 0}
            keys={keys('A')}
            onChange={(isOn) => onSelection(allOrNone(shown, isOn))}
          />
          <span>{text.chooseAll}</span>
        </label>
        <p role="status" class="small grow">
          {chosen.length > 0 && text.chosen(chosen.length, totalOf(chosen, text, format))}
        </p>
        <KeysHelp of="inbox" />
        {chosen.length > 0 && (
          <div class="row">
            <Button kind="primary" icon="folder" keys={keys('E')} onClick={() => actions.onKeep(chosen)}>
              {text.keep}
            </Button>
            <Button
              icon="download"
              disabled={isSaving}
              keys={keys('S')}
              onClick={() => actions.onZip(chosen, text.zip.title(chosen.length))}
            >
              {canChooseFolder() ? text.download : text.zip.download}
            </Button>
            <Button kind="danger" icon="trash" keys={keys('Delete #')} onClick={() => actions.onDiscard(chosen)}>
              {text.discard}
            </Button>
          </div>
        )}
      </div>
      <ul class="card drops" aria-label={text.list}>
        {drawn.map(({ entry, rowsMax }) =>
          entry.is === 'drop' ? (
            <DropRow
              {...common}
              key={entry.item.dropId}
              item={entry.item}
              isBusy={isBusy(entry.item.dropId)}
              linkLabel={links.labels(entry.item.opaqueId)}
              asked={links.askedOf(entry.item.opaqueId)}
              isChosen={selection.chosen.has(entry.item.dropId)}
            />
          ) : (
            <BatchCard
              {...common}
              key={entry.batch.key}
              batch={entry.batch}
              isBusy={isBusy}
              linkLabel={links.labels(entry.batch.opaqueId)}
              asked={links.askedOf(entry.batch.opaqueId)}
              chosen={selection.chosen}
              isLooking={lookingIn.has(entry.batch.opaqueId)}
              isOpen={openBatches.has(entry.batch.key)}
              onOpen={(isOpen) => setOpenBatches(withOrWithout(openBatches, entry.batch.key, isOpen))}
              rowsMax={rowsMax}
            />
          ),
        )}
      </ul>
      {!isAll && <StepEnd key={count} onReached={() => setCount(count + STEP)} />}
    </div>
  )
}

interface DrawnEntry {
  readonly entry: InboxEntry
  /** Rows that are left for it. */
  readonly rowsMax: number
}

/** The entries that are drawn, and whether these are all of their files. */
function firstRows(
  entries: readonly InboxEntry[],
  openBatches: ReadonlySet<string>,
  count: number,
): { readonly drawn: readonly DrawnEntry[]; readonly isAll: boolean } {
  const drawn: DrawnEntry[] = []
  let left = count
  for (const entry of entries) {
    if (left <= 0) break
    drawn.push({ entry, rowsMax: left })
    left -= entry.is === 'drop' ? 1 : rowsOf(entry.batch, openBatches)
  }
  return { drawn, isAll: drawn.length === entries.length && left >= 0 }
}

function rowsOf({ key, items }: DropBatch, openBatches: ReadonlySet<string>): number {
  return openBatches.has(key) ? items.length : Math.min(items.length, FOLDED_ROWS)
}

function withOrWithout(keys: ReadonlySet<string>, key: string, isIn: boolean): ReadonlySet<string> {
  return new Set(isIn ? [...keys, key] : [...keys].filter((other) => other !== key))
}

/** The same object in each drawing, whose functions are those of the last one. */
function useStable(actions: RowActions): RowActions {
  const latest = useRef(actions)
  latest.current = actions
  return useMemo(
    () => ({
      onOpen: (item) => latest.current.onOpen(item),
      onKeep: (items) => latest.current.onKeep(items),
      onDownload: (item) => latest.current.onDownload(item),
      onZip: (items, title) => latest.current.onZip(items, title),
      onDiscard: (items) => latest.current.onDiscard(items),
      onChoose: (item, isOn, isRange) => latest.current.onChoose(item, isOn, isRange),
      onChooseAll: (items, isOn) => latest.current.onChooseAll(items, isOn),
      readName: (drop) => latest.current.readName(drop),
      readBatch: (batchId) => latest.current.readBatch(batchId),
    }),
    [],
  )
}
