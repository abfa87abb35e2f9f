/**
 * R16: the database fails under load, in every way that its proxy, its processes and its disk know. One node with
 * files. Nothing acknowledged is lost, every answer is a declared one, and the server recovers by itself.
 */
import { startServer } from '../../testing/startServer.ts'
import { type DisturbedReport, type DisturbedRun, runDisturbed } from '../harness/disturbed.ts'
import { judgeRows } from '../harness/judge.ts'
import { FAULT_ENV, type World } from '../harness/load.ts'
import { createOracle } from '../harness/oracle.ts'
import { copyPostgres } from '../harness/postgresCopy.ts'
import type { Random } from '../harness/random.ts'
import { type FaultyDatabase, openFaultyDatabase } from './database.ts'
import { DATABASE_CAUSES } from './databaseCauses.ts'

const KILLED_SHARE = 0.25

export async function runDatabaseFaults(
  options: DisturbedRun,
): Promise<DisturbedReport | { readonly missing: string }> {
  const database = await openFaultyDatabase()
  if ('missing' in database) return database
  try {
    return await runOn(database, options)
  } finally {
    await database.stop()
  }
}

async function runOn(database: FaultyDatabase, options: DisturbedRun): Promise<DisturbedReport> {
  const server = await startServer({ env: { ...FAULT_ENV, DATABASE_URL: database.url } })
  const oracle = createOracle(server.dataDir, (path) => copyPostgres(database.directUrl, path))
  const judge = async (world: World, cause: string, random: Random) => {
    if (world.ledger.faults.length === 0 && random.chance(KILLED_SHARE)) await judgeKilled(world, cause)
  }
  return runDisturbed(options, { on: { server, oracle }, place: { database }, causes: DATABASE_CAUSES, judge })
}

/** The rows can be compared with what was acknowledged only while nothing more is. */
async function judgeKilled({ server, ledger, oracle }: World, cause: string): Promise<void> {
  await server.kill9()
  ledger.counts.kills++
  for (const fault of await oracle.examine({ also: (rows) => judgeRows(rows, ledger) }))
    ledger.fault(`after ${cause}: ${fault}`)
  await server.restart()
}
