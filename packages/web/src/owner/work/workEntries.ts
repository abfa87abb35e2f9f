/** The pieces of work of a page, in the order in which they were begun. */
import type { StoredWork, WorkItem, WorkOrder } from './workOrder.ts'

/** `waiting`: for the connection. `asking`: for its owner, because it is old. `failed`: it has ended, but for these. */
export type WorkPhase = 'queued' | 'running' | 'waiting' | 'asking' | 'failed'

export interface Failure {
  readonly item: WorkItem
  readonly error: unknown
}

/** One piece of work, as pages show it. */
export interface Work {
  readonly id: string
  readonly order: WorkOrder
  readonly phase: WorkPhase
  readonly total: number
  readonly finished: number
  /** How much of those that are on their way is done, as a number of items. */
  readonly share: number
  readonly failures: readonly Failure[]
  readonly begunAt: number
  /** Only what was begun before is still done. */
  readonly isStopping: boolean
  /** Whether the item is not done and has not failed. */
  isLeft(itemId: string): boolean
}

export interface Entry extends StoredWork {
  phase: Exclude<WorkPhase, 'waiting'>
  /** Resolves when it is stored. */
  readonly stored: Promise<void>
  readonly left: Map<string, WorkItem>
  readonly failures: Map<string, Failure>
  /** Begun by a call of this page, or perhaps by one before. */
  readonly tried: Set<string>
  /** A step of theirs runs. */
  readonly onTheirWay: Set<string>
  /** How much of these is done: between 0 and 1. */
  readonly shares: Map<string, number>
  /** Wait for their next try. */
  readonly resting: Set<AbortController>
  /** Gives up the steps that can be. */
  stopper: AbortController
  isStopped: boolean
  /** Since it was begun, restored or tried again. */
  done: WorkItem[]
  already: number
  stopped: number
}

interface NewEntry {
  readonly phase: Entry['phase']
  readonly stored: Promise<void>
}

export interface WorkEntries {
  all(): readonly Entry[]
  works(): readonly Work[]
  subscribe(listener: () => void): () => void
  insert(work: StoredWork, options: NewEntry): void
  change(entry: Entry, change: Pick<Entry, 'phase'>): void
  delete(entry: Entry): void
  /** How much of the item is done: between 0 and 1. */
  showShare(entry: Entry, item: WorkItem, share: number): void
  /** The item waits for its next try; the signal ends that. */
  rest(entry: Entry, wait: (signal: AbortSignal) => Promise<void>): Promise<void>
  notify(): void
}

/** Smaller steps of its progress are not shown. */
const SHOWN_SHARE = 0.01

export function createWorkEntries(): WorkEntries {
  let entries: readonly Entry[] = []
  let works: readonly Work[] = []
  const listeners = new Set<() => void>()

  function notify(): void {
    works = entries.map(workOf)
    for (const listener of listeners) listener()
  }

  return {
    all: () => entries,
    works: () => works,
    notify,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    insert(work, { phase, stored }) {
      const { items, last } = work.order
      const left = new Map<string, WorkItem>(
        [...items, ...(last === undefined ? [] : [last])].map((item) => [item.id, item]),
      )
      entries = [
        ...entries,
        {
          ...work,
          ...{ phase, stored, left, failures: new Map(), tried: new Set(work.begun) },
          ...{ onTheirWay: new Set(), shares: new Map(), resting: new Set(), stopper: new AbortController() },
          ...{ isStopped: false, done: [], already: 0, stopped: 0 },
        },
      ]
      notify()
    },
    change(entry, { phase }) {
      entry.phase = phase
      notify()
    },
    delete(entry) {
      entries = entries.filter((each) => each !== entry)
      notify()
    },
    showShare({ shares }, { id }, share) {
      if (Math.abs(share - (shares.get(id) ?? 0)) < SHOWN_SHARE) return
      shares.set(id, share)
      notify()
    },
    async rest({ resting }, wait) {
      const waiting = new AbortController()
      resting.add(waiting)
      notify()
      await wait(waiting.signal).catch(() => undefined)
      resting.delete(waiting)
    },
  }
}

function workOf(entry: Entry): Work {
  const { id, order, phase, total, begunAt, left, failures, shares, resting, isStopped } = entry
  return {
    ...{ id, order, total, begunAt, isStopping: isStopped },
    phase: phase === 'running' && resting.size > 0 ? 'waiting' : phase,
    finished: Math.max(0, total - left.size),
    share: [...shares.values()].reduce((sum, share) => sum + share, 0),
    failures: [...failures.values()],
    isLeft: (itemId) => left.has(itemId) && !failures.has(itemId),
  }
}
