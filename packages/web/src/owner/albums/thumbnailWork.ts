/** Makes thumbnails of many kept files, two at a time. It goes on while other pages are shown, until the tab closes. */
import type { Owner } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useOwnerPages } from '../context.ts'
import { onOwnerLeave } from '../ownerLeave.ts'
import { useWorked } from '../work/work.ts'
import type { WorkItem } from '../work/workOrder.ts'
import { isMadeWhenKept, makeThumbnailOf } from './thumbnails.ts'

/** While one is drawn, the next is read. More would hold more large files in the memory. */
const MAX_AT_ONCE = 2

export interface ThumbnailProgress {
  readonly total: number
  readonly finished: number
  readonly made: number
  /** Get no thumbnail. */
  readonly none: number
  readonly failed: number
}

export interface ThumbnailWork {
  /** Of the files that were added since the work began; undefined when none is left. */
  progress(): ThumbnailProgress | undefined
  /** Files that were tried and got none: they are not offered again. */
  readonly tried: ReadonlySet<AssetId>
  add(assetIds: readonly AssetId[]): void
  /** Begins no more; what is drawn now is given up. */
  stop(): void
  subscribe(listener: () => void): () => void
  /** Calls back when the work has ended or was stopped. */
  onEnd(listener: (progress: ThumbnailProgress) => void): () => void
}

/** `makeOne` resolves with whether it has made one. */
export function createThumbnailWork(
  makeOne: (assetId: AssetId, signal: AbortSignal) => Promise<boolean>,
): ThumbnailWork {
  const [listeners, endings] = [new Set<() => void>(), new Set<(progress: ThumbnailProgress) => void>()]
  const tried = new Set<AssetId>()
  let waiting: readonly AssetId[] = []
  let counts = { made: 0, none: 0, failed: 0 }
  let running = new Map<AssetId, AbortController>()

  const finished = () => counts.made + counts.none + counts.failed
  const progress = () => ({ ...counts, finished: finished(), total: finished() + running.size + waiting.length })
  const notify = () => {
    for (const listener of listeners) listener()
  }

  function startMore(): void {
    while (running.size < MAX_AT_ONCE) {
      const [next, ...others] = waiting
      if (next === undefined) break
      waiting = others
      void runOne(next, new AbortController())
    }
    if (running.size === 0 && waiting.length === 0) end()
    notify()
  }

  async function runOne(assetId: AssetId, stopper: AbortController): Promise<void> {
    running.set(assetId, stopper)
    const outcome = await makeOne(assetId, stopper.signal).then(
      (isMade) => (isMade ? 'made' : 'none'),
      () => 'failed' as const,
    )
    if (stopper.signal.aborted) return
    running.delete(assetId)
    if (outcome !== 'failed') tried.add(assetId)
    counts = { ...counts, [outcome]: counts[outcome] + 1 }
    startMore()
  }

  function end(): void {
    const last = progress()
    counts = { made: 0, none: 0, failed: 0 }
    if (last.total > 0) for (const listener of endings) listener(last)
  }

  return {
    tried,
    progress: () => (running.size === 0 ? undefined : progress()),
    add(assetIds) {
      const known = new Set([...waiting, ...running.keys()])
      waiting = [...waiting, ...assetIds.filter((assetId) => !known.has(assetId))]
      startMore()
    },
    stop() {
      for (const stopper of running.values()) stopper.abort()
      waiting = []
      running = new Map()
      startMore()
    },
    subscribe: (listener) => added(listeners, listener),
    onEnd: (listener) => added(endings, listener),
  }
}

function added<Listener>(to: Set<Listener>, listener: Listener): () => void {
  to.add(listener)
  return () => void to.delete(listener)
}

const started = new WeakMap<Owner, ThumbnailWork>()

function thumbnailWorkOf(owner: Owner): ThumbnailWork {
  const known = started.get(owner)
  if (known !== undefined) return known
  const work = createThumbnailWork((assetId, signal) => makeThumbnailOf(owner, assetId, signal))
  started.set(owner, work)
  onOwnerLeave(owner, work.stop)
  return work
}

/** The work and how far it is. */
export function useThumbnailWork(): ThumbnailWork & { readonly now: ThumbnailProgress | undefined } {
  const { owner } = useOwnerPages()
  const work = thumbnailWorkOf(owner)
  const [now, setNow] = useState(work.progress)
  useEffect(() => {
    const read = () => setNow(work.progress())
    read()
    return work.subscribe(read)
  }, [work])
  return { ...work, now }
}

/** Makes those of files that are kept from now on, if the owner wants that. */
export function useThumbnailsOfKept(): void {
  const { owner } = useOwnerPages()
  const onWorked = useCallback(
    (item: WorkItem) => {
      if (item.do === 'keep' && isMadeWhenKept()) thumbnailWorkOf(owner).add([item.assetId])
    },
    [owner],
  )
  useWorked(onWorked)
}
