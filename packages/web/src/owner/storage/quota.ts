import type { Quota } from '@blindkeep/client/owner'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { Tone } from './outcomes.ts'

export const QUOTA_TONES: Readonly<Record<QuotaState, Tone>> = {
  ok: 'good',
  soft_warning: 'warn',
  hard_exceeded: 'bad',
  grace_expired: 'bad',
}

export interface Fill {
  readonly used: number
  readonly limit: number
  /** From here the owner is warned; undefined unless it is below the limit. */
  readonly soft: number | undefined
  readonly left: number
}

/** Undefined when there is no limit. */
export function fillOf({ used, softLimit, hardLimit }: Quota): Fill | undefined {
  const limit = hardLimit ?? softLimit
  if (limit === undefined) return undefined
  const soft = softLimit !== undefined && softLimit < limit ? softLimit : undefined
  return { used, limit, soft, left: Math.max(0, limit - used) }
}
