/** Tells the other tabs how far this page's work is, and takes over the work of pages that have left. */
import { holdPage, whenPageLeft } from '../ground/pageLock.ts'
import type { WorkPhase } from './workEntries.ts'
import type { WorkKind } from './workOrder.ts'
import type { WorkQueue } from './workQueue.ts'
import type { WorkStore } from './workStore.ts'

/** The work of another tab: numbers, and no names. */
export interface ForeignWork {
  readonly id: string
  readonly kind: WorkKind
  readonly phase: WorkPhase
  readonly total: number
  readonly finished: number
  readonly share: number
}

interface Announcement {
  readonly accountId: string
  readonly baseUrl: string
  readonly pageId: string
  /** Undefined from a page that has come, and asks the others. */
  readonly works: readonly ForeignWork[] | undefined
}

export interface WorkTabs {
  /** Resolves when this page has its lock, and rejects in a browser that has none. Before, nothing is stored for it. */
  readonly held: Promise<void>
  works(): readonly ForeignWork[]
  subscribe(listener: () => void): () => void
  /** This page's work has changed. */
  announce(): void
}

interface WorkTabsOptions {
  readonly accountId: string
  readonly baseUrl: string
  readonly pageId: string
  readonly store: Pick<WorkStore, 'pages' | 'takeOver'>
  readonly queue: Pick<WorkQueue, 'works' | 'restore'>
  /** Resolves when no step of this page runs, as far as it can wait for them. */
  readonly end: () => Promise<void>
  /** Aborts when the owner leaves this page. */
  readonly left: AbortSignal
}

const CHANNEL = 'blindkeep.work'
/** A thousand items must not send a thousand announcements. */
const ANNOUNCE_MS = 300

export function joinWorkTabs({ accountId, baseUrl, pageId, store, queue, end, left }: WorkTabsOptions): WorkTabs {
  const channel = new BroadcastChannel(CHANNEL)
  const listeners = new Set<() => void>()
  const others = new Map<string, readonly ForeignWork[]>()
  let isWaiting = false

  function send(works: Announcement['works']): void {
    if (!left.aborted) channel.postMessage({ accountId, baseUrl, pageId, works } satisfies Announcement)
  }

  function announce(): void {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      send(
        queue.works().map(({ order: { kind }, ...work }) => {
          const { id, phase, total, finished, share } = work
          return { id, kind, phase, total, finished, share }
        }),
      )
    }, ANNOUNCE_MS)
  }

  function show(page: string, works: readonly ForeignWork[]): void {
    others.set(page, works)
    for (const listener of listeners) listener()
  }

  function meet(page: string): void {
    if (page === pageId || others.has(page)) return
    show(page, [])
    whenPageLeft(lockOf(page), left, async () => {
      others.delete(page)
      show(page, [])
      queue.restore(await store.takeOver(page, pageId))
    })
  }

  channel.onmessage = ({ data }: MessageEvent<Announcement>) => {
    if (data.accountId !== accountId || data.baseUrl !== baseUrl) return
    meet(data.pageId)
    if (data.works === undefined) announce()
    else show(data.pageId, data.works)
  }
  left.addEventListener('abort', () => {
    send([])
    channel.close()
  })
  const held = holdPage(lockOf(pageId), left, end).then(async () => {
    for (const page of await store.pages()) meet(page)
    send(undefined)
  })
  // Without its lock, work ends with this page: what is stored would be taken over while it runs.
  held.catch(() => undefined)
  return {
    held,
    announce,
    works: () => [...others.values()].flat(),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const lockOf = (pageId: string) => `blindkeep.work.${pageId}`
