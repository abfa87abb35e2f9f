import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { addSeconds, formatInstant, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { isStoreBroken, type ReadTx, type Store, type StoredObject, type WriteTx } from '../../ports/store.ts'
import { partsOf } from '../uploads/location.ts'

/**
 * The collector: removes what a receipt once vouched for and nothing owns any more.
 *
 * orphaned → marked → deleting → gone. The mark is the collector's own, set when it sees that the release has committed, and the grace window counts
 * from there. So a verdict whose rows were read before the release was checked before the mark, and what it called durable stays at least the
 * window from its `checked_at` (specification, Limits, Garbage-collection grace window). Each step is one conditional statement of its own
 * transaction, bytes go before the row that knows them, and nothing is remembered in between: wherever the process dies, the next look goes on.
 */
export interface CollectSettings {
  readonly collectGraceSeconds: number
}

interface CollectPorts {
  readonly store: Store
  readonly blobs: Pick<Blobs, 'remove'>
  readonly clock: Clock
}

/** Objects that had waited, and what was decided of them. */
export interface Judged {
  readonly deleting: readonly StoredObject[]
  /** On hold, or named by a row that should not name them: they wait out another window. */
  readonly spared: readonly StoredObject[]
  /** Given while the collector is paused; then nothing was judged. */
  readonly pausedUntil: Instant | undefined
}

/** Of each kind at a time, so that no transaction is long. */
export const MAX_COLLECT = 500
/** Seconds by which a clock that was wrong may have been ahead when an object was let go of. */
const MAX_CLOCK_AHEAD = 100 * 365 * 86_400

export type Collector = ReturnType<typeof createCollector>

export function createCollector({ store, blobs, clock }: CollectPorts, { collectGraceSeconds }: CollectSettings) {
  async function listIn(state: StoredObject['state'], before: Instant): Promise<readonly StoredObject[]> {
    return store.read((tx) => tx.objects.listIn(state, before, MAX_COLLECT))
  }

  return {
    /** Marks what nothing owns: says which, `MAX_COLLECT` at the most. */
    async mark(): Promise<readonly StoredObject[]> {
      const orphaned = await listIn('orphaned', addSeconds(clock.now(), MAX_CLOCK_AHEAD))
      if (orphaned.length === 0) return []
      // Read after the rows: each release had committed by now, and no snapshot that came before it can be younger than the mark.
      const seenAt = clock.now()
      await store.write(async (tx) => {
        for (const { location, since } of orphaned) {
          // A clock that was set back makes the wait longer, never shorter.
          const at = since > seenAt ? since : seenAt
          await tx.objects.move(location, { from: 'orphaned', to: 'marked', at })
        }
      })
      return orphaned
    },

    /** Looks again at what has been marked for longer than the window, `MAX_COLLECT` at the most. */
    async judge(): Promise<Judged> {
      const waited = await listIn('marked', addSeconds(clock.now(), -collectGraceSeconds))
      if (waited.length === 0) return { deleting: [], spared: [], pausedUntil: undefined }
      return store.write((tx) => judgeEach(tx, waited))
    },

    /** Removes the bytes of deleting objects for good, then their rows. One that fails keeps no other from going: what went wrong is thrown in the end. */
    async remove(
      deleting: readonly StoredObject[],
      before: (object: StoredObject) => Promise<void> = async () => undefined,
    ): Promise<readonly StoredObject[]> {
      const removed: StoredObject[] = []
      const removeBytes = async (object: StoredObject): Promise<void> => {
        await before(object)
        await blobs.remove(object.location)
        removed.push(object)
      }
      const forget = async (tx: WriteTx): Promise<void> => {
        for (const { location } of removed) await tx.objects.remove(location)
      }
      await tryEachInTurn(deleting, removeBytes, isStoreBroken).finally(() =>
        removed.length === 0 ? undefined : store.write(forget),
      )
      return removed
    },
  }

  async function judgeEach(tx: WriteTx, waited: readonly StoredObject[]): Promise<Judged> {
    const at = clock.now()
    // Asked inside the transaction that would startDeleting: a pause that has committed is seen by every one after it.
    const pausedUntil = await collectorPausedUntil(tx)
    if (pausedUntil !== undefined && pausedUntil > at) return { deleting: [], spared: [], pausedUntil }
    const [deleting, spared]: [StoredObject[], StoredObject[]] = [[], []]
    for (const object of waited) {
      const { location } = object
      const before = addSeconds(at, -collectGraceSeconds)
      if (await tx.objects.startDeleting({ location, ...partsOf(location), before, at })) deleting.push(object)
      // Behind all the others, so that what is spared for years cannot hold up what may go.
      else if (await tx.objects.move(location, { from: 'marked', to: 'marked', at })) spared.push(object)
    }
    return { deleting, spared, pausedUntil: undefined }
  }
}

/**
 * Has every collector of this database, beside which process it may run, startDeleting nothing that a receipt vouched for until `until`: what was kept in any
 * snapshot that is taken after this has committed keeps its bytes until then. What is deleting already still goes, and so do bytes that were never
 * vouched for: no row of such a snapshot names them. A pause is never made shorter, and ends by itself.
 */
export async function pauseCollector(tx: WriteTx, until: Instant): Promise<void> {
  const present = await collectorPausedUntil(tx)
  if (present !== undefined && present >= until) return
  await tx.server.setFact('collector_paused_until', new TextEncoder().encode(formatInstant(until)))
}

/** Ends every pause. For the one who has paused, of whom there is one at a time: nobody else may count on it. */
export async function resumeCollector(tx: WriteTx, at: Instant): Promise<void> {
  await tx.server.setFact('collector_paused_until', new TextEncoder().encode(formatInstant(at)))
}

/** Undefined when it was never paused. Throws when the fact cannot be read: nothing is collected on a guess. */
export async function collectorPausedUntil(tx: ReadTx): Promise<Instant | undefined> {
  const fact = await tx.server.fact('collector_paused_until')
  if (fact === undefined) return undefined
  const until = parseInstant(new TextDecoder().decode(fact))
  if (until === undefined) throw new Error('the fact collector_paused_until is no instant')
  return until
}
