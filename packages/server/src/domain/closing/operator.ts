/** What the operator does with accounts, by commands that may run beside the server. Each is one transaction. */
import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { type Account, accountLock, type OwnLimits, type ReadTx, type Store, type WriteTx } from '../../ports/store.ts'
import { emailOf } from '../account/email.ts'
import { removeSecondFactor } from '../account/factorSetup.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { Quota, QuotaSnapshot } from '../quota/quota.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import { deleteIn } from './accountDeletion.ts'

interface OperatorPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly ending: Pick<UploadEnding, 'endOpen'>
}

/** An account as its operator sees it. */
export interface AccountStatus {
  readonly account: Account
  readonly pendingDrops: number
  readonly quota: QuotaSnapshot
}

/** A limit that is left out stays. `default` applies the limit of the deployment. */
export interface LimitChanges {
  readonly softLimitBytes?: number | 'default' | undefined
  readonly hardLimitBytes?: number | 'default' | undefined
}

/** The soft limit would be above the hard one, so it would never warn. Nothing was changed. */
interface LimitsCrossed {
  readonly refused: 'limits_crossed'
  readonly softLimitBytes: number
  readonly hardLimitBytes: number
}

const ACCOUNTS_AT_A_TIME = 500

export type Operator = ReturnType<typeof createOperator>

export function createOperator({ store, clock, quota, ending }: OperatorPorts) {
  async function statusOf(tx: ReadTx, account: Account): Promise<AccountStatus> {
    const pendingDrops = await tx.drops.countPending(account.accountId)
    return { account, pendingDrops, quota: quota.snapshot(account, clock.now()) }
  }

  async function presentStatus(tx: ReadTx, accountId: AccountId): Promise<AccountStatus> {
    const account = await tx.accounts.find(accountId)
    if (account === undefined) throw new Error('an account disappeared within a transaction')
    return statusOf(tx, account)
  }

  /** Runs `work` on the named account, under its lock. Undefined if there is none. */
  async function change<Result>(
    named: string,
    work: (tx: WriteTx, account: Account) => Promise<Result>,
  ): Promise<Result | undefined> {
    const found = await store.read((tx) => findNamed(tx, named))
    if (found === undefined) return undefined
    return store.write([accountLock(found.accountId)], async (tx) => {
      const account = await findNamed(tx, found.accountId)
      return account && work(tx, account)
    })
  }

  /** `isChanged` is false when the account was so before: it stays as it is. */
  function setSuspended(
    named: string,
    isSuspended: boolean,
  ): Promise<(AccountStatus & { readonly isChanged: boolean }) | undefined> {
    return change(named, async (tx, account) => {
      const isChanged = await tx.accounts.setSuspended(account.accountId, isSuspended ? clock.now() : undefined)
      return { ...(await presentStatus(tx, account.accountId)), isChanged }
    })
  }

  return {
    /** All accounts, ordered by e-mail. Reads them in pages, so a long list delays no other work. */
    async *list(): AsyncIterable<AccountStatus> {
      let afterEmail: string | undefined
      do {
        const page = { afterEmail, max: ACCOUNTS_AT_A_TIME }
        const statuses = await store.read(async (tx) => {
          const seen: AccountStatus[] = []
          for (const account of await tx.accounts.list(page)) seen.push(await statusOf(tx, account))
          return seen
        })
        yield* statuses
        afterEmail = statuses.length < ACCOUNTS_AT_A_TIME ? undefined : statuses.at(-1)?.account.email
      } while (afterEmail !== undefined)
    },

    /** By e-mail or account_id. */
    async find(named: string): Promise<AccountStatus | undefined> {
      return store.read(async (tx) => {
        const account = await findNamed(tx, named)
        return account && statusOf(tx, account)
      })
    },

    /**
     * Removes a second factor and its backup codes. Forgets the time steps that were used, as a clock that was ahead
     * may have used up future ones. `isChanged` says whether a factor was on.
     */
    async resetSecondFactor(named: string): Promise<(AccountStatus & { readonly isChanged: boolean }) | undefined> {
      return change(named, async (tx, account) => {
        const { accountId, totpConfirmedAt } = account
        await removeSecondFactor(tx, accountId)
        await tx.secondFactors.forgetSteps(accountId)
        return { ...(await presentStatus(tx, accountId)), isChanged: totpConfirmedAt !== undefined }
      })
    },

    /**
     * Deletes an account, as its owner would. A running server frees its bytes with its next sweep, and its uploads end
     * with their next chunk. Refuses, and changes nothing, while an asset is retained.
     */
    remove: (named: string) => change(named, (tx, account) => deleteIn(tx, account, { at: clock.now(), ending })),

    suspend: (named: string) => setSuspended(named, true),
    resume: (named: string) => setSuspended(named, false),

    /** Changes an account's limits. A hard limit at or below its use begins the grace; one above ends it. */
    async setLimits(named: string, changes: LimitChanges): Promise<AccountStatus | LimitsCrossed | undefined> {
      return change(named, async (tx, account) => {
        const limits = limitsAfter(account, changes)
        const crossed = crossing(limits, quota.snapshot({ ...account, ...limits }, clock.now()))
        if (crossed !== undefined) return crossed
        await quota.setLimits(tx, account, limits, clock.now())
        return presentStatus(tx, account.accountId)
      })
    },
  }
}

async function findNamed(tx: ReadTx | WriteTx, named: string): Promise<Account | undefined> {
  const accountId = parseAccountId(named)
  const email = emailOf(named)
  const byEmail = async () => (isRefusal(email) ? undefined : tx.accounts.findByEmail(email))
  const account = await (accountId === undefined ? byEmail() : tx.accounts.find(accountId))
  // The row of a deleted account stays, but the operator can do nothing with it.
  return account?.deletedAt === undefined ? account : undefined
}

function limitsAfter(account: OwnLimits, { softLimitBytes, hardLimitBytes }: LimitChanges): OwnLimits {
  const next = (change: number | 'default' | undefined, present: number | undefined) =>
    change === 'default' ? undefined : (change ?? present)
  return {
    softLimitBytes: next(softLimitBytes, account.softLimitBytes),
    hardLimitBytes: next(hardLimitBytes, account.hardLimitBytes),
  }
}

function crossing({ softLimitBytes }: OwnLimits, { hardLimit }: QuotaSnapshot): LimitsCrossed | undefined {
  return softLimitBytes !== undefined && hardLimit !== undefined && softLimitBytes > hardLimit
    ? { refused: 'limits_crossed', softLimitBytes, hardLimitBytes: hardLimit }
    : undefined
}
