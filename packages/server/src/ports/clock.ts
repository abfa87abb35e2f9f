import type { Instant } from '@blindkeep/protocol/ids'

/** The server's trusted clock. */
export interface Clock {
  now(): Instant
}
