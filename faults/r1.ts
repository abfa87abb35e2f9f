/**
 * SIGKILL right before every so-maniest system call that reaches the disk, over a whole story: whatever is written or synced, the process dies before it once.
 * The story is told undisturbed first, to count its calls. Then it is told again and again, with a kill in each phase that has one left, and each
 * time it goes on after the restart until it is acknowledged.
 */
import { pause } from './api.ts'
import { judgeRows } from './judge.ts'
import { judgeOpenSessions } from './kills.ts'
import type { Counts } from './ledger.ts'
import { createWorld, judgeAll, type World } from './load.ts'
import type { Random } from './random.ts'
import type { SharedOptions } from './runs.ts'
import { type During, tellStory } from './story.ts'
import { arm, type DurableCall, type Strike, straceMissing, watch } from './syscalls.ts'

interface SyscallRun extends SharedOptions {
  /** Every so-maniest of the story's calls is met, beginning with one of the first so many. */
  readonly every: number
}

interface SyscallReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** The calls of the undisturbed story, by phase. */
  readonly calls: Readonly<Record<string, number>>
  /** By phase, call and thread. */
  readonly kills: Readonly<Record<string, number>>
  /** Calls that were not made when the story was told again: it is not the same to the byte each time. */
  readonly missed: number
}

/** Nothing but the story reaches the disk, and all files are written by one thread: so calls can be counted. */
const QUIET = { UV_THREADPOOL_SIZE: '1', SWEEP_SECONDS: '3600', GC_GRACE_SECONDS: '3600' }
const SWEPT = { SWEEP_SECONDS: '1', GC_GRACE_SECONDS: '1' }
const POLL_MS = 2
/** What is acknowledged too early is still being written then. */
const AFTER_MS = 20
const MAX_MISSED_SHARE = 0.2

export async function runR1({ seed, every, tell }: SyscallRun): Promise<SyscallReport | { readonly missing: string }> {
  const missing = straceMissing()
  if (missing !== undefined) return { missing }
  const world = await createWorld(seed, { env: QUIET })
  const { ledger, server, random } = world
  try {
    const calls = await countCalls(world)
    const strikes = planned(calls, every, random.fork('strikes'))
    const total = [...strikes.values()].flat().length
    tell(`${[...calls.values()].flat().length} calls in ${calls.size} phases, ${total} kills`)
    const report = { kills: {}, missed: 0 }
    for (let index = 1; ledger.faults.length === 0 && [...strikes.values()].some(({ length }) => length > 0); index++) {
      await tellStory(world, `story-${index}`, struck(world, strikes, report))
      tell(`after ${index} stories: ${ledger.counts.kills} of ${total} kills`)
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

/** Of the second story: what only a new database does is in the first. */
async function countCalls(world: World): Promise<ReadonlyMap<string, readonly DurableCall[]>> {
  await tellStory(world, 'first', (_, work) => work())
  const calls = new Map<string, readonly DurableCall[]>()
  await tellStory(world, 'counted', async (phase, work) => {
    const watching = await watch(world.server.pid())
    const value = await work()
    await pause(AFTER_MS)
    calls.set(phase, await watching.stop())
    return value
  })
  for (const [phase, { length }] of calls) if (length === 0) world.ledger.fault(`${phase} writes nothing`)
  return calls
}

/** By phase, in order. */
type Strikes = ReadonlyMap<string, Strike[]>

function planned(calls: ReadonlyMap<string, readonly DurableCall[]>, every: number, random: Random): Strikes {
  let toGo = random.integer(1, every)
  const strikesOf = (made: readonly DurableCall[]) => {
    const numbers = new Map<string, number>()
    return made.flatMap(({ thread, call }) => {
      const number = (numbers.get(`${thread} ${call}`) ?? 0) + 1
      numbers.set(`${thread} ${call}`, number)
      if (--toGo > 0) return []
      toGo = every
      return [{ thread, call, number }]
    })
  }
  return new Map([...calls].map(([phase, made]) => [phase, strikesOf(made)]))
}

interface Tally {
  readonly kills: Record<string, number>
  missed: number
}

/** Strikes once in each phase that has a strike left. */
function struck(world: World, strikes: Strikes, tally: Tally): During {
  return async (phase, work) => {
    const strike = strikes.get(phase)?.shift()
    if (strike === undefined || world.ledger.faults.length > 0) return work()
    const { value, isKilled } = await killedAt(world, { phase, strike, work })
    if (isKilled) {
      const met = `${phase}: ${strike.call} of ${strike.thread}`
      tally.kills[met] = (tally.kills[met] ?? 0) + 1
    } else tally.missed++
    return value
  }
}

interface Blow<Value> {
  readonly phase: string
  readonly strike: Strike
  readonly work: () => Promise<Value>
}

/** The work goes on after the restart, and is done when this resolves. `isKilled` is false when it was done before that call. */
async function killedAt<Value>(
  { server, ledger, oracle, api }: World,
  { phase, strike, work }: Blow<Value>,
): Promise<{ readonly value: Value; readonly isKilled: boolean }> {
  const armed = await arm(server.pid(), strike)
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  // Whoever breaks off meanwhile is heard below.
  working.catch(() => undefined)
  while (!isDone && server.isRunning()) await pause(POLL_MS)
  if (server.isRunning()) await pause(AFTER_MS)
  await armed.disarm()
  const isKilled = !server.isRunning()
  if (isKilled) {
    ledger.counts.kills++
    for (const fault of await oracle.examine({ also: (database) => judgeRows(database, ledger) }))
      ledger.fault(`${phase}, killed at ${strike.call} ${strike.number} of ${strike.thread}: ${fault}`)
    await server.restart()
    await judgeOpenSessions({ api, ledger })
  }
  return { value: await working, isKilled }
}
