/** R4: the disk fills up under load and is freed. Nothing acknowledged is lost; no restart is needed. */
import { join } from 'node:path'
import { pause } from '../harness/api.ts'
import { judgeRows } from '../harness/judge.ts'
import type { Counts } from '../harness/ledger.ts'
import { createWorld, judgeAll, startLoad, type World } from '../harness/load.ts'
import type { Random } from '../harness/random.ts'
import { loggedBy } from '../harness/report.ts'
import { newLink, plannedSession, type Session } from '../harness/session.ts'
import { mountSmallDisk, type SmallDisk } from '../harness/smallDisk.ts'

interface FullDiskRun {
  readonly rounds: number
  readonly seed: string
  readonly guests: number
  readonly print: (text: string) => void
}

interface FullDiskReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** How often the process was killed on the full disk, and how often it started on it. */
  readonly killedWhileFull: number
  readonly startedWhileFull: number
  /** The longest time from freeing the disk until a drop has landed and the server is ready, in milliseconds. */
  readonly longestRecoveryMs: number
  readonly log: string
}

const MEBIBYTE = 1024 * 1024
/** Room for all that the load deletes within the grace and two sweeps, or it would fill the disk. */
const DISK_BYTES = 512 * MEBIBYTE
/** A refusal from the full disk may still be on its way to its guest: on a busy machine requests take seconds. */
const MAX_TROUBLE_MS = 10_000
const MAX_RECOVERY_MS = 20_000
const REFILL_MS = 10
const KILLED_SHARE = 0.25

interface Round {
  readonly world: World
  readonly disk: SmallDisk
  readonly random: Random
  readonly index: number
}

/** Returns what is missing when this machine cannot mount a small disk. */
export async function runFullDisk({
  rounds,
  seed,
  guests,
  print,
}: FullDiskRun): Promise<FullDiskReport | { readonly missing: string }> {
  const disk = mountSmallDisk(DISK_BYTES)
  if ('missing' in disk) return disk
  let troubledUntil = 0
  const limits = { maxFileBytes: 4 * MEBIBYTE, pendingBytesTarget: 16 * MEBIBYTE }
  const isTroubled = () => Date.now() < troubledUntil
  const world = await createWorld(seed, {
    disk: { dataDirectory: join(disk.directory, 'data'), isTroubled, ...limits },
  }).catch((error: unknown) => {
    disk.unmount()
    throw error
  })
  const { server, ledger } = world
  const report = { killedWhileFull: 0, startedWhileFull: 0, longestRecoveryMs: 0 }
  try {
    const load = startLoad(world, guests)
    for (let index = 1; index <= rounds && ledger.faults.length === 0; index++) {
      const round = { world, disk, index, random: world.random.fork(`round ${index}`) }
      await pause(round.random.integer(200, 800))
      troubledUntil = Number.POSITIVE_INFINITY
      await fillForAWhile(round)
      if (round.random.chance(KILLED_SHARE)) {
        report.killedWhileFull++
        if (await killWhileFull(round)) report.startedWhileFull++
      }
      disk.free()
      troubledUntil = Date.now() + MAX_TROUBLE_MS
      report.longestRecoveryMs = Math.max(report.longestRecoveryMs, await recovery(round))
      if (index % 10 === 0) print(`${index} of ${rounds} rounds, ${JSON.stringify(ledger.counts)}`)
    }
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    const { refusedForSpace, landings } = ledger.counts
    if (refusedForSpace === 0 || landings === 0) ledger.fault('the disk was not full under a load')
    return { faults: ledger.faults, counts: ledger.counts, ...report, log: loggedBy(server.log()) }
  } finally {
    await world.close()
    disk.unmount()
  }
}

/** Fills the disk: once, sometimes with a little room, or again whenever space is freed. */
async function fillForAWhile({ disk, random }: Round): Promise<void> {
  const until = Date.now() + random.integer(300, 1500)
  const room = random.chance(0.5) ? 0 : random.integer(1, MEBIBYTE)
  const isRefilled = random.chance(0.5)
  disk.fill(room)
  while (Date.now() < until) {
    await pause(REFILL_MS)
    if (isRefilled) disk.fill()
  }
}

/** A kill on a full disk leaves consistent data too. True when the server even starts on the full disk. */
async function killWhileFull({ world, disk, random }: Round): Promise<boolean> {
  const { server, oracle, ledger } = world
  await server.kill9()
  ledger.counts.kills++
  const faults = await oracle.examine({ also: (database) => judgeRows(database, ledger) })
  for (const fault of faults) ledger.fault(`killed on a full disk: ${fault}`)
  if (random.chance(0.5)) {
    disk.fill()
    if (await hasStarted(world)) return true
  }
  disk.free()
  await server.restart()
  return false
}

/** Without room a server may run and answer, and not be ready: `recovery` waits until it is. */
async function hasStarted({ server, api }: World): Promise<boolean> {
  let isOver = false
  const ready = server.restart().then(
    () => true,
    () => false,
  )
  void ready.then(() => {
    isOver = true
  })
  while (!isOver && (await api.ask({ method: 'GET', path: '/healthz' })) === undefined) await pause(REFILL_MS)
  return isOver ? ready : true
}

/** Milliseconds until a new drop has landed and the server is ready. The process must recover without a restart. */
async function recovery({ world, index }: Round): Promise<number> {
  const { server, ledger } = world
  const freedAt = Date.now()
  let probe: Session | undefined
  for (let elapsedMs = 0; elapsedMs < MAX_RECOVERY_MS; elapsedMs = Date.now() - freedAt) {
    if (!server.isRunning()) {
      ledger.fault(`the server has ended on a full disk: ${server.log().slice(-2000)}`)
      return elapsedMs
    }
    // The load's owners sometimes revoke this link too.
    if (probe === undefined || probe.attempt.link.revoked !== 'no')
      probe = await plannedProbe(world, `${index}-${elapsedMs}`)
    const { attempt, upload } = probe
    if (attempt.landed === 'acknowledged') {
      if (await isReady(world)) return Date.now() - freedAt
    } else if (attempt.uploadId !== undefined || (await upload.create()))
      await upload.append({ offset: 0, length: attempt.size })
    await pause(50)
  }
  const lacks = probe?.attempt.landed === 'acknowledged' ? 'the server is not ready' : 'nothing lands'
  ledger.fault(`${lacks} ${MAX_RECOVERY_MS / 1000} s after the disk was freed`)
  return MAX_RECOVERY_MS
}

async function isReady({ api }: World): Promise<boolean> {
  return (await api.ask({ method: 'GET', path: '/readyz' }))?.status === 200
}

async function plannedProbe(world: World, name: string): Promise<Session> {
  return plannedSession(world, await newLink(world, `probe ${name}`), { name: `probe-${name}`, size: 10_007 })
}
