import type { AccountId, AssetId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Change, Store, WriteTx } from '../../ports/store.ts'

/**
 * The one place that numbers changes. Each account counts its own, and every number has an event under which it is told. An asset carries the number
 * of its last change besides, so that its rows are the feed. A change is noted in the very transaction that makes it: who reads sees both or neither.
 */
type PlainChange = Exclude<Change, { readonly name: 'asset.changed' }>

/** What a transaction has noted already: the same again would tell nothing, as all of it becomes visible at once. */
const notedIn = new WeakMap<WriteTx, Map<AccountId, Set<string>>>()

export async function noteChange(tx: WriteTx, accountId: AccountId, change: PlainChange, at: Instant): Promise<void> {
  if (isNoted(tx, accountId, JSON.stringify(change))) return
  await tx.changes.insertEvent({ accountId, changeSeq: await tx.changes.nextSeq(accountId), at, change })
}

export function noteLinkChange(
  tx: WriteTx,
  { accountId, opaqueId }: { readonly accountId: AccountId; readonly opaqueId: OpaqueId },
  at: Instant,
): Promise<void> {
  return noteChange(tx, accountId, { name: 'link.changed', opaqueId }, at)
}

/** Once the asset is as it will be when the transaction commits, or before. */
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
  const ofAccounts = notedIn.get(tx) ?? new Map<AccountId, Set<string>>()
  const ofAccount = ofAccounts.get(accountId) ?? new Set<string>()
  const isRepeat = ofAccount.has(change)
  notedIn.set(tx, ofAccounts.set(accountId, ofAccount.add(change)))
  return isRepeat
}

/** Wakes those who listen for an account's changes. A word to look now, and no more: what it misses is found by who looks by the clock. */
export interface Alarm {
  /** `wake` is called after commits of this process that changed something for the account, until the answer is called. */
  listen(accountId: AccountId, wake: () => void): () => void
  /** The same store, whose commits raise the alarm. */
  over(store: Store): Store
}

export function createAlarm(): Alarm {
  const listening = new Map<AccountId, Set<() => void>>()

  function raise(tx: WriteTx): void {
    for (const accountId of notedIn.get(tx)?.keys() ?? []) for (const wake of listening.get(accountId) ?? []) wake()
  }

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
      read: (work) => store.read(work),
      async write(work) {
        let last: WriteTx | undefined
        const result = await store.write((tx) => {
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
