import type { Log } from '../ports/log.ts'
import type { Node } from '../ports/node.ts'
import { StoreBroken } from '../ports/store.ts'

/** A row of the table of periodic work (`table.ts`). */
export interface Work<Name extends string = string> {
  readonly name: Name
  readonly everyMs: number | 'on demand'
  readonly isFirstAtStart?: boolean
  /** `everyMs` counts from the end of a run, so that a slow disk has time for other reads. */
  readonly isCountedFromEnd?: boolean
  /** On each node, or on one of them at a time: the one that has the turn of this name. */
  readonly where: 'each node' | { readonly turn: string }
  /**
   * Work of one queue waits for each other, so that reading a large object delays no sweep. Work without one runs
   * beside all other; what is due while it runs is left out.
   */
  readonly queue?: string
  /** `stop` does not wait for it. */
  readonly isLeftAtEnd?: boolean
  /** Asked before a turn is taken from other nodes. */
  readonly isNeeded?: () => Promise<boolean>
  /** The event of the log when it fails. Without one it says so itself. */
  readonly failure?: string
  run(signal: AbortSignal): Promise<unknown>
}

export interface RunningWork<Name extends string = string> {
  /** Runs the work of this name as soon as its queue has time. */
  soon(name: Name): void
  /** Aborts the signal of what runs. Resolves when nothing runs that has to end. */
  stop(): Promise<void>
}

interface WorkPorts {
  readonly node: Pick<Node, 'inTurn'>
  readonly log: Log
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

/** Runs each row at its times until it is stopped. What fails is run again at its next time. */
export function startWork<Name extends string>(
  rows: readonly Work<Name>[],
  { node, log, onBroken }: WorkPorts,
): RunningWork<Name> {
  const ending = new AbortController()
  const { signal } = ending
  const timers = new Map<Work, NodeJS.Timeout>()
  const waiting = new Set<Work>()
  /** The last work of each queue. It never rejects. */
  const queues = new Map<string, Promise<void>>()

  function soon(row: Work): void {
    if (waiting.has(row)) return
    waiting.add(row)
    const queue = row.queue ?? row.name
    queues.set(
      queue,
      (queues.get(queue) ?? Promise.resolve()).then(() => runNow(row)),
    )
  }

  async function runNow(row: Work): Promise<void> {
    // What is asked for from now on may need what this run does not see.
    if (row.queue !== undefined) waiting.delete(row)
    if (signal.aborted) return
    await runInTurn(row).catch((error: unknown) => fail(row, error))
    if (row.queue === undefined) waiting.delete(row)
    if (row.isCountedFromEnd === true && !signal.aborted)
      timers.set(
        row,
        setTimeout(() => soon(row), Number(row.everyMs)),
      )
  }

  async function runInTurn({ where, isNeeded, run }: Work): Promise<void> {
    if (isNeeded !== undefined && !(await isNeeded())) return
    const work = async () => void (await run(signal))
    await (where === 'each node' ? work() : node.inTurn(where.turn, work))
  }

  function fail({ name, failure }: Work, error: unknown): void {
    if (signal.aborted && error === signal.reason) return
    if (failure !== undefined) log.error(failure, { job: name, error })
    if (error instanceof StoreBroken) onBroken(error)
  }

  for (const row of rows) {
    if (typeof row.everyMs === 'number' && row.isCountedFromEnd !== true)
      timers.set(
        row,
        setInterval(() => soon(row), row.everyMs),
      )
    if (row.isFirstAtStart === true) soon(row)
  }
  return {
    soon(name) {
      for (const row of rows) if (row.name === name) soon(row)
    },
    async stop() {
      ending.abort(new Error('the server ends'))
      for (const timer of timers.values()) clearTimeout(timer)
      const awaited = rows.filter(({ isLeftAtEnd }) => isLeftAtEnd !== true)
      await Promise.all(awaited.map(({ queue, name }) => queues.get(queue ?? name)))
    },
  }
}
