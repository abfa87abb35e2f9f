/** `blindkeep inbox list`. */
import { sortedBy } from '@blindkeep/client/find'
import { announcedCount, type BatchGroup, batchGroupsOf, type InboxItem } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { tellRoom } from '../account/inboxRoom.ts'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { type Exit, exitOf } from '../ground/exits.ts'
import { type FilterFlags, findableDrop, isFiltering, type OrderFlags } from '../ground/filters.ts'
import type { Row } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, shortId, shown, timeText } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import { linkOf, openInbox, select } from './inbox.ts'
import { claimsOf, exitOfFault, factsOf, isOfDrop, shortTitleOf } from './items.ts'

const HEADINGS = ['ID', 'RECEIVED', 'SIZE', ...['LINK', 'NAME', 'GUEST SAYS'].map(shrinking)]
/** The place of the column that is there if there are batches. */
const BATCH_COLUMN = 3

export interface ListFlags extends OwnerFlags, FilterFlags, OrderFlags {
  readonly link?: string
}

export async function list(flags: ListFlags): Promise<Exit> {
  const signed = await signedIn(flags)
  const { owner, report } = signed
  const inbox = openInbox(signed)
  const items = select(await inbox.read(), { link: await linkOf(owner, flags.link), filters: flags })
  const groups = groupsOf(items, flags.sort)
  const hasBatches = groups.some(isBatch)
  const rows: Row[] = []
  for (const group of groups) {
    const batch = isBatch(group) ? batchText(group, isFiltering(flags)) : ''
    for (const [place, item] of group.items.entries()) {
      const { cells, fact } = rowOf(item, await inbox.labelOf(item.opaqueId), place === 0)
      rows.push({ cells: hasBatches ? cells.toSpliced(BATCH_COLUMN, 0, place === 0 ? batch : '"') : cells, fact })
    }
  }
  report.list(
    hasBatches ? HEADINGS.toSpliced(BATCH_COLUMN, 0, 'BATCH') : HEADINGS,
    rows,
    isFiltering(flags) ? 'Nothing matches.' : 'The inbox is empty.',
  )
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

/** In another order than they have come, files of one batch do not stand together. */
function groupsOf(items: readonly InboxItem[], order: OrderFlags['sort']): readonly BatchGroup<InboxItem>[] {
  if (order === undefined) return batchGroupsOf(items)
  return sortedBy(items, order, findableDrop).flatMap((item) => batchGroupsOf([item]))
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
