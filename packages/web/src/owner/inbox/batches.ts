/** The files of the inbox, those of one go together. */
import { announcedCount, type BatchGroup, batchGroupsOf } from '@blindkeep/client/owner'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { ListedDrop } from './dropList.ts'

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
export function batchIdOf({ opaqueId, file }: ListedDrop): string | undefined {
  return file?.batch === undefined ? undefined : `${opaqueId} ${file.batch.id}`
}

/** By drops, newest first. A batch is at its newest file; a file alone in its batch is one like any other. */
export function entriesOf(drops: readonly ListedDrop[]): readonly InboxEntry[] {
  return batchGroupsOf(drops).map(entryOf)
}

/** The drops in the order in which the entries show them. */
export function dropsOf(entries: readonly InboxEntry[]): readonly ListedDrop[] {
  return entries.flatMap((entry) => (entry.is === 'drop' ? [entry.item] : entry.batch.items))
}

function entryOf({ key, items, asGiven }: BatchGroup<ListedDrop>): InboxEntry {
  const [newest, ...others] = asGiven
  if (newest === undefined) throw new Error('a group has a file')
  if (others.length === 0 || key === undefined) return { is: 'drop', item: newest }
  const { opaqueId, receivedAt, file } = newest
  const batch = {
    ...{ key, opaqueId, receivedAt, items, sender: file?.sender, note: file?.note },
    size: items.reduce((sum, drop) => sum + (drop.file?.size ?? 0), 0),
    announced: announcedCount(items),
  }
  return { is: 'batch', batch }
}
