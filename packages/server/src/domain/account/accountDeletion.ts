import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Account, Store, Upload } from '../../ports/store.ts'
import type { Assets } from '../assets/assets.ts'
import { retentionOf } from '../assets/slot.ts'
import type { Inbox } from '../drops/inbox.ts'
import { eachInTurn } from '../eachInTurn.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Accounts } from './accounts.ts'

/**
 * An account whose owner deletes it. One transaction takes away who it was and shuts every door; what it held is then let go of in small steps by
 * the functions that discard drops and delete assets, so that use equals rows and every object has its state at each moment, however it is interrupted.
 */
interface AccountDeletionPorts {
  readonly store: Store
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'requireSecret'>
  readonly inbox: Pick<Inbox, 'discardSome'>
  readonly assets: Pick<Assets, 'removeSome'>
  readonly ending: Pick<UploadEnding, 'closeAll' | 'afterClose'>
  /** CappedList after a commit that left an account to be emptied. */
  readonly onDeleted: () => void
}

/** Let go of in one transaction, so that it is never a long one. */
const MAX_STEP = 50
/** Each in a transaction of its own, as a share may have ten thousand hashes. */
const MAX_SHARES_STEP = 10
/** Of one account in one turn, so that the sweep is never a long one either. */
const MAX_STEPS = 200
const MAX_ACCOUNTS = 100

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

export function createAccountDeletion({
  store,
  clock,
  accounts,
  inbox,
  assets,
  ending,
  onDeleted,
}: AccountDeletionPorts) {
  async function endSomeShares(accountId: AccountId): Promise<number> {
    let ended = 0
    while (ended < MAX_SHARES_STEP && (await endOneShare(accountId))) ended += 1
    return ended
  }

  async function endOneShare(accountId: AccountId): Promise<boolean> {
    return (await store.write((tx) => tx.shares.endSomeOf(accountId, clock.now(), 1))) > 0
  }

  /** Lets go of some of what is left. False when nothing is there that can be let go of now. */
  async function step(accountId: AccountId): Promise<boolean> {
    const shares = await endSomeShares(accountId)
    const drops = await inbox.discardSome(accountId, MAX_STEP)
    const left = await assets.removeSome(accountId, MAX_STEP)
    return shares + drops + left > 0
  }

  async function emptyOne(accountId: AccountId): Promise<void> {
    let steps = 0
    while (steps < MAX_STEPS && (await step(accountId))) steps += 1
    await store.write((tx) => tx.accountDeletions.finish(accountId, clock.now()))
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
        if (!(await tx.accountDeletions.begin({ accountId, secretHash, at })))
          return { refused: 'credentials_wrong' } as const
        const retainedUntil = (await tx.assets.retainedUntil(accountId)) ?? at
        const unclosed = await tx.uploads.unclosedOfAccount(accountId)
        if (retainedUntil > at || unclosed.some((upload) => willBeRetained(upload, at)))
          return { refused: 'asset_retained' } as const
        return { closed: await ending.closeAll(tx, unclosed, at) }
      })
      if (isRefusal(outcome)) return outcome
      ending.afterClose(outcome.closed)
      onDeleted()
      return undefined
    },

    /** Goes on with what deleted accounts still hold: after each deletion, and in every sweep, as a process may die in the middle of it. */
    async empty(): Promise<void> {
      await eachInTurn(await store.read((tx) => tx.accountDeletions.waiting(MAX_ACCOUNTS)), emptyOne)
    },
  }
}

/** Nothing leaves the finishing state but by landing: what is in it counts as landed. */
function willBeRetained(upload: Upload, at: number): boolean {
  return upload.state === 'finishing' && upload.assetId !== undefined && retentionOf(upload.envelope) > at
}
