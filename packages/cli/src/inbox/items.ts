/** Drops as texts for people and facts for programs. A guest's words are marked as claims. */
import type { DropFault } from '@blindkeep/client/errors'
import type { DescribedDrop, FileDescription, InboxItem } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { EXIT, type Exit } from '../ground/exits.ts'
import { fieldFacts } from '../ground/questionTexts.ts'
import { shortId, shown } from '../ground/texts.ts'
import { cut } from '../ground/width.ts'

/** Columns of a name in a list, and of a note in a line. */
const [MAX_NAME_COLUMNS, MAX_NOTE_COLUMNS] = [48, 120]

/** A drop's name in a message. Of one that does not open, the beginning of its id. */
export function nameOf({ dropId, file }: InboxItem): string {
  return file === undefined ? `drop ${shortId(dropId)}` : (file.safeName ?? 'unnamed')
}

/** The name that the file gets in an album. On a disk it is `nameOf`, and so where a guest gave an empty one. */
export function titleOf(item: InboxItem): string {
  return item.file?.name?.trim() ? item.file.name : nameOf(item)
}

/** As `titleOf`, short enough for a column. */
export function shortTitleOf(item: InboxItem): string {
  return cut(shown(titleOf(item)), MAX_NAME_COLUMNS, 'middle')
}

/**
 * `from "Ada", note: "as of today", Topic: "Invoice"`, for a place that says whose words they are. Empty if the guest
 * says nothing.
 */
export function claimsOf({ sender, note, fields = [] }: FileDescription): string {
  return [
    ...(sender === undefined ? [] : [`from "${oneLine(sender)}"`]),
    ...(note === undefined ? [] : [`note: "${oneLine(note)}"`]),
    ...fields.map(([label, value]) => `${oneLine(label)}: "${oneLine(value)}"`),
  ].join(', ')
}

function claimsText(file: FileDescription): string {
  const claims = claimsOf(file)
  return claims === '' ? '' : `${claims} (as the guest says)`
}

function oneLine(text: string): string {
  return cut(shown(text.replace(/\s+/g, ' ')), MAX_NOTE_COLUMNS)
}

/** `a.pdf (1.2 MB, from "Ada" (as the guest says))`. */
export function dropText(drop: DescribedDrop): string {
  const claims = claimsText(drop.file)
  return `${shown(nameOf(drop))} (${sizeText(drop.file.size)}${claims === '' ? '' : `, ${claims}`})`
}

/** What programs read of every drop, also of one that does not open. */
export function factsOf(item: InboxItem, linkLabel: string | undefined): object {
  const { dropId, opaqueId, file, receivedAt } = item
  return {
    drop_id: dropId,
    link_id: opaqueId,
    link_label: linkLabel,
    received_at: receivedAt,
    ...(file && {
      name: nameOf(item),
      size: file.size,
      claimed_name: file.name,
      claimed_type: file.type,
      claimed_sender: file.sender,
      claimed_note: file.note,
      claimed_fields: fieldFacts(file.fields),
      claimed_modified_at: file.modifiedAt,
      batch_id: file.batch?.id,
      claimed_batch_index: file.batch?.index,
      claimed_batch_count: file.batch?.count,
    }),
  }
}

/** What an honest server and an honest line can be the reason of. */
const NO_LIES: readonly DropFault['reason'][] = ['not_in_inbox', 'refused', 'unreachable', 'damaged', 'held']

export function exitOfFault({ reason }: DropFault): Exit {
  return NO_LIES.includes(reason) ? EXIT.failed : EXIT.untrusted
}

/** The drop itself does not open. Otherwise it was not read. */
export function isOfDrop(fault: DropFault): boolean {
  return exitOfFault(fault) === EXIT.untrusted && fault.reason !== 'answer_broken'
}
