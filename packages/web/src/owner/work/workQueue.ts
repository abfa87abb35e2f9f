/**
 * Pieces of work on many files, one after the other in each lane, a few files at once. Each is stored before its first
 * step, and each file is forgotten when it is done: what is stored is what is left. Steps and browser are behind
 * `WorkPorts`.
 */
import { createWorkEntries, type Work, type WorkEntries } from './workEntries.ts'
import type { StoredWork, WorkItem, WorkOrder } from './workOrder.ts'
import {
  createWorkRunner,
  isRunning,
  mustEnd,
  type WorkPorts,
  type WorkReport,
  type WorkRunner,
  wakeAll,
} from './workRunner.ts'

/** Meanwhile its owner may have decided otherwise elsewhere. */
const MAX_AGE_MS = 86_400_000

export interface WorkQueue {
  works(): readonly Work[]
  /** Calls back whenever `works` has changed. */
  subscribe(listener: () => void): () => void
  /** Each item that is done, also `already`. */
  onItem(listener: (item: WorkItem) => void): () => void
  onReport(listener: (report: WorkReport) => void): () => void
  /**
   * Takes its items out of all other work, except those that are on their way: those stay there. Returns how many they
   * are.
   */
  begin(order: WorkOrder): number
  /** Adds work of pages that have left. What is old waits for `goOn`. */
  restore(stored: readonly StoredWork[]): void
  /** Tries again what failed, or begins what waits for its owner. */
  goOn(workId: string): void
  /** Forgets what is not begun, and failures, and gives up transfers. A file that has left the inbox is signed. */
  stop(workId: string): void
  /** The connection is back. */
  wake(): void
  /** Begins nothing more and forgets nothing. Resolves when no step runs. */
  end(): Promise<void>
}

export function createWorkQueue(ports: WorkPorts): WorkQueue {
  const entries = createWorkEntries()
  const [items, reports] = [new Set<(item: WorkItem) => void>(), new Set<(report: WorkReport) => void>()]
  const runner = createWorkRunner(ports, entries, {
    onItem(item) {
      for (const listener of items) listener(item)
    },
    onReport(report) {
      for (const listener of reports) listener(report)
    },
  })
  const entryOf = (workId: string) => entries.all().find(({ id }) => id === workId)

  return {
    works: entries.works,
    subscribe: entries.subscribe,
    onItem: (listener) => added(items, listener),
    onReport: (listener) => added(reports, listener),

    begin(wanted) {
      const order = claim(wanted, entries, runner)
      const total = order.items.length
      const busy = wanted.items.length - total
      if (total === 0 && order.last === undefined) return busy
      const work = { id: ports.newId(), order, total, begun: new Set<string>(), begunAt: ports.now() }
      const store = async () => {
        await ports.forgetItems(order.items.map(({ id }) => id))
        await ports.store(work)
      }
      entries.insert(work, { phase: 'queued', stored: store() })
      runner.runNext()
      return busy
    },

    restore(stored) {
      for (const work of stored) {
        if (entryOf(work.id) !== undefined) continue
        const isOld = ports.now() - work.begunAt > MAX_AGE_MS
        entries.insert(work, { phase: isOld ? 'asking' : 'queued', stored: Promise.resolve() })
      }
      runner.runNext()
    },

    goOn(workId) {
      const entry = entryOf(workId)
      if (entry === undefined || isRunning(entry)) return
      entry.failures.clear()
      entries.change(entry, { phase: 'queued' })
      runner.runNext()
    },

    stop(workId) {
      const entry = entryOf(workId)
      if (entry === undefined) return
      const isToEnd = [...entry.left.values()].some((item) => mustEnd(entry, item))
      if (!isRunning(entry) && !isToEnd) return void runner.remove(entry)
      entry.isStopped = true
      if (!isRunning(entry)) entry.phase = 'queued'
      entry.stopper.abort()
      for (const each of entry.resting) each.abort()
      entries.notify()
      runner.runNext()
    },

    wake: () => wakeAll(entries),
    end: runner.end,
  }
}

/** Takes its items out of all other work. Returns the order without what is on its way there. */
function claim(order: WorkOrder, entries: WorkEntries, runner: WorkRunner): WorkOrder {
  const busy = new Set<string>(entries.all().flatMap(({ onTheirWay }) => [...onTheirWay]))
  const items = order.items.filter(({ id }) => !busy.has(id))
  for (const entry of entries.all()) {
    for (const { id } of items) {
      entry.left.delete(id)
      entry.failures.delete(id)
    }
    if (!isRunning(entry) && entry.left.size === 0) void runner.remove(entry)
  }
  return { ...order, items }
}

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
