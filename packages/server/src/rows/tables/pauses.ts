import type { Instant } from '@blindkeep/protocol/ids'
import { given } from '../columns.ts'

/** Pauses of the collector: one for each running backup. Each ends by itself, or by its backup. */
export const pauses = {
  pauseId: given<string>(),
  until: given<Instant>(),
}
