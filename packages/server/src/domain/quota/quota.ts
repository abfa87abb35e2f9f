/**
 * The only place where an account's used bytes change, except `fsck --repair`. The used bytes always equal the declared
 * sizes of the account's unclosed uploads, its pending drops, the objects of its assets, and what is in its bin. An
 * upload is charged when it is created. It keeps the charge when it lands, and in the bin. The charge is refunded when
 * the upload ends or fails, when what is in the bin is there no longer, and when a blob is replaced.
 */
import { type AccountId, addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { Account, AccountUse, OwnLimits, WriteTx } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import type { Refuses } from '../ground/refusals.ts'

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
  /** The end of the grace, which may have passed. Undefined below the hard limit. */
  readonly graceEnds: Instant | undefined
}

/** As an account's hard limit: no limit, also against the deployment's. The largest exact number. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

interface Limits {
  readonly softLimit: number | undefined
  readonly hardLimit: number | undefined
}

interface Step {
  readonly before: AccountUse
  readonly after: AccountUse
}

const QUOTA_CHANGED = { name: 'quota.changed' } as const

export type Quota = ReturnType<typeof createQuota>

export function createQuota(settings: QuotaSettings) {
  /** An account's hard limit replaces both of the deployment. A missing soft limit equals it; none is above it. */
  function limitsOf(account: AccountUse): Limits {
    const hard = account.hardLimitBytes ?? settings.hardBytes
    const hardLimit = hard === UNLIMITED ? undefined : hard
    const deploymentSoft = account.hardLimitBytes === undefined ? settings.softBytes : undefined
    const soft = account.softLimitBytes ?? deploymentSoft ?? hardLimit
    const isAbove = soft !== undefined && hardLimit !== undefined && soft > hardLimit
    return { hardLimit, softLimit: isAbove ? hardLimit : soft }
  }

  function exceeds(account: AccountUse): boolean {
    const { hardLimit } = limitsOf(account)
    return hardLimit !== undefined && account.usedBytes >= hardLimit
  }

  /** Since when use is at or over the limit. An earlier time stays while it lasts. */
  async function noteExcess(tx: WriteTx, { before, after }: Step, at: Instant): Promise<void> {
    const since = exceeds(after) ? ((exceeds(before) ? before.exceededSince : undefined) ?? at) : undefined
    if (since !== before.exceededSince) await tx.accounts.setExceededSince(before.accountId, since)
  }

  async function note(tx: WriteTx, step: Step, at: Instant): Promise<void> {
    await Promise.all([noteExcess(tx, step, at), noteChange(tx, step.before.accountId, QUOTA_CHANGED, at)])
  }

  return {
    /** Undefined: none. */
    hardLimitOf: (account: AccountUse): number | undefined => limitsOf(account).hardLimit,

    /** Charges all of `bytes` or nothing, in the transaction that creates the charged row. */
    async charge(
      tx: WriteTx,
      accountId: AccountId,
      bytes: number,
      at: Instant,
    ): Promise<Refuses<'quota_exceeded'> | undefined> {
      // A refusal undoes the note too.
      const [after] = await Promise.all([
        tx.accounts.charge(accountId, bytes, settings.hardBytes),
        noteChange(tx, accountId, QUOTA_CHANGED, at),
      ])
      if (after === undefined) return { refused: 'quota_exceeded' }
      await noteExcess(tx, { before: { ...after, usedBytes: after.usedBytes - bytes }, after }, at)
      return undefined
    },

    /** Gives `bytes` back, in the transaction that ends the charged row. */
    async refund(tx: WriteTx, accountId: AccountId, bytes: number, at: Instant): Promise<void> {
      const [after] = await Promise.all([
        tx.accounts.refund(accountId, bytes),
        noteChange(tx, accountId, QUOTA_CHANGED, at),
      ])
      await noteExcess(tx, { before: { ...after, usedBytes: after.usedBytes + bytes }, after }, at)
    },

    /** Gives an account its limits. A hard limit at or below its use begins the grace; one above ends it. */
    async setLimits(tx: WriteTx, account: Account, limits: OwnLimits, at: Instant): Promise<void> {
      await tx.accounts.setLimits(account.accountId, limits)
      await note(tx, { before: account, after: { ...account, ...limits } }, at)
    },

    /** Whether the stored excess agrees with the limits: not after a start with other ones. */
    isNoted: (account: Account): boolean => exceeds(account) === (account.exceededSince !== undefined),

    /** Stores the excess. An unstored grace begins now: its owner was not warned before. */
    async note(tx: WriteTx, accountId: AccountId, at: Instant): Promise<void> {
      const account = await tx.accounts.find(accountId)
      if (account !== undefined) await note(tx, { before: account, after: account }, at)
    },

    snapshot(account: AccountUse, now: Instant): QuotaSnapshot {
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
