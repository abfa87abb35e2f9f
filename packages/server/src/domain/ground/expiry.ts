import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { Refuses } from './refusals.ts'

/** Refuses a passed end: a clock is behind, and the owner would believe that there is time left. */
export function refusePassed(
  expiresAt: Instant | undefined,
  now: Instant,
  member = 'expires_at',
): Refuses<'request_unprocessable'> | undefined {
  if (expiresAt === undefined || expiresAt > now) return undefined
  return { refused: 'request_unprocessable', detail: `/${member} has passed: here it is ${formatInstant(now)}` }
}
