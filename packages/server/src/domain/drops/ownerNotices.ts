/** What an owner has to hear of the inbox beside what lands: that it is nearly full, and that guests could not send. */
import { type AccountId, addSeconds } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { accountLock, type Refusals, type Store } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { InboxSettings } from './inboxRoom.ts'

/** An event of each kind and reason in an hour, so that channels tell of a flood once. */
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
  /** The first one in an hour is heard by the owner's channels. One that could not be written does not count. */
  async function note(
    { rule, key, accountId }: { readonly rule: string; readonly key: string; readonly accountId: AccountId },
    write: (isFirst: boolean) => Promise<unknown>,
  ): Promise<void> {
    const hourly = [{ rule, key, max: 1, windowSeconds: HOUR_SECONDS }]
    const isFirst = (await limiter.take(hourly)) === undefined
    try {
      await write(isFirst)
    } catch (error) {
      if (isFirst) await limiter.giveBack(hourly).catch(() => undefined)
      throw error
    }
    if (isFirst) notifier.landed(accountId)
  }

  return {
    /** A guest's file found no room. */
    async refused(accountId: AccountId, why: RefusedBecause): Promise<void> {
      if ((await limiter.take([{ ...COUNTED, rule: 'refusals-of-account', key: accountId }])) !== undefined) return
      // Not by the account's count, which begins again with each other reason.
      const message = { rule: 'refusal-message-of-account', key: `${accountId} ${why}`, accountId }
      await note(message, (isNews) =>
        store.write([accountLock(accountId)], async (tx) => {
          const at = clock.now()
          const noted = await tx.accounts.noteRefusal(accountId, { why, at, since: addSeconds(at, -HOUR_SECONDS) })
          if (noted !== undefined && isNews) await noteChange(tx, accountId, { name: 'drop.refused' }, at)
        }),
      )
    },

    async nearlyFull(accountId: AccountId): Promise<void> {
      await note({ rule: 'nearly-full-of-account', key: accountId, accountId }, async (isFirst) => {
        if (!isFirst) return
        await store.write([accountLock(accountId)], (tx) =>
          noteChange(tx, accountId, { name: 'inbox.nearly_full' }, clock.now()),
        )
      })
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
