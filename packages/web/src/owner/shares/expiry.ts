import { addSeconds, formatInstant, instantOf, millisecondsOf } from '@blindkeep/protocol/ids'

export const EXPIRIES = ['day', 'week', 'month', 'never'] as const
export type Expiry = (typeof EXPIRIES)[number]

const DAY_SECONDS = 86_400
const DAYS: Readonly<Record<Exclude<Expiry, 'never'>, number>> = { day: 1, week: 7, month: 30 }

/** RFC 3339; undefined for `never`. */
export function expiryInstant(expiry: Expiry, nowMs: number): string | undefined {
  return expiry === 'never' ? undefined : formatInstant(addSeconds(instantOf(nowMs), DAYS[expiry] * DAY_SECONDS))
}

export function hasEnded(expiresAt: string | undefined, nowMs: number): boolean {
  return expiresAt !== undefined && millisecondsOf(expiresAt) <= nowMs
}
