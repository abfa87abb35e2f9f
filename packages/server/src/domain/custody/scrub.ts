/**
 * The scrubber: reads every kept object again, the longest unread first, and marks damaged ones before an owner relies
 * on them. A mark is removed when the bytes are intact again: after a repair, or because the reading was wrong and not
 * the bytes. It reads one object at a time, so that it never occupies both of the threads that owners' deep scans need.
 */
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import { DigestsBusy } from '../../ground/storageErrors.ts'
import type { KeptObject, ReadTx } from '../../ports/store.ts'
import { type Course, createCounter, createScrubbing, type ScrubbingPorts, type ScrubSum } from './scrubbing.ts'

export interface ScrubSettings {
  readonly scrubDays: number
}

/** A turn ends after the object that reaches this. */
const MAX_TURN_BYTES = 4 * 1024 ** 3
const MAX_TURN_OBJECTS = 10_000
/** Intact objects that one transaction notes. */
const MAX_BATCH = 100
/** Suspected objects, and damaged ones, that are read again at a time. */
const MAX_DOUBTFUL = 1000
/** A damaged object is read again so soon, then at doubling intervals: a moment's wrong bytes hide no file long. */
const SOONEST_SECONDS = 3
/** A suspected object that cannot be read is tried at doubling intervals up to this: its file may have been mended. */
const LATEST_SECONDS = 86_400
/** Between two passes over the due objects, so that what the store does not give is not asked for more often. */
const PASS_PAUSE_SECONDS = 3600
const DAY_SECONDS = 86_400

type ListDoubtful = (tx: ReadTx, due: { readonly at: Instant; readonly max: number }) => Promise<readonly KeptObject[]>

const DOUBTFUL: readonly ListDoubtful[] = [
  (tx, due) => tx.objects.listSuspected({ ...due, mostSeconds: LATEST_SECONDS }),
  (tx, due) => tx.objects.listDamaged({ ...due, leastSeconds: SOONEST_SECONDS }),
]

export type Scrubber = ReturnType<typeof createScrubber>

export function createScrubber(ports: ScrubbingPorts, { scrubDays }: ScrubSettings) {
  const { store, clock } = ports
  const { examineEach } = createScrubbing(ports)
  /** Where the pass over due objects is; unreadable ones are behind it. Undefined before its first object. */
  let reached: KeptObject | undefined
  let restUntil: Instant | undefined

  async function examineDoubtful(signal: AbortSignal): Promise<void> {
    for (const list of DOUBTFUL) {
      const doubtful = await store.read((tx) => list(tx, { at: clock.now(), max: MAX_DOUBTFUL }))
      const count = createCounter()
      // A broken disk takes long to fail: a new suspicion comes before the next such object. And what is right is given
      // back at the turn's end, not when thousands were read.
      const isEnough = () => count.sum().unreadable > 0 || count.sum().bytes >= MAX_TURN_BYTES
      await examineEach(doubtful, { signal, count, isEnough })
    }
  }

  /** Reads a batch after `after`, of objects last read before `before`. Returns the last one; undefined at the end. */
  async function examineNext(
    { before, after }: { readonly before: Instant; readonly after: KeptObject | undefined },
    course: Course,
  ): Promise<KeptObject | undefined> {
    const objects = await store.read((tx) => tx.objects.listToScrub({ before, after, max: MAX_BATCH }))
    return examineEach(objects, course)
  }

  async function examineDue(signal: AbortSignal): Promise<void> {
    const now = clock.now()
    if (isResting(now, restUntil, PASS_PAUSE_SECONDS)) return
    const count = createCounter()
    const isEnough = () => count.sum().bytes >= MAX_TURN_BYTES || count.sum().objects >= MAX_TURN_OBJECTS
    const before = addSeconds(now, -scrubDays * DAY_SECONDS)
    while (!isEnough()) {
      reached = await examineNext({ before, after: reached }, { signal, count, isEnough })
      if (reached !== undefined) continue
      restUntil = addSeconds(now, PASS_PAUSE_SECONDS)
      return
    }
  }

  return {
    /**
     * Marks an object, kept or in the bin, whose bytes seem wrong or out of reach. No process hands it out until any
     * has read it.
     */
    async suspect(location: string): Promise<void> {
      await store.write([], (tx) => tx.objects.suspect(location, clock.now()))
    },

    /** Reads some of the due objects. Throws the signal's reason when it aborts. */
    turn: (signal: AbortSignal): Promise<void> => unlessBusy(examineDue(signal)),

    /** Whether `again` has something to read. Asked far more often than that, so without a transaction. */
    async hasDoubtful(): Promise<boolean> {
      for (const list of DOUBTFUL)
        if ((await store.ask((tx) => list(tx, { at: clock.now(), max: 1 }))).length > 0) return true
      return false
    },

    /** Reads the objects whose bytes seemed wrong or out of reach. Throws as `turn` does. */
    again: (signal: AbortSignal): Promise<void> => unlessBusy(examineDoubtful(signal)),

    /** Reads every object that was last read before now. `onProgress`: sums so far, each hundred objects. */
    async all(signal: AbortSignal, onProgress: (sum: ScrubSum) => void): Promise<ScrubSum> {
      const count = createCounter()
      const before = clock.now()
      const isEnough = () => false
      let after: KeptObject | undefined
      // No object is read twice: one that was read now counts as read at this instant, or is behind `after`.
      do {
        after = await examineNext({ before, after }, { signal, count, isEnough })
        onProgress(count.sum())
      } while (after !== undefined)
      return count.sum()
    },
  }
}

/** Whether a pause is not over. One that ends later than it can is of a clock that was set back. */
function isResting(now: Instant, until: Instant | undefined, seconds: number): boolean {
  return until !== undefined && now < until && until <= addSeconds(now, seconds)
}

/** Owners' scans come first: the next turn continues. */
async function unlessBusy(turn: Promise<void>): Promise<void> {
  try {
    await turn
  } catch (error) {
    if (!(error instanceof DigestsBusy)) throw error
  }
}
