import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'
import type { Account, Store, Upload } from '../ports/store.ts'
import type { Accounts } from './accounts.ts'
import type { Assets } from './assets.ts'
import { eachInTurn } from './eachInTurn.ts'
import type { Inbox } from './inbox.ts'
import { retentionOf } from './place.ts'
import { isRefusal, type Refuses } from './refusals.ts'
import type { UploadEnding } from './uploadEnding.ts'

/**
 * An account whose owner deletes it. One transaction takes away who it was and shuts every door; what it held is then let go of in small steps by
 * the functions that discard drops and delete assets, so that use equals rows and every copy has its state at each moment, however it is interrupted.
 */
interface DeparturePorts {
  readonly store: Store
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'requireSecret'>
  readonly inbox: Pick<Inbox, 'discardSome'>
  readonly assets: Pick<Assets, 'removeSome'>
  readonly ending: Pick<UploadEnding, 'closeAll' | 'afterClose'>
  /** Told after a commit that left an account to be emptied. */
  readonly onDeparted: () => void
}

/** Let go of in one transaction, so that it is never a long one. */
const STEP_MOST = 50
/** Each in a transaction of its own, as a share may have ten thousand hashes. */
const SHARES_STEP_MOST = 10
/** Of one account in one turn, so that the sweep is never a long one either. */
const STEPS_MOST = 200
const ACCOUNTS_MOST = 100

export type Departure = ReturnType<typeof createDeparture>

export function createDeparture({ store, clock, accounts, inbox, assets, ending, onDeparted }: DeparturePorts) {
  async function endSomeShares(accountId: AccountId): Promise<number> {
    let ended = 0
    while (ended < SHARES_STEP_MOST && (await endOneShare(accountId))) ended += 1
    return ended
  }

  async function endOneShare(accountId: AccountId): Promise<boolean> {
    return (await store.write((tx) => tx.shares.endSomeOf(accountId, clock.now(), 1))) > 0
  }

  /** Lets go of some of what is left. False when nothing is there that can be let go of now. */
  async function step(accountId: AccountId): Promise<boolean> {
    const shares = await endSomeShares(accountId)
    const drops = await inbox.discardSome(accountId, STEP_MOST)
    const left = await assets.removeSome(accountId, STEP_MOST)
    return shares + drops + left > 0
  }

  async function emptyOne(accountId: AccountId): Promise<void> {
    let steps = 0
    while (steps < STEPS_MOST && (await step(accountId))) steps += 1
    await store.write((tx) => tx.departures.finish(accountId, clock.now()))
  }

  return {
    /**
     * Deletes the account, for whoever knows its secret. When this resolves nobody is signed in to it, and nothing comes in through its links.
     * A guest's file that is finishing goes on to its receipt, and is let go of afterwards; an owner's may find no place to land. Nothing is changed while an asset is retained, or about to be.
     */
    async leave(
      account: Account,
      secret: string,
      source: string | undefined,
    ): Promise<Refuses<'credentials_wrong' | 'attempts_limited' | 'asset_retained'> | undefined> {
      const refused = await accounts.requireSecret(account, secret, source)
      if (refused !== undefined) return refused
      const { accountId, secretHash } = account
      const at = clock.now()
      const outcome = await store.write(async (tx) => {
        if (!(await tx.departures.leave({ accountId, secretHash, at })))
          return { refused: 'credentials_wrong' } as const
        const retainedUntil = (await tx.assets.retainedUntil(accountId)) ?? at
        const unclosed = await tx.uploads.unclosedOfAccount(accountId)
        if (retainedUntil > at || unclosed.some((upload) => willBeRetained(upload, at)))
          return { refused: 'asset_retained' } as const
        return { closed: await ending.closeAll(tx, unclosed, at) }
      })
      if (isRefusal(outcome)) return outcome
      ending.afterClose(outcome.closed)
      onDeparted()
      return undefined
    },

    /** Goes on with what deleted accounts still hold: after each deletion, and in every sweep, as a process may die in the middle of it. */
    async empty(): Promise<void> {
      await eachInTurn(await store.read((tx) => tx.departures.waiting(ACCOUNTS_MOST)), emptyOne)
    },
  }
}

/** Nothing leaves the finishing state but by landing: what is in it counts as landed. */
function willBeRetained(upload: Upload, at: number): boolean {
  return upload.state === 'finishing' && upload.assetId !== undefined && retentionOf(upload.envelope) > at
}
