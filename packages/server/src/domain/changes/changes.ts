/**
 * The one place that numbers changes. Each account has its own count, and each number has an event. An asset also
 * stores the number of its last change, so the rows of assets are the feed. A change is noted in the transaction that
 * makes it: a reader sees both or neither.
 */
import type { AccountId, AlbumId, AssetId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { News } from '../../ports/node.ts'
import type { Change, Store, WriteTx } from '../../ports/store.ts'

type PlainChange = Exclude<Change, { readonly name: 'asset.changed' }>

/** What a transaction has noted already. It notes each change once, as all of it becomes visible at once. */
const notedIn = new WeakMap<WriteTx, Map<AccountId, Set<string>>>()

interface Gathered {
  readonly events: { readonly accountId: AccountId; readonly change: PlainChange; readonly at: Instant }[]
  readonly written: Promise<void>
}

/** Notes that are not written yet. Those that nothing awaits in between are written together. */
const gatheredIn = new WeakMap<WriteTx, Gathered>()

export async function noteChange(tx: WriteTx, accountId: AccountId, change: PlainChange, at: Instant): Promise<void> {
  if (isNoted(tx, accountId, JSON.stringify(change))) return
  const gathered = gatheredIn.get(tx) ?? gather(tx)
  gathered.events.push({ accountId, change, at })
  await gathered.written
}

function gather(tx: WriteTx): Gathered {
  const events: Gathered['events'] = []
  const written = Promise.resolve().then(() => {
    gatheredIn.delete(tx)
    return tx.changes.insertNextEvents(events)
  })
  const gathered = { events, written }
  gatheredIn.set(tx, gathered)
  return gathered
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
  if (isNoted(tx, accountId, `asset.changed ${assetId}`)) return
  const changeSeq = await tx.changes.nextSeq(accountId)
  await tx.changes.numberAsset(assetId, changeSeq)
  await tx.changes.insertEvent({ accountId, changeSeq, at, change: { name: 'asset.changed', assetId, changeSeq } })
}

function isNoted(tx: WriteTx, accountId: AccountId, change: string): boolean {
  const byAccount = notedIn.get(tx) ?? new Map<AccountId, Set<string>>()
  const noted = byAccount.get(accountId) ?? new Set<string>()
  const isRepeat = noted.has(change)
  notedIn.set(tx, byAccount.set(accountId, noted.add(change)))
  return isRepeat
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
    const changed = [...(notedIn.get(tx)?.keys() ?? [])]
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
      mayLoseOutcome: store.mayLoseOutcome,
      read: (work) => store.read(work),
      ask: (work) => store.ask(work),
      look: () => store.look(),
      async write(locks, work) {
        let last: WriteTx | undefined
        const result = await store.write(locks, (tx) => {
          last = tx
          return work(tx)
        })
        if (last !== undefined) raise(last)
        return result
      },
      withReceiptLogLock: (work) => store.withReceiptLogLock(work),
      close: () => store.close(),
    }),
  }
}
