/**
 * The one place that numbers changes. Each account has its own count, and each number has an event. An asset also
 * stores the number of its last change, so the rows of assets are the feed. A change is noted in the transaction that
 * makes it: a reader sees both or neither.
 */
import type { AccountId, AlbumId, AssetId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { News } from '../../ports/node.ts'
import type { Change, NotedEvent, Store, WriteTx } from '../../ports/store.ts'

type PlainChange = Exclude<Change, { readonly name: 'asset.changed' }>

type NewEvent = Omit<NotedEvent, 'changeSeq'>

type Notes = ReturnType<typeof createNotes>

const notesIn = new WeakMap<WriteTx, Notes>()

function notesOf(tx: WriteTx): Notes {
  const notes = notesIn.get(tx) ?? createNotes(tx)
  notesIn.set(tx, notes)
  return notes
}

/** What one transaction notes. */
function createNotes(tx: WriteTx) {
  const noted = new Map<AccountId, Set<string>>()
  /** Notes that are not written yet. Those that nothing awaits in between are written together. */
  let gathered: { readonly events: NewEvent[]; readonly written: Promise<void> } | undefined

  function gather() {
    const events: NewEvent[] = []
    const written = Promise.resolve().then(() => {
      gathered = undefined
      return tx.changes.insertNextEvents(events)
    })
    return { events, written }
  }

  return {
    /** Those that have a new change. */
    accountIds: (): readonly AccountId[] => [...noted.keys()],

    /** Runs `write` for the first of equal changes: all of the transaction becomes visible at once. */
    async once(accountId: AccountId, change: string, write: () => Promise<void>): Promise<void> {
      const changes = noted.get(accountId) ?? new Set()
      if (changes.has(change)) return
      noted.set(accountId, changes.add(change))
      await write()
    },

    async write(event: NewEvent): Promise<void> {
      gathered ??= gather()
      gathered.events.push(event)
      await gathered.written
    },
  }
}

export async function noteChange(tx: WriteTx, accountId: AccountId, change: PlainChange, at: Instant): Promise<void> {
  const notes = notesOf(tx)
  await notes.once(accountId, JSON.stringify(change), () => notes.write({ accountId, change, at }))
}

export function noteLinkChange(
  tx: WriteTx,
  { accountId, opaqueId }: { readonly accountId: AccountId; readonly opaqueId: OpaqueId },
  at: Instant,
): Promise<void> {
  return noteChange(tx, accountId, { name: 'link.changed', opaqueId }, at)
}

/** An album that has another name, or is deleted. A new one shows with its first asset. */
export function noteAlbumChange(
  tx: WriteTx,
  { accountId, albumId }: { readonly accountId: AccountId; readonly albumId: AlbumId },
  at: Instant,
): Promise<void> {
  return noteChange(tx, accountId, { name: 'album.changed', albumId }, at)
}

/** May be called at any point of the transaction that changes the asset. */
export async function noteAssetChange(
  tx: WriteTx,
  { accountId, assetId }: { readonly accountId: AccountId; readonly assetId: AssetId },
  at: Instant,
): Promise<void> {
  await notesOf(tx).once(accountId, `asset.changed ${assetId}`, async () => {
    const changeSeq = await tx.changes.nextSeq(accountId)
    await tx.changes.numberAsset(assetId, changeSeq)
    await tx.changes.insertEvent({ accountId, changeSeq, at, change: { name: 'asset.changed', assetId, changeSeq } })
  })
}

/**
 * Wakes the listeners of an account's changes, on all nodes. It says only that there may be news. Listeners also look
 * on a timer, as commands raise no alarm, and news of other nodes can be lost.
 */
export interface Alarm {
  /** Calls `wake` after each commit of a node that changes the account. Returns what stops this. */
  listen(accountId: AccountId, wake: () => void): () => void
  /** The same store. Its commits raise the alarm. */
  over(store: Store): Store
}

export function createAlarm(news: News): Alarm {
  const listening = new Map<AccountId, Set<() => void>>()

  function ring(accountIds: Iterable<AccountId>): void {
    for (const accountId of accountIds) for (const wake of listening.get(accountId) ?? []) wake()
  }

  function raise(tx: WriteTx): void {
    const changed = notesOf(tx).accountIds()
    ring(changed)
    news.announce(changed)
  }

  news.onNews((accountIds = [...listening.keys()]) => ring(accountIds))

  return {
    listen(accountId, wake) {
      const wakes = listening.get(accountId) ?? new Set()
      listening.set(accountId, wakes.add(wake))
      return () => {
        wakes.delete(wake)
        if (wakes.size === 0) listening.delete(accountId)
      }
    },
    over: (store) => ({
      ...store,
      write: (locks, work) =>
        store.write(locks, (tx) => {
          tx.afterCommit(() => raise(tx))
          return work(tx)
        }),
    }),
  }
}
