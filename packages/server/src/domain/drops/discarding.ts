/** Discards pending drops: they go to the bin, and the collector gets the bytes. A link's cap is not given back. */
import type { AccountId, DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type Drop, type Store, type WriteTx } from '../../ports/store.ts'
import type { Bin } from '../bin/bin.ts'
import { noteChange } from '../changes/changes.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { Quota } from '../quota/quota.ts'

export interface DiscardingPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly bin: Pick<Bin, 'take'>
}

/** A transaction of a hundred takes about 30 ms, in which no other request is answered. */
export const MAX_DISCARDED_AT_ONCE = 100

export function createDiscarding({ store, clock, quota, bin }: DiscardingPorts) {
  /** A receipt vouches for the bytes, so the object is orphaned: it waits out the grace window. */
  async function release(tx: WriteTx, drop: Drop, isFinal: boolean): Promise<void> {
    const at = clock.now()
    const { accountId, dropId: entryId, size } = drop
    if (isFinal) await quota.refund(tx, accountId, size, at)
    else await bin.take(tx, { accountId, entryId, size, deletedAt: at, removed: { drop } })
    await noteChange(tx, drop.accountId, { name: 'drop.discarded', dropId: drop.dropId }, at)
    if (!(await tx.objects.move(drop.location, { from: 'kept', to: 'orphaned', at })))
      throw new Error('a pending drop has no kept object')
  }

  /** Discards what `remove` has removed from the inbox. Returns how many. */
  async function discardThose(
    accountId: AccountId,
    remove: (tx: WriteTx) => Promise<readonly Drop[]>,
    { isFinal = false } = {},
  ): Promise<number> {
    return store.write([accountLock(accountId)], async (tx) => {
      const drops = await remove(tx)
      for (const drop of drops) await release(tx, drop, isFinal)
      return drops.length
    })
  }

  return {
    async discard(accountId: AccountId, dropId: DropId): Promise<Refuses<'drop_not_found'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const drop = await tx.drops.remove(dropId, accountId, clock.now())
        if (drop === undefined) return { refused: 'drop_not_found' }
        await release(tx, drop, false)
        return undefined
      })
    },

    /** Discards the oldest drops of a deleted account that no adoption holds, at most `max`. Returns how many. */
    discardSome: (accountId: AccountId, max: number): Promise<number> =>
      discardThose(accountId, (tx) => tx.drops.removeSome(accountId, clock.now(), max), { isFinal: true }),

    /** Discards a link's drops without an adoption, in steps that serve others. Later landings may stay. */
    async discardOfLink(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      const [max, pending] = [MAX_DISCARDED_AT_ONCE, await store.ask((tx) => tx.drops.countPending(accountId))]
      for (let left = pending; left > 0; left -= max) {
        const remove = (tx: WriteTx) => tx.drops.removeOfLink(opaqueId, accountId, clock.now(), max)
        if ((await discardThose(accountId, remove)) < max) return
      }
    },
  }
}
