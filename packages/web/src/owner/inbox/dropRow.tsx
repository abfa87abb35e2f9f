import { announcedCount } from '@blindkeep/client/owner'
import type { Asked } from '@blindkeep/client/questions'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton, Name } from '../../common/controls/controls.tsx'
import { Icon, type IconName } from '../../common/controls/icons.tsx'
import { Toolbar } from '../../common/controls/toolbar.tsx'
import { Redrawn } from '../../common/drawing/redrawn.tsx'
import { useInView } from '../../common/drawing/useInView.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { iconOf } from '../../common/names/fileKind.tsx'
import { findTexts, inboxTexts, workTexts } from '../ground/texts.ts'
import { useKeys } from '../keys/listKeys.ts'
import { AnswerColumns } from './answerList.tsx'
import { batchIdOf } from './batches.ts'
import { isUnread, type ListedDrop } from './dropList.ts'
import { nameOf, plainNameOf, shortNoteOf, sizeOf, troubleText } from './dropTexts.ts'
import type { InboxDrops } from './inboxDrops.ts'
import type { DropMark } from './useVisit.ts'

export interface DropActions {
  readonly onOpen: (item: ListedDrop) => void
  readonly onKeep: (items: readonly ListedDrop[]) => void
  /** Called synchronously in the click's handler. */
  readonly onDownload: (item: ListedDrop) => void
  /** The same for several files, as one ZIP of this title. */
  readonly onZip: (items: readonly ListedDrop[], title: string) => void
  readonly onDiscard: (items: readonly ListedDrop[]) => void
}

export interface RowActions extends DropActions {
  readonly onChoose: (item: ListedDrop, isOn: boolean, isRange: boolean) => void
  readonly onChooseAll: (items: readonly ListedDrop[], isOn: boolean) => void
  readonly readName: InboxDrops['readName']
  readonly readBatch: InboxDrops['readBatch']
}

interface DropRowProps {
  readonly item: ListedDrop
  readonly linkLabel: string
  /** What its link asks. */
  readonly asked: Asked | undefined
  readonly nowMs: number
  readonly isChosen: boolean
  readonly markOf: (item: ListedDrop) => DropMark | undefined
  /** A piece of work has it still to do. */
  readonly isBusy: boolean
  /** A download is running: no other can start. */
  readonly isSaving: boolean
  /** The batch says once what is the same for all of its files. */
  readonly isInBatch?: boolean
  /** Must be the same object in each drawing. */
  readonly actions: RowActions
}

/** A list of thousands changes often, mostly in other rows. */
export function DropRow(props: DropRowProps) {
  const { item, linkLabel, asked, isChosen, isBusy, isSaving, isInBatch, actions } = props
  const nowMs = isInBatch === true ? 0 : props.nowMs
  const parts = [item, linkLabel, asked, nowMs, isChosen, isBusy, isSaving, isInBatch, actions, props.markOf(item)]
  return <Redrawn parts={parts} draw={() => <Row {...props} />} />
}

function Row(props: DropRowProps) {
  const { item, asked, isChosen, isBusy, isInBatch = false, actions, markOf } = props
  const text = useText(inboxTexts)
  const keys = useKeys()
  const mark = markOf(item)
  const { file, adopting } = item
  const trouble = troubleText(item, text)
  const plainName = plainNameOf(item, text)
  return (
    <li
      class={`drop ${isChosen ? 'chosen' : ''} ${trouble === undefined ? '' : 'faulty'} ${mark === undefined ? '' : 'not-opened'}`}
      data-drop={item.dropId}
    >
      <label class="pick">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isBusy}
          aria-label={text.choose(plainName)}
          aria-keyshortcuts={keys('X')}
          onClick={(event) => actions.onChoose(item, event.currentTarget.checked, event.shiftKey)}
        />
      </label>
      <div class="what">
        <button type="button" class="open" data-row onClick={() => actions.onOpen(item)}>
          <Icon name={iconOfDrop(item)} />
          <span class="name">
            <Name>{nameOf(item, text)}</Name>
          </span>
        </button>
        {isUnread(item) && <NameInView item={item} readName={actions.readName} />}
        {!isInBatch && <BatchInView of={item} readBatch={actions.readBatch} />}
        <Facts {...props} />
        {trouble !== undefined && <p class="small fault">{trouble}</p>}
        <AnswerColumns {...{ file, asked }} part={isInBatch ? 'kind' : undefined} />
        {file?.note !== undefined && !isInBatch && (
          <p class="small note">
            <Name>{shortNoteOf(file.note)}</Name>
          </p>
        )}
      </div>
      {adopting || isBusy ? (
        <span class="badge warn">{adopting ? text.adopting : text.busy}</span>
      ) : (
        <Actions {...props} />
      )}
    </li>
  )
}

