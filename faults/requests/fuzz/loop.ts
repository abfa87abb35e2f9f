/** How long single requests hold the event loop of a server that was started with `loopProbe.ts`. */
import { closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Call } from '../../../conformance/call.ts'
import { LOOK_EVERY_MS } from './loopProbe.ts'

/** The most that one request may use of the main thread without a pause: other requests wait for that long. */
export const MAX_TURN_MS = 50
/** Others' garbage collection, or uncompiled code, does not meet a request three times. */
const REPEATS = 3
/** `calibrationMs` where `MAX_TURN_MS` was set. Slower machines get more time, faster ones not less. */
const USUAL_CALIBRATION_MS = 10
/** Calls whose times are remembered, to find the one that a long turn belongs to. */
const MAX_REMEMBERED = 20_000

const PROBE = fileURLToPath(new URL('./loopProbe.ts', import.meta.url))

/** One long turn, in milliseconds: begin and end by the clock, and what the main thread worked in between. */
interface Turn {
  readonly from: number
  readonly to: number
  readonly workedMs: number
}

/** Sends one request of a kind, not the same one twice if it changes something. Resolves when it is answered. */
export type SendOne = () => Promise<unknown>

export interface LoopWatch {
  /** The most for a turn on this machine. Grows when other processes take cores and caches. */
  readonly maxMs: number
  /** Longest turn so far that a request was found to cause. */
  longest(): { readonly name: string; readonly workedMs: number }
  /** Remembers when a call was under way. */
  note<Answer>(call: Call, answer: () => Promise<Answer>): Promise<Answer>
  /** Calls that were under way during turns that were too long, and forgets all calls. */
  suspects(): Promise<readonly Call[]>
  /**
   * The longest turn of a request that is sent alone, three times if the first turn was too long: the shortest of
   * those. `before` makes what the request needs, each time; its turns do not count. Turns of what was sent earlier may
   * count the first time.
   */
  measure(name: string, send: SendOne, before?: () => Promise<unknown>): Promise<number>
  /** The longest turn of several requests, each sent when the one before is answered. Earlier ones may count. */
  measureSeveral(name: string, sends: readonly SendOne[]): Promise<number>
}

/** Settings of a server that is watched. `file` is an empty file. */
export function watchedEnv(file: string): Readonly<Record<string, string>> {
  return {
    BLINDKEEP_LOOP_PROBE: file,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning --import=${PROBE}`.trim(),
  }
}

/** `ping` asks the server for something cheap. When it is answered, every earlier turn has been written down. */
export function createLoopWatch(file: string, ping: () => Promise<unknown>): LoopWatch {
  let maxMs = allowedMs()
  const turnsSince = turnReader(file)
  let under: (Omit<Turn, 'workedMs'> & { readonly call: Call })[] = []
  let longest = { name: 'none', workedMs: 0 }

  async function alone(send: SendOne, before?: SendOne): Promise<number> {
    if (before !== undefined) {
      await before()
      await settled()
    }
    turnsSince()
    await send()
    await settled()
    return Math.max(0, ...turnsSince().map(({ workedMs }) => workedMs))
  }

  /**
   * The probe writes a turn down when the next one begins and its time has come: the second answer is from a later turn
   * than the first.
   */
  async function settled(): Promise<void> {
    await wait(LOOK_EVERY_MS + 1)
    await ping()
    await ping()
  }

  return {
    get maxMs() {
      return maxMs
    },
    longest: () => longest,
    async note(call, answer) {
      const from = Date.now()
      try {
        return await answer()
      } finally {
        if (under.length < MAX_REMEMBERED) under.push({ from, to: Date.now(), call })
      }
    },
    async suspects() {
      await settled()
      const turns = turnsSince().filter(({ workedMs }) => workedMs > maxMs)
      const found = under.filter(({ from, to }) => turns.some((turn) => turn.from <= to && from <= turn.to))
      under = []
      return found.map(({ call }) => call)
    },
    async measure(name, send, before) {
      let least = await alone(send, before)
      for (let repeat = 1; repeat < REPEATS && least > maxMs; repeat++) {
        least = Math.min(least, await alone(send, before))
        maxMs = Math.max(maxMs, allowedMs())
      }
      if (least > longest.workedMs) longest = { name, workedMs: least }
      return least
    },
    async measureSeveral(name, sends) {
      const workedMs = await alone(async () => {
        for (const send of sends) await send()
      })
      if (workedMs > longest.workedMs && workedMs <= maxMs) longest = { name, workedMs }
      return workedMs
    },
  }
}

/** Each call returns the turns that were written since the last one. */
function turnReader(file: string): () => readonly Turn[] {
  let position = 0
  const buffer = Buffer.alloc(64 * 1024)
  return () => {
    const handle = openSync(file, 'r')
    let text = ''
    for (;;) {
      const count = readSync(handle, buffer, 0, buffer.length, position)
      position += count
      text += buffer.toString('latin1', 0, count)
      if (count === 0) break
    }
    closeSync(handle)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ').map(Number))
      .map(([from = 0, to = 0, workedMs = 0]) => ({ from, to, workedMs }))
  }
}

function allowedMs(): number {
  return MAX_TURN_MS * Math.max(1, calibrationMs() / USUAL_CALIBRATION_MS)
}

/** Work like the server's, a fixed amount: the least of several times, without waiting. */
function calibrationMs(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, values: [index, null] })),
  )
  const times = Array.from({ length: 7 }, () => {
    const before = process.threadCpuUsage()
    JSON.stringify(JSON.parse(text))
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
