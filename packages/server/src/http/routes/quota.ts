import type { Quota } from '../../domain/quota/quota.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Routes } from '../call.ts'

export function quotaRoutes({ quota, clock }: { readonly quota: Quota; readonly clock: Clock }): Pick<Routes, 'quota'> {
  return {
    async quota({ caller }) {
      const { used, softLimit, hardLimit, state } = quota.snapshot(caller.account, clock.now())
      const limits = {
        ...(softLimit !== undefined && { soft_limit: softLimit }),
        ...(hardLimit !== undefined && { hard_limit: hardLimit }),
      }
      return { status: 200, body: { used, ...limits, state } }
    },
  }
}
