/** Random kill -9 under load. The plan follows from the seed; how far the server is when it dies is up to the clock. */
import { type Met, runKills } from './kills.ts'
import type { Counts } from './ledger.ts'
import { createWorld, judgeAll, startLoad } from './load.ts'

interface KillRun {
  readonly kills: number
  readonly seed: string
  readonly guests: number
  readonly tell: (text: string) => void
}

interface KillReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  readonly met: Met
  /** What the server has logged as a warning or worse. */
  readonly log: string
}

export async function runR2({ kills, seed, guests, tell }: KillRun): Promise<KillReport> {
  const world = await createWorld(seed)
  const { server, ledger, random } = world
  try {
    const load = startLoad(world, guests)
    const met = await runKills({ ...world, tell }, kills, random.fork('kills'))
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    const { chunks, landings } = ledger.counts
    if (ledger.counts.kills < kills || chunks === 0 || landings === 0)
      ledger.fault('there was no load to be killed under')
    return { faults: ledger.faults, counts: ledger.counts, met, log: loggedBy(server.log()) }
  } finally {
    await world.close()
  }
}

/** Without what is said at each start. */
export function loggedBy(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n')
}
