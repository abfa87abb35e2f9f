/**
 * R16: the database fails under load, in every way that its proxy, its processes and its disk know. Nothing acknowledged is lost, every answer is a declared
 * one, and the server recovers by itself.
 */
import { startServer } from '../../testing/startServer.ts'
import { pause } from '../api.ts'
import { judgeRows } from '../judge.ts'
import type { Counts } from '../ledger.ts'
import { createWorld, FAULT_ENV, judgeAll, startLoad, type World } from '../load.ts'
import { createOracle } from '../oracle.ts'
import type { Random } from '../random.ts'
import { loggedBy, type RunReport, type SharedOptions } from '../report.ts'
import { newLink, plannedSession, type Session } from '../session.ts'
import { copyPostgres } from './copy.ts'
import { type FaultyDatabase, openFaultyDatabase } from './database.ts'
import { createTrouble, type Trouble } from './trouble.ts'

interface DatabaseFaultsRun extends SharedOptions {
  readonly rounds: number
  readonly guests: number
  /** A part of a cause's name; all causes in turn when it is empty. */
  readonly cause: string
}

interface DatabaseFaultsReport extends RunReport {
  readonly counts: Counts
  readonly refused: number
  readonly lostCommits: number
  /** By cause: the longest time from its end to the next landing, in milliseconds. */
  readonly longestRecoveryMs: Readonly<Record<string, number>>
}

interface Cause {
  readonly name: string
  /** Begins it, and resolves with what ends it. */
  begin(database: FaultyDatabase, random: Random): Promise<() => unknown> | (() => unknown)
  readonly lastsMs: readonly [least: number, most: number]
}

/** A cause that its proxy makes and heals. */
function byProxy(spoil: (proxy: FaultyDatabase['proxy'], random: Random) => void): Cause['begin'] {
  return ({ proxy }, random) => {
    spoil(proxy, random)
    return proxy.heal
  }
}

const CAUSES: readonly Cause[] = [
  { name: 'connections cut', lastsMs: [0, 50], begin: byProxy((proxy) => proxy.cut()) },
  { name: 'unreachable', lastsMs: [200, 3_000], begin: byProxy(vanish) },
  { name: 'hanging', lastsMs: [500, 8_000], begin: byProxy((proxy) => proxy.hang()) },
  { name: 'slow', lastsMs: [500, 2_000], begin: byProxy((proxy, random) => proxy.delay(random.integer(5, 100))) },
  {
    name: 'answers of commits lost',
    lastsMs: [300, 1_500],
    begin: byProxy((proxy, random) => proxy.loseCommits('answer', random.integer(1, 20))),
  },
  {
    name: 'commits lost',
    lastsMs: [300, 1_500],
    begin: byProxy((proxy, random) => proxy.loseCommits('request', random.integer(1, 20))),
  },
  { name: 'crashed and restarted', lastsMs: [0, 0], begin: crash },
  { name: 'out of connections', lastsMs: [500, 3_000], begin: outOfConnections },
  { name: 'disk full', lastsMs: [500, 3_000], begin: fullDisk },
]

function vanish(proxy: FaultyDatabase['proxy']): void {
  proxy.refuse()
  proxy.cut()
}

async function crash({ server }: FaultyDatabase) {
  await server.restart()
  return () => undefined
}

/** The server's own connections are cut, so that it needs new ones. */
async function outOfConnections({ proxy, takeAllConnections }: FaultyDatabase) {
  vanish(proxy)
  const release = await takeAllConnections()
  await proxy.heal()
  return release
}

/** PostgreSQL may end itself when it cannot write its log, so its operator starts it again. */
function fullDisk({ disk, server }: FaultyDatabase) {
  disk.fill()
  return () => {
    disk.free()
    return server.restart()
  }
}

const MAX_RECOVERY_MS = 60_000
const PROBE_BYTES = 10_007
const PROBE_PAUSE_MS = 50
const KILLED_SHARE = 0.25

export async function runDatabaseFaults(
  options: DatabaseFaultsRun,
): Promise<DatabaseFaultsReport | { readonly missing: string }> {
  const database = await openFaultyDatabase()
  if ('missing' in database) return database
  try {
    return await runOn(database, options)
  } finally {
    await database.stop()
  }
}

