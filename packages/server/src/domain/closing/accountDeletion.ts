/**
 * Deletes an account. One transaction removes the personal data and every way to sign in. Small steps then remove the
 * drops and assets, by the functions that discard drops and delete assets. So the used bytes equal the sum of the rows,
 * and every object has its state, wherever the process dies.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { type Account, accountLock, isStoreBroken, type Store, type Upload, type WriteTx } from '../../ports/store.ts'
import type { Accounts } from '../account/accounts.ts'
import type { FactorCodes } from '../account/factorCodes.ts'
import type { KeyHash } from '../account/proofs.ts'
import type { Assets } from '../assets/assets.ts'
import { signedRetention } from '../assets/retention.ts'
import type { Bin } from '../bin/bin.ts'
import type { Inbox } from '../drops/inbox.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

interface AccountDeletionPorts {
  readonly store: Store
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
  readonly inbox: Pick<Inbox, 'discardSome'>
  readonly assets: Pick<Assets, 'removeSome'>
  readonly bin: Pick<Bin, 'endSome'>
  readonly ending: Pick<UploadEnding, 'endOpen'>
  /** Called after a commit that leaves an account to be emptied. */
  readonly onDeleted: () => void
}

/** Open sessions, drops or assets that one transaction frees. It keeps the transaction short. */
const MAX_STEP = 50
/** Each share ends in its own transaction, as its contents may be long. */
const MAX_SHARES_STEP = 10
/** For one account in one call. This and the next bound keep the sweep short. */
const MAX_STEPS = 200
const MAX_ACCOUNTS = 100

export interface DeletionRequest {
  readonly provedKey: KeyHash
  /** Of the second factor, as it was typed. */
  readonly code: string | undefined
  readonly source: string | undefined
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

export function createAccountDeletion({
  store,
  clock,
  accounts,
  codes,
  inbox,
  assets,
  bin,
  ending,
  onDeleted,
}: AccountDeletionPorts) {
  async function endSomeShares(accountId: AccountId): Promise<number> {
    let ended = 0
    while (ended < MAX_SHARES_STEP && (await endOneShare(accountId))) ended += 1
    return ended
  }

  async function endOneShare(accountId: AccountId): Promise<boolean> {
    return (await store.write([accountLock(accountId)], (tx) => tx.shares.endSomeOf(accountId, clock.now(), 1))) > 0
  }

  async function endSomeUploads(accountId: AccountId): Promise<number> {
    return store.write([accountLock(accountId)], (tx) => endSomeOpen(tx, accountId, clock.now(), ending))
  }

  /** False when there is nothing left that can be freed now. */
  async function freeSome(accountId: AccountId): Promise<boolean> {
    const uploads = await endSomeUploads(accountId)
    const shares = await endSomeShares(accountId)
    const drops = await inbox.discardSome(accountId, MAX_STEP)
    const removed = await assets.removeSome(accountId, MAX_STEP)
    return uploads + shares + drops + removed + (await bin.endSome(accountId)) > 0
  }

  async function empty(accountId: AccountId): Promise<void> {
    let steps = 0
    while (steps < MAX_STEPS && (await freeSome(accountId))) steps += 1
    await store.write([accountLock(accountId)], (tx) => tx.accountDeletions.finish(accountId, clock.now()))
  }

  return {
    /**
     * Deletes the account when its key was proved, and a code where a second factor is on. When this resolves, all its
     * sessions have ended, and its links and open uploads take nothing more. A guest's upload that is finishing still
     * gets its receipt, and is freed afterwards; an owner's may fail, as its slot no longer exists. Refuses, and
     * changes nothing, while an asset is retained, or is about to be.
     */
    async begin(
      account: Account,
      { provedKey, code, source }: DeletionRequest,
    ): Promise<Refuses<'credentials_wrong' | 'attempts_limited' | 'totp_code_wrong' | 'asset_retained'> | undefined> {
      const refused = await accounts.requireSignInKey(account, provedKey, source)
      if (refused !== undefined) return refused
      const { accountId } = account
      const outcome = await codes.checkIfGiven(accountId, { code, source }, (canonical) =>
        store.write([accountLock(accountId)], async (tx) =>
          (await codes.mayAct(tx, accountId, canonical))
            ? deleteIn(tx, account, { at: clock.now(), ending })
            : ('wrong' as const),
        ),
      )
      if (outcome === 'wrong') return { refused: 'totp_code_wrong' }
      if (isRefusal(outcome)) return outcome
      onDeleted()
      return undefined
    },

    /** Frees what deleted accounts still hold: after each deletion and in sweeps, as processes die half-way. */
    async resume(): Promise<void> {
      await tryEachInTurn(
        await store.read((tx) => tx.accountDeletions.listUnfinished(MAX_ACCOUNTS)),
        empty,
        isStoreBroken,
      )
    },
  }
}

/**
 * The deletion itself, under the account's lock. The owner and the operator begin it with the same words. Refused, the
 * transaction changes nothing. `credentials_wrong`: the account is deleted already, or has another key than
 * `account`.
 */
export async function deleteIn(
  tx: WriteTx,
  { accountId, signInKeyHash }: Account,
  { at, ending }: { readonly at: Instant; readonly ending: Pick<UploadEnding, 'endOpen'> },
): Promise<Pick<Account, 'accountId'> | Refuses<'credentials_wrong' | 'asset_retained'>> {
  const isBegun = signInKeyHash && (await tx.accountDeletions.begin({ accountId, signInKeyHash, at }))
  if (isBegun !== true) return { refused: 'credentials_wrong' }
  const retainedUntil = (await tx.assets.retainedUntil(accountId)) ?? at
  const finishing = await tx.uploads.finishingOfAccount(accountId)
  if (retainedUntil > at || finishing.some((upload) => willBeRetained(upload, at))) return { refused: 'asset_retained' }
  await endSomeOpen(tx, accountId, at, ending)
  return { accountId }
}

async function endSomeOpen(
  tx: WriteTx,
  accountId: AccountId,
  at: Instant,
  ending: Pick<UploadEnding, 'endOpen'>,
): Promise<number> {
  return (await ending.endOpen(tx, await tx.uploads.openOfAccount(accountId, MAX_STEP), at)).length
}

/** A finishing provenance counts as landed: the deletion does not stop it. Originals keep up present blobs only. */
function willBeRetained(upload: Upload, at: Instant): boolean {
  return upload.assetId !== undefined && (signedRetention(upload) ?? at) > at
}
