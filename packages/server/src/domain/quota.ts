import { type AccountId, addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { Account, WriteTx } from '../ports/store.ts'
import type { Refuses } from './refusals.ts'

/**
 * The one place where an account's use changes. It always equals the declared sizes of its open sessions, its pending drops and its assets' copies:
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
}

export type Quota = ReturnType<typeof createQuota>

export function createQuota(settings: QuotaSettings) {
  const limitsOf = (account: Account) => {
    const hardLimit = account.hardLimitBytes ?? settings.hardBytes
    return { hardLimit, softLimit: account.softLimitBytes ?? settings.softBytes ?? hardLimit }
  }

  /** Since when the use has been at or over the limit: what was noted before, if it was so before the change too. */
  async function noteExcess(tx: WriteTx, before: Account, at: Instant): Promise<void> {
    const account = await tx.accounts.find(before.accountId)
    if (account === undefined) return
    const { hardLimit } = limitsOf(account)
    const exceeds = (usedBytes: number) => hardLimit !== undefined && usedBytes >= hardLimit
    const since = exceeds(account.usedBytes)
      ? ((exceeds(before.usedBytes) ? before.exceededSince : undefined) ?? at)
      : undefined
    if (since !== before.exceededSince) await tx.accounts.setExceededSince(account.accountId, since)
  }

  return {
    /** Charges `bytes`, or nothing. Part of the transaction that creates what is charged for. */
    async charge(
      tx: WriteTx,
      account: Account,
      bytes: number,
      at: Instant,
    ): Promise<Refuses<'quota_exceeded'> | undefined> {
      const { hardLimit } = limitsOf(account)
      if (!(await tx.accounts.charge(account.accountId, bytes, hardLimit))) return { refused: 'quota_exceeded' }
      if (hardLimit !== undefined) await noteExcess(tx, account, at)
      return undefined
    },

    /** Gives `bytes` back. Part of the transaction that ends what was charged for. */
    async refund(tx: WriteTx, accountId: AccountId, bytes: number, at: Instant): Promise<void> {
      const before = await tx.accounts.find(accountId)
      await tx.accounts.refund(accountId, bytes)
      if (before !== undefined) await noteExcess(tx, before, at)
    },

    snapshot(account: Account, now: Instant): QuotaSnapshot {
      const { softLimit, hardLimit } = limitsOf(account)
      return { used: account.usedBytes, softLimit, hardLimit, state: stateOf(account, { softLimit, hardLimit, now }) }
    },
  }

  function stateOf(
    account: Account,
    { softLimit, hardLimit, now }: { softLimit: number | undefined; hardLimit: number | undefined; now: Instant },
  ): QuotaState {
    if (hardLimit !== undefined && account.usedBytes >= hardLimit) {
      const graceEnds = addSeconds(account.exceededSince ?? now, settings.graceDays * 86_400)
      return now > graceEnds ? 'grace_expired' : 'hard_exceeded'
    }
    return softLimit !== undefined && account.usedBytes >= softLimit ? 'soft_warning' : 'ok'
  }
}
