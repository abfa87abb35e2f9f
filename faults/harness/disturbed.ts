/** A load on a place that fails, judged at the end as every load is. */

import { type Cause, disturb, type Recoveries } from './disturb.ts'
import type { Counts } from './ledger.ts'
import { createWorld, judgeAll, startLoad, type World, type WorldOptions } from './load.ts'
import type { Random } from './random.ts'
import { loggedBy, type RunReport, type SharedOptions } from './report.ts'
import { createTrouble } from './trouble.ts'

export interface DisturbedRun extends SharedOptions {
  readonly rounds: number
  readonly guests: number
  /** A part of a cause's name; all causes in turn when it is empty. */
  readonly cause: string
  /** Seconds from the end of a cause to the next landing, at most; 60 without it. */
  readonly within?: number
}

export interface DisturbedReport extends RunReport {
  readonly counts: Counts
  /** Requests that were answered that the storage is unavailable. */
  readonly refused: number
  readonly longestRecoveryMs: Recoveries
}

interface Disturbed<Place> {
  readonly on: Omit<NonNullable<WorldOptions['on']>, 'seen'>
  readonly place: Place
  readonly causes: readonly Cause<Place>[]
  readonly judge?: (world: World, cause: string, random: Random) => Promise<void>
}

/** Stops the server. */
export async function runDisturbed<Place>(
  { seed, guests, rounds, cause, within, print }: DisturbedRun,
  { on, place, causes, judge }: Disturbed<Place>,
): Promise<DisturbedReport> {
  const trouble = createTrouble()
  const world = await createWorld(seed, { on: { ...on, seen: trouble.seen } }).catch(async (error: unknown) => {
    await on.server.stop()
    throw error
  })
  const { ledger, server } = world
  try {
    const load = startLoad(world, guests)
    const longestRecoveryMs = await disturb({
      ...{ world, trouble, place, causes, rounds, cause, print },
      ...(within !== undefined && { within }),
      ...(judge && { judge: (name: string, random: Random) => judge(world, name, random) }),
    })
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    if (ledger.counts.landings === 0) ledger.fault('the causes met no load')
    const all = loggedBy(server.log())
    const log = ledger.faults.length === 0 ? unexpectedIn(all) : all.slice(-MAX_LOG_CHARACTERS)
    return { faults: ledger.faults, counts: ledger.counts, refused: trouble.refused, longestRecoveryMs, log }
  } finally {
    await world.close()
  }
}

const MAX_LOG_CHARACTERS = 20_000

/** Errors that say that something behind the server is away are what a run is for. */
export function unexpectedIn(log: string): string {
  const lines = log.split('\n')
  return lines.filter((line) => !/"type":"(StorageUnavailable|OutcomeUnknown|S3Refusal)"/.test(line)).join('\n')
}
