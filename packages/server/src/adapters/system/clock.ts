import { instantOf } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'

/** The machine's wall clock. It may be set back; whoever needs an order that never goes back keeps the last instant beside it. */
export const systemClock: Clock = { now: () => instantOf(Date.now()) }
