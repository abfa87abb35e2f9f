import { addSeconds } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Store } from '../../ports/store.ts'
import { pauseCollector, resumeCollector } from './collect.ts'

/** Calls `work` every `seconds`. Returns a function that stops it. */
export type Repeat = (seconds: number, work: () => void) => () => void

export interface PausePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Pick<Random, 'uuid'>
  readonly repeat: Repeat
}

/** After a killed process the collector resumes at the end of this time. */
const PAUSE_SECONDS = 300
const PAUSE_RENEWED_EVERY_SECONDS = 60

/** While `work` runs, the collector removes nothing. */
export async function whileCollectorPauses<Result>(
  { store, clock, random, repeat }: PausePorts,
  work: () => Promise<Result>,
): Promise<Result> {
  const pauseId = random.uuid()
  const pause = () => {
    const at = clock.now()
    return store.write(['removal'], (tx) => pauseCollector(tx, pauseId, { at, until: addSeconds(at, PAUSE_SECONDS) }))
  }
  await pause()
  // After a renewal that fails, four more follow before the pause ends. If all fail, what was removed meanwhile counts
  // as missing.
  const stop = repeat(PAUSE_RENEWED_EVERY_SECONDS, () => void pause().catch(() => undefined))
  return work().finally(async () => {
    stop()
    await store.write(['removal'], (tx) => resumeCollector(tx, pauseId)).catch(() => undefined)
  })
}