async function runOn(database: FaultyDatabase, options: DatabaseFaultsRun): Promise<DatabaseFaultsReport> {
  const { seed, guests, print } = options
  const server = await startServer({ env: { ...FAULT_ENV, DATABASE_URL: database.url } })
  const trouble = createTrouble()
  const oracle = createOracle(server.dataDir, (path) => copyPostgres(database.directUrl, path))
  const world = await createWorld(seed, { on: { server, oracle, seen: trouble.seen } }).catch(
    async (error: unknown) => {
      await server.stop()
      throw error
    },
  )
  const { ledger } = world
  const longestRecoveryMs: Record<string, number> = {}
  try {
    const load = startLoad(world, guests)
    await disturb({ world, database, trouble, longestRecoveryMs }, options)
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    const { landings } = ledger.counts
    if (landings === 0 || trouble.refused === 0) ledger.fault('the faults met no load')
    const log = unexpectedIn(loggedBy(server.log()))
    print(`longest recoveries in ms: ${JSON.stringify(longestRecoveryMs)}`)
    const { counts, faults } = ledger
    return {
      faults,
      counts,
      refused: trouble.refused,
      lostCommits: database.proxy.lostCommits(),
      longestRecoveryMs,
      log,
    }
  } finally {
    await world.close()
  }
}

/** Errors that say that the database is away are what a run is for. */
function unexpectedIn(log: string): string {
  const lines = log.split('\n')
  return lines.filter((line) => !/"type":"(StorageUnavailable|OutcomeUnknown)"/.test(line)).join('\n')
}

interface Scene {
  readonly world: World
  readonly database: FaultyDatabase
  readonly trouble: Trouble
  readonly longestRecoveryMs: Record<string, number>
}

/** Stops at the first fault, as later ones would be its consequences. */
async function disturb(scene: Scene, { rounds, cause: part, print }: DatabaseFaultsRun): Promise<void> {
  const { world, database, trouble, longestRecoveryMs } = scene
  const { ledger, server } = world
  const causes = CAUSES.filter(({ name }) => name.includes(part))
  if (causes.length === 0) ledger.fault(`no cause has ${part} in its name`)
  for (let index = 0; index < rounds && ledger.faults.length === 0; index++) {
    const random = world.random.fork(`round ${index}`)
    const cause = causes[index % causes.length]
    if (cause === undefined) throw new Error('there are causes')
    await pause(random.integer(300, 1_500))
    trouble.isPresent = true
    const end = await cause.begin(database, random)
    await pause(random.integer(...cause.lastsMs))
    await end()
    trouble.isPresent = false
    const recoveredMs = await recovery(world, `${index}`)
    longestRecoveryMs[cause.name] = Math.max(longestRecoveryMs[cause.name] ?? 0, recoveredMs)
    if (!server.isRunning()) ledger.fault(`${cause.name}: the server has ended: ${server.log().slice(-2000)}`)
    else if (random.chance(KILLED_SHARE)) await judgeKilled(world, cause.name)
    if ((index + 1) % 10 === 0) print(`${index + 1} of ${rounds} rounds, ${JSON.stringify(ledger.counts)}`)
  }
}

/** The rows can be compared with what was acknowledged only while nothing more is. */
async function judgeKilled({ server, ledger, oracle }: World, cause: string): Promise<void> {
  await server.kill9()
  ledger.counts.kills++
  for (const fault of await oracle.examine({ also: (rows) => judgeRows(rows, ledger) }))
    ledger.fault(`after ${cause}: ${fault}`)
  await server.restart()
}

/** Milliseconds until a new drop has landed. */
async function recovery(world: World, name: string): Promise<number> {
  const { server, ledger } = world
  const endedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - endedAt)
  let probe: Session | undefined
  while (elapsedMs() < MAX_RECOVERY_MS && server.isRunning()) {
    // The load's owners sometimes revoke this link too.
    if (probe === undefined || probe.attempt.link.revoked !== 'no') {
      const link = await newLink(world, `probe ${name} ${elapsedMs()}`)
      probe = plannedSession(world, link, { name: `probe-${name}-${elapsedMs()}`, size: PROBE_BYTES })
    }
    const { attempt, upload } = probe
    if (attempt.uploadId !== undefined || (await upload.create()))
      await upload.append({ offset: 0, length: attempt.size })
    if (attempt.landed === 'acknowledged') return elapsedMs()
    await pause(PROBE_PAUSE_MS)
  }
  ledger.fault(`nothing lands ${elapsedMs() / 1000} s after the cause has ended`)
  return elapsedMs()
}
