/** `blindkeep inbox list`. */
import { isSortOrder, sortedBy, sortedByAnswer } from '@blindkeep/client/find'
import { announcedCount, type BatchGroup, batchGroupsOf, type InboxItem } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { tellRoom } from '../account/inboxRoom.ts'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { type Exit, exitOf } from '../ground/exits.ts'
import { type FilterFlags, findableDrop } from '../ground/filters.ts'
import type { Row } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, shortId, shown, timeText } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import type { LabelFlags } from './answers.ts'
import { type Inbox, isNarrowed, openInbox, select, selectionOf } from './inbox.ts'
import { claimsOf, exitOfFault, factsOf, isOfDrop, shortTitleOf } from './items.ts'
import { markFacts, marksIn, marksText } from './marks.ts'

const HEADINGS = ['ID', 'RECEIVED', 'SIZE', ...['LINK', 'NAME', 'GUEST SAYS'].map(shrinking)]
/** The place of the column that is there if there are batches. */
const BATCH_COLUMN = 3
/** The last column, if something is marked. */
const MARKS = shrinking('LOOK AT')

interface ListFlags extends OwnerFlags, FilterFlags, Pick<LabelFlags, 'where' | 'sort'> {
  readonly link?: string
}

export async function list(flags: ListFlags): Promise<Exit> {
  const signed = await signedIn(flags)
  const { owner, report } = signed
  const inbox = openInbox(signed)
  const all = await inbox.read()
  const items = select(all, await selectionOf([], flags, { owner, items: async () => all }))
  const groups = groupsOf(items, flags.sort)
  const { headings, rows } = await tableOf(groups, inbox, isNarrowed(flags))
  report.list(headings, rows, all.length > 0 ? 'Nothing matches.' : 'The inbox is empty.')
  // One line for all that fail in one way: the reason is too long for a column.
  for (const [message, ids] of faultsOf(items)) report.aside(`${ids.join(', ')}: ${shown(message)}`)
  const inInbox = new Set(items.map(({ dropId }) => dropId))
  const begun = (await openAdoptions(signed).begun()).filter(({ dropId }) => !inInbox.has(dropId))
  if (begun.length > 0 && flags.link === undefined)
    report.aside(
      `${filesText(begun.length)} left the inbox before this machine had signed them. Finish them: blindkeep inbox adopt ${begun.map(({ dropId }) => shortId(dropId)).join(' ')} --album ALBUM`,
    )
  await tellRoom(owner, report)
  return exitOf(items.flatMap(({ fault }) => (fault === undefined ? [] : [exitOfFault(fault)])))
}

/** Columns that would be empty are left out. */
async function tableOf(groups: readonly BatchGroup<InboxItem>[], inbox: Inbox, isPart: boolean) {
  const hasBatches = groups.some(isBatch)
  const rows: Row[] = []
  const marked: string[] = []
  for (const group of groups) {
    const batch = isBatch(group) ? batchText(group, isPart) : ''
    for (const [place, item] of group.items.entries()) {
      const marks = marksIn(item, await inbox.linkOf(item.opaqueId))
      const { cells, fact } = rowOf(item, await inbox.labelOf(item.opaqueId), place === 0)
      const all = hasBatches ? cells.toSpliced(BATCH_COLUMN, 0, place === 0 ? batch : '"') : cells
      rows.push({ cells: all, fact: { ...fact, marks: markFacts(marks) } })
      marked.push(marksText(marks ?? []))
    }
  }
  const headings = hasBatches ? HEADINGS.toSpliced(BATCH_COLUMN, 0, 'BATCH') : HEADINGS
  if (marked.every((text) => text === '')) return { headings, rows }
  const withMarks = rows.map(({ cells, fact }, row) => ({ cells: [...cells, marked[row] ?? ''], fact }))
  return { headings: [...headings, MARKS], rows: withMarks }
}

/** In another order than they have come, files of one batch do not stand together. */
function groupsOf(items: readonly InboxItem[], order: string | undefined): readonly BatchGroup<InboxItem>[] {
  if (order === undefined) return batchGroupsOf(items)
  const sorted = isSortOrder(order)
    ? sortedBy(items, order, findableDrop)
    : sortedByAnswer(items, order, ({ file }) => file?.fields)
  return sorted.flatMap((item) => batchGroupsOf([item]))
}

function faultsOf(items: readonly InboxItem[]): ReadonlyMap<string, readonly string[]> {
  const faults = new Map<string, readonly string[]>()
  for (const { dropId, fault } of items)
    if (fault !== undefined) faults.set(fault.message, [...(faults.get(fault.message) ?? []), shortId(dropId)])
  return faults
}

/** A file that is alone in its batch is a file like any other. */
function isBatch({ items }: BatchGroup<InboxItem>): boolean {
  return items.length > 1
}

/**
 * `3f2a91c0 (3 files, of 40 chosen)`: what else the guest chose has not arrived, or has left the inbox. Not said of a
 * part.
 */
function batchText({ batchId = '', items }: BatchGroup<InboxItem>, isPart: boolean): string {
  const announced = isPart ? undefined : announcedCount(items)
  return `${shortId(batchId)} (${filesText(items.length)}${announced === undefined ? '' : `, of ${announced} chosen`})`
}

/** What the guest says of all files of a batch stands beside the first one. */
function rowOf(item: InboxItem, label: string | undefined, isFirst: boolean): Row {
  const { dropId, opaqueId, sealedBytes, file, fault, receivedAt, adopting, withheld } = item
  return {
    cells: [
      shortId(dropId),
      timeText(receivedAt),
      sizeText(file?.size ?? sealedBytes),
      shown(label ?? shortId(opaqueId)),
      fault === undefined ? shortTitleOf(item) : isOfDrop(fault) ? '(does not open)' : '(cannot be read now)',
      `${adopting ? '(is being kept) ' : ''}${file === undefined || !isFirst ? '' : claimsOf(file)}`,
    ],
    fact: {
      ...factsOf(item, label),
      sealed_size: sealedBytes,
      adopting,
      withheld,
      fault: fault?.reason,
      message: fault?.message,
    },
  }
}
