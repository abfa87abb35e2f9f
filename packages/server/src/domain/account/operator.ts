import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Account, OwnLimits, ReadTx, Store, WriteTx } from '../../ports/store.ts'
import type { Quota, QuotaSnapshot } from '../quota/quota.ts'
import { canonicalEmail } from './accounts.ts'
import { takeAway } from './secondFactor.ts'

/** What only the operator does with accounts, by commands that run beside the server: each is one transaction. */
interface OperatorPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
}

/** An account as its operator sees it. */
export interface Standing {
  readonly account: Account
  readonly pendingDrops: number
  readonly quota: QuotaSnapshot
}

/** What is left out stays; `default` leaves it to the deployment. */
export interface LimitChanges {
  readonly softLimitBytes?: number | 'default' | undefined
  readonly hardLimitBytes?: number | 'default' | undefined
}

/** A soft limit above the hard one would never warn. Nothing was changed. */
interface LimitsCrossed {
  readonly refused: 'limits_crossed'
  readonly softLimitBytes: number
  readonly hardLimitBytes: number
}

const ACCOUNTS_AT_A_TIME = 500

export type Operator = ReturnType<typeof createOperator>

export function createOperator({ store, clock, quota }: OperatorPorts) {
  async function statusOf(tx: ReadTx, account: Account): Promise<Standing> {
    const pendingDrops = await tx.drops.countPending(account.accountId)
    return { account, pendingDrops, quota: quota.snapshot(account, clock.now()) }
  }

  async function standing(tx: ReadTx, accountId: AccountId): Promise<Standing> {
    const account = await tx.accounts.find(accountId)
    if (account === undefined) throw new Error('an account has gone within a transaction')
    return statusOf(tx, account)
  }

  /** Suspends, or ends it. An account that is so already stays as it is. */
  function setSuspended(
    named: string,
    isSuspended: boolean,
  ): Promise<(Standing & { readonly isChanged: boolean }) | undefined> {
    return store.write(async (tx) => {
      const account = await findNamed(tx, named)
      if (account === undefined) return undefined
      const isChanged = await tx.accounts.setSuspended(account.accountId, isSuspended ? clock.now() : undefined)
      return { ...(await standing(tx, account.accountId)), isChanged }
    })
  }

  return {
    /** All accounts by e-mail, in pages, so that none is held up by a long list. */
    async *list(): AsyncIterable<Standing> {
      let afterEmail: string | undefined
      do {
        const page = { afterEmail, max: ACCOUNTS_AT_A_TIME }
        const standings = await store.read(async (tx) => {
          const seen: Standing[] = []
          for (const account of await tx.accounts.list(page)) seen.push(await statusOf(tx, account))
          return seen
        })
        yield* standings
        afterEmail = standings.length < ACCOUNTS_AT_A_TIME ? undefined : standings.at(-1)?.account.email
      } while (afterEmail !== undefined)
    },

    /** By e-mail or account_id. */
    async find(named: string): Promise<Standing | undefined> {
      return store.read(async (tx) => {
        const account = await findNamed(tx, named)
        return account && statusOf(tx, account)
      })
    },

    /**
     * Takes a second factor away, with its backup codes, and lets steps be used again, as a clock that has been ahead may have used up those to come.
     * Says whether one was on.
     */
    async resetSecondFactor(named: string): Promise<(Standing & { readonly isChanged: boolean }) | undefined> {
      return store.write(async (tx) => {
        const account = await findNamed(tx, named)
        if (account === undefined) return undefined
        const { accountId, totpConfirmedAt } = account
        await takeAway(tx, accountId)
        await tx.secondFactors.forgetSteps(accountId)
        return { ...(await standing(tx, accountId)), isChanged: totpConfirmedAt !== undefined }
      })
    },

    suspend: (named: string) => setSuspended(named, true),
    resume: (named: string) => setSuspended(named, false),

    /** Changes an account's own limits. A hard one at or below its use begins the grace; one above it ends it. */
    async setLimits(named: string, changes: LimitChanges): Promise<Standing | LimitsCrossed | undefined> {
      return store.write(async (tx) => {
        const account = await findNamed(tx, named)
        if (account === undefined) return undefined
        const limits = changed(account, changes)
        const crossed = crossing(limits, quota.snapshot({ ...account, ...limits }, clock.now()))
        if (crossed !== undefined) return crossed
        await quota.setLimits(tx, account, limits, clock.now())
        return standing(tx, account.accountId)
      })
    },
  }
}

async function findNamed(tx: ReadTx | WriteTx, named: string): Promise<Account | undefined> {
  const accountId = parseAccountId(named)
  const account = await (accountId === undefined
    ? tx.accounts.findByEmail(canonicalEmail(named))
    : tx.accounts.find(accountId))
  // One that its owner has deleted is nobody's any more.
  return account?.deletedAt === undefined ? account : undefined
}

function changed(account: OwnLimits, { softLimitBytes, hardLimitBytes }: LimitChanges): OwnLimits {
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
