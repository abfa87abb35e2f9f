/**
 * Reads the names of files that may belong to the batches in view. Only the sealed header of a file says so, and files
 * of one go land close together: so the names beside the known files of a batch are read, until some in a row do not
 * belong to it.
 */
import type { OpaqueId } from '@blindkeep/protocol/ids'
import { batchIdOf } from './batches.ts'
import { isUnread, type ListedDrop } from './dropList.ts'

/** Guests who send at the same time through the same link have their files between each other's. */
const MAX_PASSED = 12
/** One less than are read at once: a name that comes into view does not wait for all of these. */
const MAX_AT_ONCE = 3

export interface BatchReading {
  /** Wants all files of this batch (`batchIdOf`), until the returned function is called. */
  want(batchId: string): () => void
  /** Call it when the list has changed. */
  look(): void
  /** Links of which names are read at present. */
  links(): ReadonlySet<OpaqueId>
}

interface BatchReadingPorts {
  readonly drops: () => readonly ListedDrop[]
  /** As `InboxDrops.readName`. Calls back when the name is read, or cannot be read. */
  readonly read: (drop: ListedDrop, onEnd: () => void) => () => void
}

export function createBatchReading({ drops, read }: BatchReadingPorts): BatchReading {
  const wanted = new Map<string, number>()
  const running = new Map<string, ListedDrop>()
  let queue: ListedDrop[] = []

  function look(): void {
    queue = wanted.size === 0 ? [] : [...nearbyDrops(drops(), new Set(wanted.keys()))]
    readMore()
  }

  function readMore(): void {
    while (running.size < MAX_AT_ONCE) {
      const drop = queue.shift()
      if (drop === undefined) return
      if (!running.has(drop.dropId)) start(drop)
    }
  }

  function start(drop: ListedDrop): void {
    running.set(drop.dropId, drop)
    const release = read(drop, () => {
      // A name that is there already calls back before it returns.
      queueMicrotask(() => {
        release()
        running.delete(drop.dropId)
        if (queue.length === 0) look()
        else readMore()
      })
    })
  }

  return {
    want(batchId) {
      wanted.set(batchId, (wanted.get(batchId) ?? 0) + 1)
      look()
      return () => {
        const others = (wanted.get(batchId) ?? 1) - 1
        if (others > 0) wanted.set(batchId, others)
        else wanted.delete(batchId)
        if (wanted.size === 0) queue = []
      }
    },
    look,
    links: () => new Set([...running.values(), ...queue].map(({ opaqueId }) => opaqueId)),
  }
}

/** The unread drops beside the known files of these batches, not more than are missing. */
export function nearbyDrops(drops: readonly ListedDrop[], batches: ReadonlySet<string>): ReadonlySet<ListedDrop> {
  const missing = missingIn(drops, batches)
  const found = new Set<ListedDrop>()
  if (missing.size > 0) for (const order of [drops, drops.toReversed()]) addNearby(order, missing, found)
  const count = [...missing.values()].reduce((sum, each) => sum + each, 0)
  return new Set([...found].slice(0, count))
}

function addNearby(drops: readonly ListedDrop[], batches: ReadonlyMap<string, number>, found: Set<ListedDrop>): void {
  /** How many drops of a link were passed since the last known file. */
  const passed = new Map<OpaqueId, number>()
  for (const drop of drops) {
    const batchId = batchIdOf(drop)
    const since = passed.get(drop.opaqueId) ?? MAX_PASSED
    if (batchId !== undefined && batches.has(batchId)) passed.set(drop.opaqueId, 0)
    else if (since < MAX_PASSED) {
      passed.set(drop.opaqueId, since + 1)
      if (isUnread(drop)) found.add(drop)
    }
  }
}

/** Files that batches claim beside known ones; any number without a claim. Complete batches are left out. */
function missingIn(drops: readonly ListedDrop[], batches: ReadonlySet<string>): ReadonlyMap<string, number> {
  const known = new Map<string, number>()
  const claimed = new Map<string, number>()
  for (const drop of drops) {
    const batchId = batchIdOf(drop)
    if (batchId === undefined || !batches.has(batchId)) continue
    known.set(batchId, (known.get(batchId) ?? 0) + 1)
    claimed.set(batchId, Math.max(claimed.get(batchId) ?? 0, drop.file?.batch?.count ?? Infinity))
  }
  const missing = [...known].map(([batchId, count]) => [batchId, (claimed.get(batchId) ?? 0) - count] as const)
  return new Map(missing.filter(([, count]) => count > 0))
}
