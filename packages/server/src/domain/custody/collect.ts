/**
 * The collector: removes objects that a receipt once vouched for and that nothing owns any more.
 *
 * orphaned → marked → deleting → removed. The collector marks an object after it has seen that its release committed,
 * and the grace window counts from the mark. So a verdict that still read the object as owned has a `checked_at` before
 * the mark, and what it called durable stays at least the window from its `checked_at` (specification, Limits,
 * Garbage-collection grace window). Each step is one conditional statement in a transaction of its own, bytes are
 * removed before their row, and nothing is kept in memory: after a crash at any point, the next run continues.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import type { Objects } from '../../ports/objects.ts'
import { isStoreBroken, type ReadTx, type Store, type StoredObject, type WriteTx } from '../../ports/store.ts'
import { partsOf } from '../ground/location.ts'

export interface CollectSettings {
  readonly collectGraceSeconds: number
  /** How long bytes in a store with keys stay that do not count any more. */
  readonly partGraceSeconds: number
}

interface CollectPorts {
  readonly store: Store
  readonly objects: Pick<Objects, 'remove'>
  /** Only in a store with keys: parts keep an object's bytes for a while, and their removal empties the keys. */
  readonly keyedBytes?: KeyedBytes | undefined
  readonly clock: Clock
}

/** The objects whose window has passed, by outcome. */
interface Collection {
  readonly deleting: readonly StoredObject[]
  /** On hold, or named by a row that should not name them: they wait for another window. */
  readonly postponed: readonly StoredObject[]
  /** Given while the collector is paused; then both lists are empty. */
  readonly pausedUntil: Instant | undefined
}

/** Per step, so that no transaction is long. */
export const MAX_COLLECT = 500
/** How far a wrong clock may have been ahead when it dated an object's state. */
export const MAX_CLOCK_AHEAD_SECONDS = 100 * 365 * 86_400

export type Collector = ReturnType<typeof createCollector>

export function createCollector(
  { store, objects, keyedBytes, clock }: CollectPorts,
  { collectGraceSeconds, partGraceSeconds }: CollectSettings,
) {
  async function listIn(state: StoredObject['state'], before: Instant): Promise<readonly StoredObject[]> {
    return store.read((tx) => tx.objects.listIn(state, before, MAX_COLLECT))
  }

  return {
    /** Marks orphaned objects, at most `MAX_COLLECT`. Returns them. */
    async mark(): Promise<readonly StoredObject[]> {
      const orphaned = await listIn('orphaned', addSeconds(clock.now(), MAX_CLOCK_AHEAD_SECONDS))
      if (orphaned.length === 0) return []
      // Read after the rows: each release had committed by then, so every snapshot without it is older than the mark.
      const seenAt = clock.now()
      await store.write([], async (tx) => {
        for (const { location, since } of orphaned) {
          // A clock that was set back may lengthen the wait, but not shorten it.
          const at = since > seenAt ? since : seenAt
          // Not if it was restored and released again meanwhile: that release may be later than `seenAt`.
          await tx.objects.mark(location, since, at)
        }
      })
      return orphaned
    },

    /** Moves objects to deleting that have been marked for longer than the window, at most `MAX_COLLECT`. */
    async startDeleting(): Promise<Collection> {
      const due = await listIn('marked', addSeconds(clock.now(), -collectGraceSeconds))
      if (due.length === 0) return { deleting: [], postponed: [], pausedUntil: undefined }
      return store.write(['removal'], (tx) => startEach(tx, due))
    },

    /**
     * Removes the bytes of deleting objects, then their rows; `before` runs before the bytes of each. An object that
     * fails does not keep the others from being removed: its error is thrown at the end.
     */
    async remove(
      deleting: readonly StoredObject[],
      before: (object: StoredObject) => Promise<void> = async () => undefined,
    ): Promise<readonly StoredObject[]> {
      const removed: StoredObject[] = []
      const removeBytes = async (object: StoredObject): Promise<void> => {
        await before(object)
        if (keyedBytes === undefined) await objects.remove(object.location)
        removed.push(object)
      }
      const removeRows = async (tx: WriteTx): Promise<void> => {
        const removeFrom = addSeconds(clock.now(), partGraceSeconds)
        for (const { location } of removed) {
          if (keyedBytes !== undefined) await tx.parts.releaseKept(partsOf(location).uploadId, removeFrom)
          await tx.objects.remove(location)
        }
      }
      await tryEachInTurn(deleting, removeBytes, isStoreBroken).finally(() =>
        removed.length === 0 ? undefined : store.write([], removeRows),
      )
      return removed
    },
  }

  async function startEach(tx: WriteTx, due: readonly StoredObject[]): Promise<Collection> {
    const at = clock.now()
    // Read in the transaction that starts the deletions, so that a committed pause stops all of them.
    const pausedUntil = await collectorPausedUntil(tx)
    if (pausedUntil !== undefined && pausedUntil > at) return { deleting: [], postponed: [], pausedUntil }
    const [deleting, postponed]: [StoredObject[], StoredObject[]] = [[], []]
    for (const object of due) {
      const { location } = object
      const before = addSeconds(at, -collectGraceSeconds)
      if (await tx.objects.startDeleting({ location, ...partsOf(location), before, at })) deleting.push(object)
      // The new mark puts it behind the others, so that an object on hold for years does not delay them.
      else if (await tx.objects.move(location, { from: 'marked', to: 'marked', at })) postponed.push(object)
    }
    return { deleting, postponed, pausedUntil: undefined }
  }
}

/**
 * Keeps every collector of this database, in any process, from deleting what a receipt vouched for until `until`: an
 * object that a snapshot taken after this commit shows as kept keeps its bytes until then. Objects in deleting are
 * still removed, and so are bytes without a receipt: no row of such a snapshot names them. Each backup has a pause of
 * its own, which ends by itself or by `resumeCollector`, and leaves those of other backups alone.
 */
export async function pauseCollector(
  tx: WriteTx,
  pauseId: string,
  times: { readonly at: Instant; readonly until: Instant },
): Promise<void> {
  await tx.pauses.set(pauseId, times)
}

/** Ends this pause. */
export async function resumeCollector(tx: WriteTx, pauseId: string): Promise<void> {
  await tx.pauses.end(pauseId)
}

/** When the last pause ends or has ended. Undefined when there is none. */
export async function collectorPausedUntil(tx: ReadTx): Promise<Instant | undefined> {
  return tx.pauses.lastEnd()
}
