/** Does the pieces of work of a page, a few items at once. */
import type { Entry, WorkEntries } from './workEntries.ts'
import { laneOf, type StoredWork, type WorkItem, type WorkOrder } from './workOrder.ts'
import { type Outcome, restMsAfter } from './workTrouble.ts'

/** Browsers send six requests at once. */
const MAX_AT_ONCE = { short: 3, up: 2, down: 2 } as const

export interface WorkPorts {
  /**
   * Does one item; the same call repeated does the rest. `already`: another tab, device or call had done it.
   * `isFirstTry`: no call before can have begun it. `isStopped`: only what the server has begun is done. A step that is
   * given up by the signal rejects. `onShare` takes numbers between 0 and 1.
   */
  readonly step: (
    item: WorkItem,
    how: {
      readonly isFirstTry: boolean
      readonly isStopped: boolean
      readonly signal: AbortSignal
      readonly onShare: (share: number) => void
    },
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
  /** Begins the next pieces, unless others run. */
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
  const running = new Set<Promise<void>>()

  function runNext(): void {
    for (const lane of ['short', 'up', 'down'] as const) {
      const all = entries.all().filter(({ order }) => laneOf(order) === lane)
      const next = all.find(({ phase }) => phase === 'queued')
      if (isEnded || next === undefined || all.some(isRunning)) continue
      const ended = run(next)
      running.add(ended)
      void ended.finally(() => running.delete(ended)).then(runNext)
    }
  }

  async function run(entry: Entry): Promise<void> {
    entry.stopper = new AbortController()
    entries.change(entry, { phase: 'running' })
    await entry.stored
    const { last } = entry.order
    const queue = [...entry.left.values()].filter(({ id }) => id !== last?.id).values()
    const worker = async () => {
      for (const item of queue) if (entry.left.has(item.id)) await doItem(entry, item)
    }
    await Promise.all(Array.from({ length: MAX_AT_ONCE[laneOf(entry.order)] }, worker))
    if (last !== undefined && entry.left.size === 1) await doItem(entry, last)
    if (!isEnded) await finish(entry)
  }

  async function doItem(entry: Entry, item: WorkItem): Promise<void> {
    for (let tries = 1; !isEnded && (!entry.isStopped || mustEnd(entry, item)); tries++) {
      const isFirstTry = !entry.tried.has(item.id)
      entry.tried.add(item.id)
      entry.onTheirWay.add(item.id)
      const { isStopped, stopper } = entry
      const onShare = (share: number) => entries.showShare(entry, item, share)
      try {
        const outcome = await ports.step(item, { isFirstTry, isStopped, signal: stopper.signal, onShare })
        if (outcome === 'done') entry.done.push(item)
        else entry[outcome] += 1
        entry.left.delete(item.id)
        await ports.forgetItems([item.id])
        listeners.onItem(item)
        return
      } catch (error) {
        if (stopper.signal.aborted && !mustEnd(entry, item)) return
        const restMs = restMsAfter(error, tries)
        if (restMs === undefined) entry.failures.set(item.id, { item, error })
        if (restMs === undefined || isEnded) return
        await entries.rest(entry, (signal) => ports.wait(restMs, signal))
      } finally {
        entry.onTheirWay.delete(item.id)
        entry.shares.delete(item.id)
        entries.notify()
      }
    }
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
    listeners.onReport({ order, total, doneItems, done: doneItems.length, already, stopped, failed: failures.size })
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
      giveUpAll(entries)
      await Promise.all(running)
    },
  }
}

function giveUpAll(entries: WorkEntries): void {
  for (const { stopper } of entries.all()) stopper.abort()
  wakeAll(entries)
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
