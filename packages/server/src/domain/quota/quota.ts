import { type AccountId, addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { Account, OwnLimits, WriteTx } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import type { Refuses } from '../refusals.ts'

/**
 * The one place where an account's use changes. It always equals the declared sizes of its open sessions, its pending drops and its assets' objects:
 * a session is charged when it is created, what it lands as keeps the charge, and whoever ends or discards it gives the charge back.
 */
export interface QuotaSettings {
  readonly softBytes: number | undefined
  readonly hardBytes: number | undefined
  readonly graceDays: number
}

export interface QuotaSnapshot {
  readonly used: number
  readonly softLimit: number | undefined
  readonly hardLimit: number | undefined
  readonly state: QuotaState
  /** When the grace is over, or was; undefined below the hard limit. */
  readonly graceEnds: Instant | undefined
}

/** A hard limit of an account's own that is none, whatever the deployment's: what a number can say exactly is the limit then. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

interface Limits {
  readonly softLimit: number | undefined
  readonly hardLimit: number | undefined
}

const QUOTA_CHANGED = { name: 'quota.changed' } as const

export type Quota = ReturnType<typeof createQuota>

export function createQuota(settings: QuotaSettings) {
  /** A hard limit of the account's own takes the place of both of the deployment's. The soft one is the hard one where there is none, and never above it. */
  function limitsOf(account: Account): Limits {
    const hard = account.hardLimitBytes ?? settings.hardBytes
    const hardLimit = hard === UNLIMITED ? undefined : hard
    const deploymentSoft = account.hardLimitBytes === undefined ? settings.softBytes : undefined
    const soft = account.softLimitBytes ?? deploymentSoft ?? hardLimit
    const isAbove = soft !== undefined && hardLimit !== undefined && soft > hardLimit
    return { hardLimit, softLimit: isAbove ? hardLimit : soft }
  }

  function exceeds(account: Account): boolean {
    const { hardLimit } = limitsOf(account)
    return hardLimit !== undefined && account.usedBytes >= hardLimit
  }

  /** Since when the use has been at or over the limit: what was noted before, if it was so before the change too. */
  async function noteExcess(tx: WriteTx, before: Account, at: Instant): Promise<void> {
    const account = await tx.accounts.find(before.accountId)
    if (account === undefined) return
    const since = exceeds(account) ? ((exceeds(before) ? before.exceededSince : undefined) ?? at) : undefined
    if (since !== before.exceededSince) await tx.accounts.setExceededSince(account.accountId, since)
  }

  return {
    /** Charges `bytes`, or nothing. Part of the transaction that creates what is charged for. */
    async charge(
      tx: WriteTx,
      accountId: AccountId,
      bytes: number,
      at: Instant,
    ): Promise<Refuses<'quota_exceeded'> | undefined> {
      const before = await tx.accounts.find(accountId)
      if (before === undefined) throw new Error('an account has gone within a transaction')
      const { hardLimit } = limitsOf(before)
      if (!(await tx.accounts.charge(accountId, bytes, hardLimit))) return { refused: 'quota_exceeded' }
      if (hardLimit !== undefined) await noteExcess(tx, before, at)
      await noteChange(tx, accountId, QUOTA_CHANGED, at)
      return undefined
    },

    /** Gives `bytes` back. Part of the transaction that ends what was charged for. */
    async refund(tx: WriteTx, accountId: AccountId, bytes: number, at: Instant): Promise<void> {
      const before = await tx.accounts.find(accountId)
      await tx.accounts.refund(accountId, bytes)
      if (before !== undefined) await noteExcess(tx, before, at)
      await noteChange(tx, accountId, QUOTA_CHANGED, at)
    },

    /** Gives an account limits of its own. A hard one at or below its use begins the grace, one above it ends it. */
    async setLimits(tx: WriteTx, account: Account, limits: OwnLimits, at: Instant): Promise<void> {
      await tx.accounts.setLimits(account.accountId, limits)
      await noteExcess(tx, account, at)
      await noteChange(tx, account.accountId, QUOTA_CHANGED, at)
    },

    /** Whether what is noted of the excess is what the limits say. It is not after a start with other limits of the deployment. */
    isNoted: (account: Account): boolean => exceeds(account) === (account.exceededSince !== undefined),

    /** Notes it. The grace begins now, as nobody was told before. */
    async note(tx: WriteTx, accountId: AccountId, at: Instant): Promise<void> {
      const account = await tx.accounts.find(accountId)
      if (account === undefined) return
      await noteExcess(tx, account, at)
      await noteChange(tx, accountId, QUOTA_CHANGED, at)
    },

    snapshot(account: Account, now: Instant): QuotaSnapshot {
      const { softLimit, hardLimit } = limitsOf(account)
      const graceEnds = exceeds(account)
        ? addSeconds(account.exceededSince ?? now, settings.graceDays * 86_400)
        : undefined
      const used = account.usedBytes
      return { used, softLimit, hardLimit, graceEnds, state: stateOf(used, { softLimit, graceEnds, now }) }
    },
  }
}

function stateOf(
  used: number,
  {
    softLimit,
    graceEnds,
    now,
  }: { readonly softLimit: number | undefined; readonly graceEnds: Instant | undefined; readonly now: Instant },
): QuotaState {
  if (graceEnds !== undefined) return now > graceEnds ? 'grace_expired' : 'hard_exceeded'
  return softLimit !== undefined && used >= softLimit ? 'soft_warning' : 'ok'
}