/** Whether the owner has opened the file: the weight of its name says it, too. */
function Mark({ mark }: { readonly mark: DropMark | undefined }) {
  const text = useText(findTexts)
  if (mark === undefined) return null
  return mark === 'new' ? (
    <strong class="drop-mark">{text.new}</strong>
  ) : (
    <span class="visually-hidden">{text.notOpened}</span>
  )
}

/** Wants the name while the row is in view. */
function NameInView({ item, readName }: { readonly item: ListedDrop; readonly readName: RowActions['readName'] }) {
  const place = useRef<HTMLSpanElement>(null)
  const isInView = useInView(place)
  useEffect(() => (isInView ? readName(item) : undefined), [item, isInView, readName])
  return <span ref={place} />
}

interface BatchInViewProps {
  readonly of: ListedDrop
  readonly readBatch: RowActions['readBatch']
}

/** Wants the other files of the batch while this place is in view. */
export function BatchInView({ of, readBatch }: BatchInViewProps) {
  const place = useRef<HTMLSpanElement>(null)
  const isInView = useInView(place)
  const batchId = batchIdOf(of)
  useEffect(() => (isInView && batchId !== undefined ? readBatch(batchId) : undefined), [batchId, isInView, readBatch])
  return batchId === undefined ? null : <span ref={place} />
}

function Facts({ item, linkLabel, nowMs, isInBatch, markOf }: DropRowProps) {
  const text = useText(inboxTexts)
  const format = useText(formats)
  const { file, receivedAt } = item
  const announced = announcedCount([item])
  const mark = markOf(item)
  if (isInBatch === true)
    return (
      <p class="small soft size">
        <Mark mark={mark} /> {format.bytes(sizeOf(item))}
      </p>
    )
  return (
    <ul class="dotted small soft">
      {announced !== undefined && <li>{text.batch.alone(announced)}</li>}
      <li>
        <Mark mark={mark} /> {format.bytes(sizeOf(item))}
      </li>
      {file?.sender !== undefined && (
        <li class="sender">
          <Name>{text.from(file.sender)}</Name>
        </li>
      )}
      <Arrival {...{ linkLabel, receivedAt, nowMs }} />
    </ul>
  )
}

interface ArrivalProps extends Pick<DropRowProps, 'linkLabel' | 'nowMs'> {
  readonly receivedAt: string
}

/** Through which link, and when. */
export function Arrival({ linkLabel, receivedAt, nowMs }: ArrivalProps) {
  const text = useText(inboxTexts)
  const format = useText(formats)
  return (
    <>
      <li>
        <Name>{text.through(linkLabel)}</Name>
      </li>
      <li>
        <time dateTime={receivedAt} title={format.instant(receivedAt)}>
          {text.received(format.age(receivedAt, nowMs))}
        </time>
      </li>
    </>
  )
}

function Actions({ item, isSaving, actions: { onKeep, onDownload, onDiscard } }: DropRowProps) {
  const text = useText(inboxTexts)
  const workText = useText(workTexts)
  const keys = useKeys()
  const name = plainNameOf(item, text)
  return (
    <Toolbar class="actions" label={workText.actionsOf(name)}>
      {item.file !== undefined && (
        <>
          <IconButton icon="folder" label={text.keepOf(name)} keys={keys('E')} onClick={() => onKeep([item])} />
          <IconButton
            icon="download"
            label={text.downloadOf(name)}
            disabled={isSaving}
            keys={keys('S')}
            onClick={() => onDownload(item)}
          />
        </>
      )}
      <IconButton icon="trash" label={text.discardOf(name)} keys={keys('Delete #')} onClick={() => onDiscard([item])} />
    </Toolbar>
  )
}

function iconOfDrop({ file, fault, withheld }: ListedDrop): IconName {
  return fault === undefined && withheld === undefined ? iconOf(file ?? {}) : 'alert'
}
