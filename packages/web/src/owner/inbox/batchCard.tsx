/** The files of one go: who sent them, when, how many, what can be done with all, and themselves. */
import type { Asked } from '@blindkeep/client/questions'
import { useId, useRef, useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { inboxTexts } from '../ground/texts.ts'
import { AnswerColumns } from './answerList.tsx'
import type { DropBatch } from './batches.ts'
import type { ListedDrop } from './dropList.ts'
import { Arrival, BatchInView, DropRow, type RowActions } from './dropRow.tsx'
import { batchTitle, shortNoteOf } from './dropTexts.ts'
import { HalfCheckbox } from './halfCheckbox.tsx'
import { extentOf } from './selection.ts'
import type { DropMark } from './useVisit.ts'

/** Of a longer batch, only these are drawn until the owner wants all. */
export const FOLDED_ROWS = 5

interface BatchCardProps {
  readonly batch: DropBatch
  readonly linkLabel: string
  /** What its link asks. */
  readonly asked: Asked | undefined
  readonly nowMs: number
  readonly chosen: ReadonlySet<string>
  readonly isBusy: (dropId: string) => boolean
  readonly markOf: (item: ListedDrop) => DropMark | undefined
  readonly isSaving: boolean
  /** More of its files are looked for. */
  readonly isLooking: boolean
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  /** At most so many rows are drawn. */
  readonly rowsMax: number
  readonly actions: RowActions
}

export function BatchCard(props: BatchCardProps) {
  const { batch, nowMs, chosen, isBusy, isSaving, isLooking, isOpen, onOpen, rowsMax, actions, linkLabel, asked } =
    props
  const { items } = batch
  const text = useText(inboxTexts)
  const id = useId()
  const ids = items.map(({ dropId }) => dropId)
  const extent = extentOf({ chosen: new Set(ids.filter((dropId) => chosen.has(dropId))), anchor: undefined }, ids)
  const folded = useFoldedRows(ids, isLooking)
  const isDrawn = (dropId: string) => isOpen || folded.has(dropId) || (extent === 'some' && chosen.has(dropId))
  const title = batchTitle(batch, text)
  return (
    <li class="batch" data-batch={batch.key}>
      <article aria-labelledby={`${id}-title`}>
        <div class={`batch-head ${extent === 'all' ? 'chosen' : ''}`}>
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside HalfCheckbox */}
          <label class="pick">
            <HalfCheckbox
              extent={extent}
              isDisabled={ids.every(isBusy)}
              label={text.choose(title)}
              onChange={(isOn) => actions.onChooseAll(items, isOn)}
            />
          </label>
          <BatchFacts {...props} titleId={`${id}-title`} />
        </div>
        <ul class="batch-files" id={`${id}-files`}>
          {items
            .filter(({ dropId }) => isDrawn(dropId))
            .slice(0, rowsMax)
            .map((item) => (
              <DropRow
                key={item.dropId}
                isInBatch
                {...{ item, linkLabel, asked, nowMs, isSaving, actions, markOf: props.markOf }}
                isBusy={isBusy(item.dropId)}
                isChosen={chosen.has(item.dropId)}
              />
            ))}
        </ul>
        {items.length > FOLDED_ROWS && (
          <div class="batch-foot">
            <Button kind="quiet" expands={{ id: `${id}-files`, isExpanded: isOpen }} onClick={() => onOpen(!isOpen)}>
              {isOpen ? text.batch.fold : text.batch.unfold(items.length)}
            </Button>
          </div>
        )}
      </article>
    </li>
  )
}

/** The first rows. While more are looked for, shown rows stay: found ones may come before them. */
function useFoldedRows(ids: readonly string[], isLooking: boolean): ReadonlySet<string> {
  const shown = useRef<readonly string[]>([])
  const present = new Set(ids)
  const kept = isLooking ? shown.current.filter((id) => present.has(id)) : []
  shown.current = [...new Set([...kept, ...ids.slice(0, FOLDED_ROWS)])].slice(0, FOLDED_ROWS)
  return new Set(shown.current)
}

function BatchFacts({
  batch,
  linkLabel,
  asked,
  nowMs,
  isLooking,
  actions,
  titleId,
}: BatchCardProps & { readonly titleId: string }) {
  const text = useText(inboxTexts)
  const format = useText(formats)
  const { items, announced, sender, note, size, receivedAt } = batch
  const [first] = items
  return (
    <div class="what">
      <h2 id={titleId}>
        {text.batch.count(items.length)}
        {sender !== undefined && (
          <>
            {' '}
            <span class="sender">
              <Name>{text.from(sender)}</Name>
            </span>
          </>
        )}
      </h2>
      {first !== undefined && <BatchInView of={first} readBatch={actions.readBatch} />}
      <ul class="dotted small soft">
        {announced !== undefined && <li>{text.batch.announced(announced)}</li>}
        <li>{format.bytes(size)}</li>
        <Arrival {...{ linkLabel, receivedAt, nowMs }} />
        {isLooking && <li>{text.batch.looking}</li>}
      </ul>
      <AnswerColumns file={first?.file} asked={asked} part="answers" />
      {note !== undefined && <BatchNote note={note} />}
    </div>
  )
}

function BatchNote({ note }: { readonly note: string }) {
  const text = useText(inboxTexts)
  const [isWhole, setWhole] = useState(false)
  const short = shortNoteOf(note)
  return (
    <>
      <p class={`small note ${isWhole ? 'whole' : ''}`}>
        <Name>{isWhole ? note : short}</Name>
      </p>
      {(short !== note || note.includes('\n')) && (
        <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? text.noteLess : text.noteMore}
        </Button>
      )}
    </>
  )
}
