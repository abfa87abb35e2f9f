import type { Bin } from '../../domain/bin/bin.ts'
import type { Quota } from '../../domain/quota/quota.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Routes } from '../call.ts'

interface QuotaRoutePorts {
  readonly quota: Quota
  readonly bin: Bin
  readonly clock: Clock
}

export function quotaRoutes({ quota, bin, clock }: QuotaRoutePorts): Pick<Routes, 'quota'> {
  return {
    async quota({ caller }) {
      const { used, softLimit, hardLimit, state } = quota.snapshot(caller.account, clock.now())
      const binned = await bin.bytesOf(caller.account.accountId)
      const limits = {
        ...(binned > 0 && { bin: binned }),
        ...(softLimit !== undefined && { soft_limit: softLimit }),
        ...(hardLimit !== undefined && { hard_limit: hardLimit }),
      }
      return { status: 200, body: { used, ...limits, state } }
    },
  }
}
