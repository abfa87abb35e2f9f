import type { AccountId, DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Drop, Store, WriteTx } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import { isWithheld } from '../custody/verdicts.ts'
import type { Quota } from '../quota/quota.ts'
import type { Refuses } from '../refusals.ts'

/** What waits for its owner. To anybody else a drop is as if it were not there. */
interface InboxPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly quota: Quota
}

export type Inbox = ReturnType<typeof createInbox>

export function createInbox({ store, blobs, clock, quota }: InboxPorts) {
  /** Nothing owns the bytes any more; a receipt vouched for them, so they wait out the grace window. */
  async function letGo(tx: WriteTx, drop: Drop): Promise<void> {
    const at = clock.now()
    await quota.refund(tx, drop.accountId, drop.size, at)
    await noteChange(tx, drop.accountId, { name: 'drop.discarded', dropId: drop.dropId }, at)
    if (!(await tx.objects.move(drop.location, { from: 'kept', to: 'orphaned', at })))
      throw new Error('a pending drop had no object of its own')
  }

  return {
    async list(accountId: AccountId): Promise<readonly Drop[]> {
      return store.read((tx) => tx.drops.pendingOf(accountId))
    },

    /** The drop, once its bytes are known to be there whole, and to be given out. */
    async content(
      accountId: AccountId,
      dropId: DropId,
    ): Promise<Drop | Refuses<'drop_not_found' | 'blob_withheld' | 'storage_unavailable'>> {
      const { drop, standing } = await store.read(async (tx) => {
        const found = await tx.drops.find(dropId)
        return { drop: found, standing: found && (await tx.objects.statusOf(found.location, found.ciphertextHash)) }
      })
      if (drop?.accountId !== accountId) return { refused: 'drop_not_found' }
      if (standing?.isOnHold === true) return { refused: 'blob_withheld' }
      const isGiven = standing !== undefined && !isWithheld(standing)
      return isGiven && (await blobs.size(drop.location)) === drop.size ? drop : { refused: 'storage_unavailable' }
    },

    /** Gives the quota back at once; the link’s cap is not refunded. */
    async discard(accountId: AccountId, dropId: DropId): Promise<Refuses<'drop_not_found'> | undefined> {
      return store.write(async (tx) => {
        const drop = await tx.drops.remove(dropId, accountId, clock.now())
        if (drop === undefined) return { refused: 'drop_not_found' }
        await letGo(tx, drop)
        return undefined
      })
    },

    /** The account’s oldest that no adoption holds, as many as `most`; how many those were. */
    async discardSome(accountId: AccountId, most: number): Promise<number> {
      return store.write(async (tx) => {
        const drops = await tx.drops.removeSome(accountId, clock.now(), most)
        for (const drop of drops) await letGo(tx, drop)
        return drops.length
      })
    },

    /** Everything of one link that no adoption holds. */
    async discardOfLink(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      await store.write(async (tx) => {
        for (const drop of await tx.drops.removeOfLink(opaqueId, accountId, clock.now())) await letGo(tx, drop)
      })
    },
  }
}
