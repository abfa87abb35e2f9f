/** Does the pieces of work of a page, one after the other, a few items at once. */
import type { Entry, WorkEntries } from './workEntries.ts'
import type { StoredWork, WorkItem, WorkOrder } from './workOrder.ts'
import { type Outcome, restMsAfter } from './workTrouble.ts'

/** Each file takes one to three small requests. Browsers send six at once. */
const MAX_AT_ONCE = 3

export interface WorkPorts {
  /**
   * Does one item; the same call repeated does the rest. `already`: another tab, device or call had done it.
   * `isFirstTry`: no call before can have begun it. `isStopped`: only what the server has begun is done.
   */
  readonly step: (
    item: WorkItem,
    how: { readonly isFirstTry: boolean; readonly isStopped: boolean },
  ) => Promise<Outcome>
  /** Durable when it resolves, if the browser stores anything. Must not reject, like the next two. */
  readonly store: (work: StoredWork) => Promise<void>
  readonly forget: (workId: string) => Promise<void>
  /** In every piece of work of the account. */
  readonly forgetItems: (itemIds: readonly string[]) => Promise<void>
  readonly newId: () => string
  /** Milliseconds, by this device's clock. */
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How a piece of work has ended: since it was begun, restored or tried again. */
export interface WorkReport {
  readonly order: WorkOrder
  /** Items at its beginning: more than in `order` if a page before has begun it. */
  readonly total: number
  readonly doneItems: readonly WorkItem[]
  readonly done: number
  readonly already: number
  /** Not begun, because its owner has stopped it. */
  readonly stopped: number
  readonly failed: number
}

export interface WorkRunner {
  /** Begins the next piece, unless one runs. */
  runNext(): void
  remove(entry: Entry): Promise<void>
  /** Begins nothing more. Resolves when no step runs. */
  end(): Promise<void>
}

interface Listeners {
  readonly onItem: (item: WorkItem) => void
  readonly onReport: (report: WorkReport) => void
}

export function createWorkRunner(ports: WorkPorts, entries: WorkEntries, listeners: Listeners): WorkRunner {
  let isEnded = false
  let running: Promise<void> = Promise.resolve()

  function runNext(): void {
    const next = entries.all().find(({ phase }) => phase === 'queued')
    if (isEnded || next === undefined || entries.all().some(isRunning)) return
    running = run(next).finally(runNext)
  }

  async function run(entry: Entry): Promise<void> {
    entries.change(entry, { phase: 'running' })
    await entry.stored
    const { last } = entry.order
    const queue = [...entry.left.values()].filter(({ id }) => id !== last?.id).values()
    const worker = async () => {
      for (const item of queue) if (entry.left.has(item.id)) await doItem(entry, item)
    }
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker))
    if (last !== undefined && entry.left.size === 1) await doItem(entry, last)
    if (!isEnded) await finish(entry)
  }

  async function doItem(entry: Entry, item: WorkItem): Promise<void> {
    for (let tries = 1; !isEnded && (!entry.isStopped || mustEnd(entry, item)); tries++) {
      const isFirstTry = !entry.tried.has(item.id)
      entry.tried.add(item.id)
      entry.onTheirWay.add(item.id)
      try {
        const outcome = await ports.step(item, { isFirstTry, isStopped: entry.isStopped })
        if (outcome === 'done') entry.done.push(item)
        else entry[outcome] += 1
        entry.left.delete(item.id)
        await ports.forgetItems([item.id])
        listeners.onItem(item)
        return
      } catch (error) {
        const restMs = restMsAfter(error, tries)
        if (restMs === undefined) entry.failures.set(item.id, { item, error })
        if (restMs === undefined || isEnded) return
        await rest(entry, restMs)
      } finally {
        entry.onTheirWay.delete(item.id)
        entries.notify()
      }
    }
  }

  async function rest(entry: Entry, ms: number): Promise<void> {
    const resting = new AbortController()
    entry.resting.add(resting)
    entries.notify()
    await ports.wait(ms, resting.signal).catch(() => undefined)
    entry.resting.delete(resting)
  }

  async function finish(entry: Entry): Promise<void> {
    const { order, total, done: doneItems, already, failures } = entry
    const forgotten = entry.isStopped ? [...entry.left.keys()].filter((id) => !failures.has(id)) : []
    const stopped = entry.stopped + forgotten.length
    for (const id of forgotten) entry.left.delete(id)
    await ports.forgetItems(forgotten)
    if (failures.size === 0) await remove(entry)
    else entries.change(entry, { phase: 'failed' })
    Object.assign(entry, { isStopped: false, done: [], already: 0, stopped: 0 })
    listeners.onReport({
      ...{ order, total, doneItems, done: doneItems.length },
      ...{ already, stopped, failed: failures.size },
    })
  }

  async function remove(entry: Entry): Promise<void> {
    entries.delete(entry)
    await ports.forget(entry.id)
  }

  return {
    runNext,
    remove,
    async end() {
      isEnded = true
      wakeAll(entries)
      await running
    },
  }
}

export const isRunning = ({ phase }: Entry) => phase === 'running'

/** What waits for its next try goes on at once. */
export function wakeAll(entries: WorkEntries): void {
  for (const { resting } of entries.all()) for (const each of resting) each.abort()
}

/** A file that may have left the inbox needs its signature. */
export function mustEnd({ tried, failures }: Entry, item: WorkItem): boolean {
  return item.do === 'keep' && tried.has(item.id) && !failures.has(item.id)
}
