import { instantOf } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'

/** The wall clock. It may be set back: callers that need ascending instants remember the last one. */
export const systemClock: Clock = { now: () => instantOf(Date.now()) }
