import type { InboxItem } from '@blindkeep/client/owner'
import { IconButton, Name } from '../../common/controls.tsx'
import { formatAge, formatBytes, formatInstant } from '../../common/format.ts'
import { Icon, type IconName } from '../../common/icons.tsx'
import type { Language } from '../../common/language.ts'
import { faultText, inboxText, nameOf, plainNameOf, shortNoteOf, sizeOf } from './texts.ts'

export interface DropActions {
  readonly onOpen: (item: InboxItem) => void
  readonly onKeep: (items: readonly InboxItem[]) => void
  /** Called synchronously in the click's handler. */
  readonly onDownload: (item: InboxItem) => void
  readonly onDiscard: (items: readonly InboxItem[]) => void
}

interface DropRowProps extends DropActions {
  readonly item: InboxItem
  readonly linkLabel: string
  readonly language: Language
  readonly nowMs: number
  readonly isChosen: boolean
  readonly isBusy: boolean
  readonly onChoose: (isOn: boolean, isRange: boolean) => void
}

export function DropRow(props: DropRowProps) {
  const { item, language, isChosen, isBusy, onChoose, onOpen } = props
  const text = inboxText(language)
  const { file, fault, adopting } = item
  const plainName = plainNameOf(item, language)
  return (
    <li class={`drop ${isChosen ? 'chosen' : ''} ${fault === undefined ? '' : 'faulty'}`}>
      <label class="pick">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isBusy}
          aria-label={text.choose(plainName)}
          onClick={(event) => onChoose(event.currentTarget.checked, event.shiftKey)}
        />
      </label>
      <div class="what">
        <button type="button" class="open" onClick={() => onOpen(item)}>
          <Icon name={iconOf(item)} />
          <span class="name">
            <Name>{nameOf(item, language)}</Name>
          </span>
        </button>
        <Facts {...props} />
        {fault !== undefined && <p class="small fault">{faultText(fault, language)}</p>}
        {file?.note !== undefined && (
          <p class="small note">
            <Name>{shortNoteOf(file.note)}</Name>
          </p>
        )}
      </div>
      {adopting ? <span class="badge warn">{text.adopting}</span> : <Actions {...props} />}
    </li>
  )
}

function Facts({ item, linkLabel, language, nowMs }: DropRowProps) {
  const text = inboxText(language)
  const { file, receivedAt } = item
  return (
    <ul class="dotted small soft">
      <li>{formatBytes(sizeOf(item), language)}</li>
      {file?.sender !== undefined && (
        <li class="sender">
          <Name>{text.from(file.sender)}</Name>
        </li>
      )}
      <li>
        <Name>{text.through(linkLabel)}</Name>
      </li>
      <li>
        <time dateTime={receivedAt} title={formatInstant(receivedAt, language)}>
          {text.received(formatAge(receivedAt, nowMs, language))}
        </time>
      </li>
    </ul>
  )
}

function Actions({ item, language, isBusy, onKeep, onDownload, onDiscard }: DropRowProps) {
  const text = inboxText(language)
  const name = plainNameOf(item, language)
  return (
    <div class="actions">
      {item.file !== undefined && (
        <>
          <IconButton icon="folder" label={text.keepOf(name)} disabled={isBusy} onClick={() => onKeep([item])} />
          <IconButton icon="download" label={text.downloadOf(name)} onClick={() => onDownload(item)} />
        </>
      )}
      <IconButton icon="trash" label={text.discardOf(name)} disabled={isBusy} onClick={() => onDiscard([item])} />
    </div>
  )
}

/** Only a hint: the sender chooses the type. */
function iconOf({ file }: InboxItem): IconName {
  if (file === undefined) return 'alert'
  return file.type?.startsWith('image/') === true ? 'image' : 'file'
}
