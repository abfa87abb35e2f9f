import type { FileDescription } from '@blindkeep/client/owner'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import type { Formats } from '../../common/language/format.ts'
import { spokenName, visibleName, withoutDirections } from '../../common/names/visibleName.ts'
import type { InboxText } from '../ground/texts.ts'
import type { DropBatch } from './batches.ts'
import { isUnread, type ListedDrop } from './dropList.ts'

/** Rows are drawn often, names may be long: made fit once. */
const shownNames = new WeakMap<FileDescription, string | undefined>()

function shownNameOf(file: FileDescription): string | undefined {
  if (shownNames.has(file)) return shownNames.get(file)
  const shown = visibleName(file.name)
  shownNames.set(file, shown)
  return shown
}

/** The sender's name without deceiving characters; a text where it is missing, unread or unreadable. */
export function nameOf(item: ListedDrop, text: InboxText): string {
  if (isUnread(item)) return text.unread
  return item.file === undefined ? text.unopened : (shownNameOf(item.file) ?? text.unnamed)
}

/** For labels and sentences: the same words as `nameOf`, but plain ones for a name that is not read yet. */
export function plainNameOf(item: ListedDrop, text: InboxText): string {
  return isUnread(item) ? text.unreadSpoken : spokenName(nameOf(item, text), text.unnamed)
}

/** What the file is called on a disk. */
export function savedNameOf(item: ListedDrop, text: InboxText): string {
  return item.file?.safeName ?? nameOf(item, text)
}

/** A longer name of a sender fills no button's label. */
const SENDER_CHARACTERS_SPOKEN = 60

/** `12 files from Ada`, for labels: it can't turn the direction of the text around it. */
export function batchTitle({ items, sender }: Pick<DropBatch, 'items' | 'sender'>, text: InboxText): string {
  const count = text.batch.count(items.length)
  if (sender === undefined) return count
  const plain = withoutDirections(sender.slice(0, SENDER_CHARACTERS_SPOKEN).toWellFormed())
  return `${count} ${text.from(plain)}`
}

/** `12 files from Ada 2026-09-14.zip`: their one sender, and the newest date. Needs `safeName`. */
export function zipNameOf(items: readonly ListedDrop[], text: InboxText): string {
  const [first] = items
  const sender = first?.file?.sender
  const isOfOne = items.every(({ file }) => file?.sender === sender)
  const newest = new Date(Math.max(...items.map(({ receivedAt }) => millisecondsOf(receivedAt))))
  return `${batchTitle({ items, sender: isOfOne ? sender : undefined }, text)} ${dayOf(newest)}.zip`
}

/** `2026-09-14`, in the time zone of the reader. */
function dayOf(instant: Date): string {
  const [month, day] = [instant.getMonth() + 1, instant.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${instant.getFullYear()}-${month}-${day}`
}

/** A longer note is folded. */
const NOTE_CHARACTERS_SHOWN = 400

/** The note itself, or the beginning of a long one. A note may have 48 KiB, and a list draws one in each row. */
export function shortNoteOf(note: string): string {
  return note.length <= NOTE_CHARACTERS_SHOWN ? note : `${note.slice(0, NOTE_CHARACTERS_SHOWN).toWellFormed()}…`
}

/** Why the file cannot be had, also where its name is known. */
export function troubleText({ fault, withheld }: ListedDrop, { faults }: InboxText): string | undefined {
  if (withheld !== undefined) return faults[withheld]
  return fault && faultText(fault, faults)
}

function faultText({ reason }: NonNullable<ListedDrop['fault']>, faults: InboxText['faults']): string {
  switch (reason) {
    case 'another_drop':
    case 'damaged':
    case 'held':
    case 'not_in_inbox':
    case 'refused':
    case 'unreachable':
    case 'answer_broken':
      return faults[reason]
    default:
      return faults.sealed
  }
}

/** Whether another try may work: the file itself was not the reason. */
export function isTemporary({ reason }: NonNullable<ListedDrop['fault']>): boolean {
  return reason === 'unreachable' || reason === 'answer_broken' || reason === 'refused'
}

/** What the rows of these files add up to; "about" while the sizes of some are not read. */
export function totalOf(items: readonly ListedDrop[], text: InboxText, format: Formats): string {
  const sum = format.bytes(items.reduce((bytes, item) => bytes + sizeOf(item), 0))
  return items.some(isUnread) ? text.about(sum) : sum
}

/** Bytes of the file, or of the sealed file when it can't be opened. */
export function sizeOf({ file, sealedBytes }: ListedDrop): number {
  return file?.size ?? sealedBytes
}
