import { addSeconds, formatInstant, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Copy, ReadTx, Store, WriteTx } from '../ports/store.ts'
import { eachInTurn } from './eachInTurn.ts'
import { partsOf } from './location.ts'

/**
 * The collector: removes what a receipt once vouched for and nothing owns any more.
 *
 * unowned → marked → doomed → gone. The mark is the collector's own, set when it sees that the release has committed, and the grace window counts
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

/** Copies that had waited, and what was decided of them. */
export interface Judged {
  readonly doomed: readonly Copy[]
  /** On hold, or named by a row that should not name them: they wait out another window. */
  readonly spared: readonly Copy[]
  /** Given while the collector is paused; then nothing was judged. */
  readonly pausedUntil: Instant | undefined
}

/** Of each kind at a time, so that no transaction is long. */
export const COLLECT_MOST = 500
/** Seconds by which a clock that was wrong may have been ahead when a copy was let go of. */
const CLOCK_AHEAD_MOST = 100 * 365 * 86_400

export type Collector = ReturnType<typeof createCollector>

export function createCollector({ store, blobs, clock }: CollectPorts, { collectGraceSeconds }: CollectSettings) {
  async function listIn(state: Copy['state'], before: Instant): Promise<readonly Copy[]> {
    return store.read((tx) => tx.copies.listIn(state, before, COLLECT_MOST))
  }

  return {
    /** Marks what nothing owns: says which, `COLLECT_MOST` at the most. */
    async mark(): Promise<readonly Copy[]> {
      const unowned = await listIn('unowned', addSeconds(clock.now(), CLOCK_AHEAD_MOST))
      if (unowned.length === 0) return []
      // Read after the rows: each release had committed by now, and no snapshot that came before it can be younger than the mark.
      const seenAt = clock.now()
      await store.write(async (tx) => {
        for (const { location, since } of unowned) {
          // A clock that was set back makes the wait longer, never shorter.
          const at = since > seenAt ? since : seenAt
          await tx.copies.move(location, { from: 'unowned', to: 'marked', at })
        }
      })
      return unowned
    },

    /** Looks again at what has been marked for longer than the window, `COLLECT_MOST` at the most. */
    async judge(): Promise<Judged> {
      const waited = await listIn('marked', addSeconds(clock.now(), -collectGraceSeconds))
      if (waited.length === 0) return { doomed: [], spared: [], pausedUntil: undefined }
      return store.write((tx) => judgeEach(tx, waited))
    },

    /** Removes the bytes of doomed copies for good, then their rows. One that fails keeps no other from going: what went wrong is thrown in the end. */
    async remove(
      doomed: readonly Copy[],
      before: (copy: Copy) => Promise<void> = async () => undefined,
    ): Promise<readonly Copy[]> {
      const removed: Copy[] = []
      const removeBytes = async (copy: Copy): Promise<void> => {
        await before(copy)
        await blobs.remove(copy.location)
        removed.push(copy)
      }
      const forget = async (tx: WriteTx): Promise<void> => {
        for (const { location } of removed) await tx.copies.remove(location)
      }
      await eachInTurn(doomed, removeBytes).finally(() => (removed.length === 0 ? undefined : store.write(forget)))
      return removed
    },
  }

  async function judgeEach(tx: WriteTx, waited: readonly Copy[]): Promise<Judged> {
    const at = clock.now()
    // Asked inside the transaction that would doom: a pause that has committed is seen by every one after it.
    const pausedUntil = await collectorPausedUntil(tx)
    if (pausedUntil !== undefined && pausedUntil > at) return { doomed: [], spared: [], pausedUntil }
    const [doomed, spared]: [Copy[], Copy[]] = [[], []]
    for (const copy of waited) {
      const { location } = copy
      const before = addSeconds(at, -collectGraceSeconds)
      if (await tx.copies.doom({ location, ...partsOf(location), before, at })) doomed.push(copy)
      // Behind all the others, so that what is spared for years cannot hold up what may go.
      else if (await tx.copies.move(location, { from: 'marked', to: 'marked', at })) spared.push(copy)
    }
    return { doomed, spared, pausedUntil: undefined }
  }
}

/**
 * Has every collector of this database, beside which process it may run, doom nothing that a receipt vouched for until `until`: what was kept in any
 * snapshot that is taken after this has committed keeps its bytes until then. What is doomed already still goes, and so do bytes that were never
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
