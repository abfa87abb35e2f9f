import type { Static } from 'typebox'
import { integer, object, oneOf, optional } from './shape.ts'

export const QUOTA_STATES = ['ok', 'soft_warning', 'hard_exceeded', 'grace_expired'] as const
export type QuotaState = (typeof QUOTA_STATES)[number]

export const QuotaResponse = object('QuotaResponse', {
  used: integer('Bytes charged to the caller.'),
  soft_limit: optional(integer('Where the warning starts, in bytes; absent on an unlimited deployment.')),
  hard_limit: optional(integer('Where uploads stop, in bytes; absent on an unlimited deployment.')),
  state: oneOf(QUOTA_STATES, 'Where `used` stands against the limits.'),
})
export type QuotaResponse = Static<typeof QuotaResponse>
