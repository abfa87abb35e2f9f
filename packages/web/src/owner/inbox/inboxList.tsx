/** The list of the inbox, with checkboxes to choose files. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import { formatBytes } from '../../common/format.ts'
import { StepEnd } from '../../common/stepEnd.tsx'
import { useNow } from '../../common/useNow.ts'
import { useOwnerPages } from '../context.ts'
import type { ListedDrop } from './dropList.ts'
import { type DropActions, DropRow, type RowActions } from './dropRow.tsx'
import { afterClick, allOrNone, extentOf, type Selection } from './selection.ts'
import { inboxText } from './texts.ts'

/** Rows are drawn in steps while the owner scrolls, so a large inbox appears at once. */
const STEP = 60

interface InboxListProps extends DropActions {
  /** In the order in which they are shown. */
  readonly items: readonly ListedDrop[]
  readonly labelOfLink: (opaqueId: string) => string
  readonly readName: RowActions['readName']
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
  /** A task is running: no other can start. */
  readonly isBusy: boolean
}

export function InboxList({ items, labelOfLink, selection, onSelection, isBusy, ...actions }: InboxListProps) {
  const { language } = useOwnerPages()
  const text = inboxText(language)
  const nowMs = useNow()
  const [count, setCount] = useState(STEP)
  const shown = items.map(({ dropId }) => dropId)
  const extent = extentOf(selection, shown)
  const chosen = items.filter(({ dropId }) => selection.chosen.has(dropId))
  const rowActions = useStable({
    ...actions,
    onChoose: ({ dropId: id }, isOn, isRange) => onSelection(afterClick(selection, shown, { id, isOn, isRange })),
  })
  return (
    <div class="stack tight">
      <div class={`choosing ${chosen.length > 0 ? 'active' : ''}`}>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside HalfCheckbox */}
        <label class="check all">
          <HalfCheckbox extent={extent} isDisabled={isBusy} onChange={(isOn) => onSelection(allOrNone(shown, isOn))} />
          <span>{text.chooseAll}</span>
        </label>
        <p role="status" class="small grow">
          {chosen.length > 0 && text.chosen(chosen.length, formatBytes(sealedSum(chosen), language))}
        </p>
        {chosen.length > 0 && (
          <div class="row">
            <Button kind="primary" icon="folder" disabled={isBusy} onClick={() => actions.onKeep(chosen)}>
              {text.keep}
            </Button>
            <Button kind="danger" icon="trash" disabled={isBusy} onClick={() => actions.onDiscard(chosen)}>
              {text.discard}
            </Button>
          </div>
        )}
      </div>
      <ul class="card drops" aria-label={text.list}>
        {items.slice(0, count).map((item) => (
          <DropRow
            key={item.dropId}
            actions={rowActions}
            item={item}
            linkLabel={labelOfLink(item.opaqueId)}
            language={language}
            nowMs={nowMs}
            isChosen={selection.chosen.has(item.dropId)}
            isBusy={isBusy}
          />
        ))}
      </ul>
      {count < items.length && <StepEnd key={count} onReached={() => setCount(count + STEP)} />}
    </div>
  )
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
      onDiscard: (items) => latest.current.onDiscard(items),
      onChoose: (item, isOn, isRange) => latest.current.onChoose(item, isOn, isRange),
      readName: (drop) => latest.current.readName(drop),
    }),
    [],
  )
}

export function sealedSum(items: readonly ListedDrop[]): number {
  return items.reduce((sum, { sealedBytes }) => sum + sealedBytes, 0)
}

interface HalfCheckboxProps {
  readonly extent: 'none' | 'some' | 'all'
  readonly isDisabled: boolean
  readonly onChange: (isOn: boolean) => void
}

/** HTML has no attribute for a half-checked checkbox: only a script can set it. */
function HalfCheckbox({ extent, isDisabled, onChange }: HalfCheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = extent === 'some'
  }, [extent])
  return (
    <input
      ref={box}
      type="checkbox"
      checked={extent === 'all'}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
