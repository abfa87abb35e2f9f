import { addSeconds, type Instant, instantOf } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'

/** A clock that moves only by hand, for tests. It starts at `start`, 2026-06-01T00:00:00Z when left out. */
export interface HandClock extends Clock {
  advance(seconds: number): void
  set(at: Instant): void
}

export function createHandClock(start: Instant = instantOf(Date.UTC(2026, 5, 1))): HandClock {
  let current = start
  return {
    now: () => current,
    advance: (seconds) => {
      current = addSeconds(current, seconds)
    },
    set: (at) => {
      current = at
    },
  }
}
