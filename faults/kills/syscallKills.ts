/**
 * R1: SIGKILL right before every nth system call that reaches the disk, over the story of story.ts. A first story
 * without kills counts the calls. Later stories have one kill in each phase with calls left; after the kill the server
 * restarts and the phase continues until it is acknowledged.
 */
import { pause } from '../harness/api.ts'
import { judgeRows } from '../harness/judge.ts'
import type { Counts } from '../harness/ledger.ts'
import { createWorld, judgeAll, type World } from '../harness/load.ts'
import type { Random } from '../harness/random.ts'
import type { SharedOptions } from '../harness/report.ts'
import { judgeOpenSessions } from './kills.ts'
import { type During, runStory } from './story.ts'
import { arm, type DurableCall, type KillPoint, straceMissing, watch } from './syscalls.ts'

interface SyscallRun extends SharedOptions {
  /** Kills before every nth call; the seed picks the first one. */
  readonly every: number
}

interface SyscallReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** The calls of the story without kills, by phase. */
  readonly calls: Readonly<Record<string, number>>
  /** By phase, call and thread. */
  readonly kills: Readonly<Record<string, number>>
  /** Calls that a later story did not make: two stories are not the same to the byte. */
  readonly missed: number
}

/** Only the story reaches the disk, and one thread writes all files, so calls can be counted. */
const QUIET = { UV_THREADPOOL_SIZE: '1', SWEEP_SECONDS: '3600', GC_GRACE_SECONDS: '3600' }
const SWEPT = { SWEEP_SECONDS: '1', GC_GRACE_SECONDS: '1' }
const POLL_MS = 2
/** Time in which a server that acknowledges too early would still be writing. */
const AFTER_MS = 20
const MAX_MISSED_SHARE = 0.2

export async function runSyscallKills({
  seed,
  every,
  print,
}: SyscallRun): Promise<SyscallReport | { readonly missing: string }> {
  const missing = straceMissing()
  if (missing !== undefined) return { missing }
  const world = await createWorld(seed, { env: QUIET })
  const { ledger, server, random } = world
  try {
    const calls = await countCalls(world)
    const killPoints = planned(calls, every, random.fork('killPoints'))
    const total = [...killPoints.values()].flat().length
    print(`${[...calls.values()].flat().length} calls in ${calls.size} phases, ${total} kills`)
    const report = { kills: {}, missed: 0 }
    for (
      let index = 1;
      ledger.faults.length === 0 && [...killPoints.values()].some(({ length }) => length > 0);
      index++
    ) {
      await runStory(world, `story-${index}`, withKills(world, killPoints, report))
      print(`after ${index} stories: ${ledger.counts.kills} of ${total} kills`)
    }
    if (report.missed > total * MAX_MISSED_SHARE) ledger.fault(`${report.missed} of ${total} calls were not made again`)
    await server.restart(SWEPT)
    if (ledger.faults.length === 0) await judgeAll(world)
    const numbers = [...calls].map(([phase, { length }]) => [phase, length] as const)
    return { faults: ledger.faults, counts: ledger.counts, calls: Object.fromEntries(numbers), ...report }
  } finally {
    await world.close()
  }
}

/** Counts the calls of a second story, as the first also has the calls of a new database. */
async function countCalls(world: World): Promise<ReadonlyMap<string, readonly DurableCall[]>> {
  await runStory(world, 'first', (_, work) => work())
  const calls = new Map<string, readonly DurableCall[]>()
  await runStory(world, 'counted', async (phase, work) => {
    const watching = await watch(world.server.pid())
    const value = await work()
    await pause(AFTER_MS)
    calls.set(phase, await watching.stop())
    return value
  })
  for (const [phase, { length }] of calls) if (length === 0) world.ledger.fault(`phase ${phase} writes nothing`)
  return calls
}

/** By phase, in order. */
type KillPoints = ReadonlyMap<string, KillPoint[]>

function planned(calls: ReadonlyMap<string, readonly DurableCall[]>, every: number, random: Random): KillPoints {
  let toGo = random.integer(1, every)
  const killPointsOf = (made: readonly DurableCall[]) => {
    const numbers = new Map<string, number>()
    return made.flatMap(({ thread, call }) => {
      const number = (numbers.get(`${thread} ${call}`) ?? 0) + 1
      numbers.set(`${thread} ${call}`, number)
      if (--toGo > 0) return []
      toGo = every
      return [{ thread, call, number }]
    })
  }
  return new Map([...calls].map(([phase, made]) => [phase, killPointsOf(made)]))
}

interface Tally {
  readonly kills: Record<string, number>
  missed: number
}

/** Kills once in each phase that has kill points left. */
function withKills(world: World, killPoints: KillPoints, tally: Tally): During {
  return async (phase, work) => {
    const killPoint = killPoints.get(phase)?.shift()
    if (killPoint === undefined || world.ledger.faults.length > 0) return work()
    const { value, isKilled } = await killedAt(world, { phase, killPoint, work })
    if (isKilled) {
      const place = `${phase}: ${killPoint.call} of ${killPoint.thread}`
      tally.kills[place] = (tally.kills[place] ?? 0) + 1
    } else tally.missed++
    return value
  }
}

interface PhaseKill<Value> {
  readonly phase: string
  readonly killPoint: KillPoint
  readonly work: () => Promise<Value>
}

/** The work continues after the restart and is done here. `isKilled`: false if the call never came. */
async function killedAt<Value>(
  { server, ledger, oracle, api }: World,
  { phase, killPoint, work }: PhaseKill<Value>,
): Promise<{ readonly value: Value; readonly isKilled: boolean }> {
  const armed = await arm(server.pid(), killPoint)
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  // A rejection is handled by the `await` below.
  working.catch(() => undefined)
  while (!isDone && server.isRunning()) await pause(POLL_MS)
  if (server.isRunning()) await pause(AFTER_MS)
  await armed.disarm()
  const isKilled = !server.isRunning()
  if (isKilled) {
    ledger.counts.kills++
    for (const fault of await oracle.examine({ also: (database) => judgeRows(database, ledger) }))
      ledger.fault(`${phase}, killed at ${killPoint.call} ${killPoint.number} of ${killPoint.thread}: ${fault}`)
    await server.restart()
    await judgeOpenSessions({ api, ledger })
  }
  return { value: await working, isKilled }
}
