/** What an owner has to hear of the inbox beside what lands: that it is nearly full, and that guests could not send. */
import { type AccountId, addSeconds } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { accountLock, type Refusals, type Store } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { InboxSettings } from './inboxRoom.ts'

/** An event of each kind in an hour, so that channels tell of a flood once. */
const HOUR_SECONDS = 3600
const REFUSALS_SECONDS = 7 * 86_400
/** Each refusal that is counted is a write. Beyond these in a quarter of an hour the count stays. */
const COUNTED = { max: 60, windowSeconds: 900 }

interface NoticePorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Limiter
  readonly notifier: Pick<Notifier, 'landed'>
}

export type OwnerNotices = ReturnType<typeof createOwnerNotices>

export function createOwnerNotices({ store, clock, limiter, notifier }: NoticePorts, { inboxFilesMax }: InboxSettings) {
  return {
    /** A guest's file found no room. */
    async refused(accountId: AccountId, why: RefusedBecause): Promise<void> {
      if ((await limiter.take([{ ...COUNTED, rule: 'refusals-of-account', key: accountId }])) !== undefined) return
      const at = clock.now()
      const isFirst = await store.write([accountLock(accountId)], async (tx) => {
        const refusals = await tx.accounts.noteRefusal(accountId, { why, at, since: addSeconds(at, -HOUR_SECONDS) })
        if (refusals?.count !== 1) return false
        await noteChange(tx, accountId, { name: 'drop.refused' }, at)
        return true
      })
      if (isFirst) notifier.landed(accountId)
    },

    async nearlyFull(accountId: AccountId): Promise<void> {
      const once = { rule: 'nearly-full-of-account', key: accountId, max: 1, windowSeconds: HOUR_SECONDS }
      if ((await limiter.take([once])) !== undefined) return
      const at = clock.now()
      await store.write([accountLock(accountId)], (tx) => noteChange(tx, accountId, { name: 'inbox.nearly_full' }, at))
      notifier.landed(accountId)
    },

    /** How full the inbox is, and what there was no room for in the last week. */
    async standing(
      accountId: AccountId,
    ): Promise<{ readonly waiting: number; readonly room: number; readonly refusals: Refusals | undefined }> {
      const [waiting, refusals] = await Promise.all([
        store.ask((tx) => tx.drops.countPending(accountId)),
        store.ask((tx) => tx.accounts.refusals(accountId)),
      ])
      const isRecent = refusals !== undefined && refusals.lastAt > addSeconds(clock.now(), -REFUSALS_SECONDS)
      return { waiting, room: inboxFilesMax, refusals: isRecent ? refusals : undefined }
    },
  }
}
