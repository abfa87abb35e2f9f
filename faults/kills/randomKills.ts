/** R2: kill -9 at random under load. The seed decides the plan, the clock the server's progress. */

import type { Counts } from '../harness/ledger.ts'
import { createWorld, judgeAll, startLoad } from '../harness/load.ts'
import { loggedBy, type RunReport, type SharedOptions } from '../harness/report.ts'
import { type KillTally, runKills } from './kills.ts'

interface KillRun extends SharedOptions {
  readonly kills: number
  readonly guests: number
}

interface KillReport extends RunReport {
  readonly counts: Counts
  readonly tally: KillTally
}

export async function runRandomKills({ kills, seed, guests, print }: KillRun): Promise<KillReport> {
  const world = await createWorld(seed)
  const { server, ledger, random } = world
  try {
    const load = startLoad(world, guests)
    const tally = await runKills({ ...world, print }, kills, random.fork('kills'))
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    const { chunks, landings } = ledger.counts
    if (ledger.counts.kills < kills || chunks === 0 || landings === 0) ledger.fault('the kills met no load')
    return { faults: ledger.faults, counts: ledger.counts, tally, log: loggedBy(server.log()) }
  } finally {
    await world.close()
  }
}
