import type { Static } from '../static.ts'
import { integer, object, oneOf, optional } from './shape.ts'

export const QUOTA_STATES = ['ok', 'soft_warning', 'hard_exceeded', 'grace_expired'] as const
export type QuotaState = (typeof QUOTA_STATES)[number]

export const QuotaResponse = object('QuotaResponse', {
  used: integer('Bytes charged to the caller.'),
  bin: optional(integer('Those of them that emptying the bin returns.')),
  soft_limit: optional(integer('Usage from which the account is warned, in bytes. Absent if there is no limit.')),
  hard_limit: optional(integer('Usage from which uploads are refused, in bytes. Absent if there is no limit.')),
  state: oneOf(QUOTA_STATES, 'How `used` compares with the limits.'),
})
export type QuotaResponse = Static<typeof QuotaResponse>
