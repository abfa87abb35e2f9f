import { instantOf } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'

/** The machine's wall clock. It may be set back: a caller that needs ascending instants has to remember the last one. */
export const systemClock: Clock = { now: () => instantOf(Date.now()) }
