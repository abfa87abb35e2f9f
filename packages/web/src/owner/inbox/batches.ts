/** Groups the files of the inbox by the go in which a guest has sent them. */
import type { Batch, FileDescription } from '@blindkeep/client/owner'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { ListedDrop } from './dropList.ts'

/** A file that says which go it belongs to. */
type BatchedDrop = ListedDrop & { readonly file: FileDescription & { readonly batch: Batch } }

/**
 * Files with the same link, batch id, sender and note. So a group has one sender and one note, and a guest who repeats the id of another one has to say
 * the same words through the same link.
 */
export interface DropBatch {
  /** Stays the same while files come and go. */
  readonly key: string
  readonly opaqueId: OpaqueId
  /** At least two, in the order of the guest. */
  readonly items: readonly ListedDrop[]
  /** What all of its files say. */
  readonly sender: string | undefined
  readonly note: string | undefined
  /** When the newest file landed. */
  readonly receivedAt: string
  /** Bytes of its files. */
  readonly size: number
  /** How many files all of them claim to be, if that is more than there are. */
  readonly announced: number | undefined
}

export type InboxEntry =
  | { readonly is: 'drop'; readonly item: ListedDrop }
  | { readonly is: 'batch'; readonly batch: DropBatch }

/** Link and batch id. Undefined for a file without a batch, and until its name is read. */
export function batchIdOf(drop: ListedDrop): string | undefined {
  return isBatched(drop) ? `${drop.opaqueId} ${drop.file.batch.id}` : undefined
}

/** In the order of the drops, newest first. A batch is where its newest file is; a file that is alone in its batch is a file like any other. */
export function entriesOf(drops: readonly ListedDrop[]): readonly InboxEntry[] {
  const groups = new Map<string, SameId>()
  const places: (ListedDrop | Group)[] = []
  for (const drop of drops) {
    if (!isBatched(drop)) {
      places.push(drop)
      continue
    }
    const group = groupOf(groups, drop)
    if (group.drops.length === 0) places.push(group)
    group.drops.push(drop)
  }
  return places.map((place) => ('drops' in place ? entryOf(place) : { is: 'drop', item: place }))
}

/** The drops in the order in which the entries show them. */
export function dropsOf(entries: readonly InboxEntry[]): readonly ListedDrop[] {
  return entries.flatMap((entry) => (entry.is === 'drop' ? [entry.item] : entry.batch.items))
}

function isBatched(drop: ListedDrop): drop is BatchedDrop {
  return drop.file?.batch !== undefined
}

interface Group {
  readonly key: string
  readonly newest: BatchedDrop
  /** Newest first. */
  readonly drops: BatchedDrop[]
}

/** The groups of one batch id by sender and note: maps, because one guest can send thousands of each. */
interface SameId {
  count: number
  readonly bySender: Map<string | undefined, Map<string | undefined, Group>>
}

/** An empty one for the first file of a group. */
function groupOf(groups: Map<string, SameId>, drop: BatchedDrop): Group {
  const id = `${drop.opaqueId} ${drop.file.batch.id}`
  const { sender, note } = drop.file
  const sameId = groups.get(id) ?? { count: 0, bySender: new Map() }
  groups.set(id, sameId)
  const byNote = sameId.bySender.get(sender) ?? new Map<string | undefined, Group>()
  sameId.bySender.set(sender, byNote)
  const group = byNote.get(note) ?? { key: `${id} ${sameId.count++}`, newest: drop, drops: [] }
  byNote.set(note, group)
  return group
}

function entryOf({ key, newest, drops }: Group): InboxEntry {
  if (drops.length === 1) return { is: 'drop', item: newest }
  const { opaqueId, receivedAt, file } = newest
  const { count } = file.batch
  const isAgreed = drops.every((drop) => drop.file.batch.count === count)
  const batch = {
    ...{ key, opaqueId, receivedAt, sender: file.sender, note: file.note },
    items: inGuestsOrder(drops),
    size: drops.reduce((sum, drop) => sum + drop.file.size, 0),
    announced: isAgreed && count !== undefined && count > drops.length ? count : undefined,
  }
  return { is: 'batch', batch }
}

/** By position, then in the order in which they landed. Files without a position come last. */
function inGuestsOrder(drops: readonly BatchedDrop[]): readonly ListedDrop[] {
  const place = ({ file }: BatchedDrop) => file.batch.index ?? Infinity
  return drops.toReversed().sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)))
}
