import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import { BlobMissing, type Blobs, DigestsBusy } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { KeptCopy, Store } from '../ports/store.ts'
import { partsOf } from './location.ts'

/**
 * The scrubber: reads every kept copy again, those first that were not read for longest, and marks what is damaged, before anybody relies on it.
 * A mark is taken back when the bytes are found right again, after a repair. One copy at a time, so that it never has both of the threads that
 * owners' deep scans are read by.
 */
export interface ScrubSettings {
  readonly scrubDays: number
}

interface ScrubPorts {
  readonly store: Store
  readonly blobs: Pick<Blobs, 'digest' | 'freeBytes'>
  readonly clock: Clock
  readonly log: Log
}

/** What was read, and what was found. */
export interface Scrubbed {
  readonly copies: number
  readonly bytes: number
  readonly damaged: number
  /** Nobody can say what they are: the disk failed, and they are tried again. */
  readonly unreadable: number
}

type Outcome = 'intact' | 'damaged' | 'unreadable' | 'gone'

/** What a turn reads at the most, but for the end of the last copy: a larger one is read whole. */
const TURN_BYTES_MOST = 4 * 1024 ** 3
const TURN_COPIES_MOST = 10_000
/** Copies whose good news share a transaction. */
const BATCH_MOST = 100
/** Those that are handed in beyond it are found when their time comes. */
const SUSPECTS_MOST = 1000
/** Between two passes over what is due: what could not be read is not tried more often. */
const PASS_PAUSE_SECONDS = 3600
const DAY_SECONDS = 86_400

export type Scrub = ReturnType<typeof createScrub>

export function createScrub({ store, blobs, clock, log }: ScrubPorts, { scrubDays }: ScrubSettings) {
  const suspects = new Set<string>()
  /** How far the pass over what is due has come: what could not be read lies behind it. Undefined before its first copy. */
  let reached: KeptCopy | undefined
  let restUntil: Instant | undefined

  /** Reads one copy. Bad news is written at once, good news is the caller's to note. Throws when the whole store is away, or nobody has a thread free. */
  async function examine(copy: KeptCopy, signal: AbortSignal): Promise<Outcome> {
    const { location, size } = copy
    try {
      const digest = await blobs.digest(location, size, signal)
      if (digest.size !== size) return await mark(copy, digest.size < size ? 'cut short' : 'too long')
      return digest.sha256 === partsOf(location).ciphertextHash ? 'intact' : await mark(copy, 'other bytes')
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DigestsBusy) throw error
      if (error instanceof BlobMissing) return mark(copy, 'missing')
      // Is it this copy, or all of them? Then there is nothing to say of any.
      await blobs.freeBytes()
      log.error('a copy could not be read', { ...(await told(copy)), reason: String(error) })
      return 'unreadable'
    }
  }

  /** In one conditional statement: a copy that was let go of meanwhile is nobody's any more, and may be gone by right. */
  async function mark(copy: KeptCopy, found: string): Promise<Outcome> {
    const facts = await told(copy)
    const isMarked = await store.write((tx) => tx.copies.markDamaged(copy.location, clock.now()))
    if (!isMarked) return 'gone'
    log.error('a copy is damaged', { ...facts, found })
    return 'damaged'
  }

  /** What an operator needs to find whose it is. Neither a path nor anything that opens a link. */
  async function told({ location, size }: KeptCopy): Promise<Readonly<Record<string, unknown>>> {
    const { ciphertextHash, uploadId } = partsOf(location)
    const owner = await store.read((tx) => tx.copies.ownerOf(location, uploadId))
    return { ...owner, hash: ciphertextHash, size }
  }

  async function noteIntact(copies: readonly KeptCopy[]): Promise<void> {
    if (copies.length === 0) return
    await store.write(async (tx) => {
      for (const { location } of copies) await tx.copies.noteIntact(location, clock.now())
    })
    for (const copy of copies) if (copy.damagedAt !== undefined) log.info('a copy is whole again', await told(copy))
  }

  /** One after the other, until `isEnough`; gives the last one that was read. What was found intact is noted even when another ends it all. */
  async function examineEach(copies: readonly KeptCopy[], { signal, count, isEnough }: Course) {
    const intact: KeptCopy[] = []
    let last: KeptCopy | undefined
    try {
      for (const copy of copies) {
        if (isEnough()) break
        signal.throwIfAborted()
        const outcome = await examine(copy, signal)
        if (outcome === 'intact') intact.push(copy)
        count.add(copy, outcome)
        last = copy
      }
    } finally {
      await noteIntact(intact)
    }
    return last
  }

  async function examineSuspects(signal: AbortSignal): Promise<void> {
    for (const location of suspects) {
      const copy = await store.read((tx) => tx.copies.findKept(location))
      if (copy !== undefined) await examineEach([copy], { signal, count: createCounter(), isEnough: () => false })
      suspects.delete(location)
    }
  }

  /** Some of those that were last read before `before`, from `after` on; gives the last one, undefined when there was none. */
  async function examineNext(
    { before, after }: { readonly before: Instant; readonly after: KeptCopy | undefined },
    course: Course,
  ): Promise<KeptCopy | undefined> {
    const copies = await store.read((tx) => tx.copies.listToScrub({ before, after, most: BATCH_MOST }))
    return examineEach(copies, course)
  }

  async function examineDue(signal: AbortSignal): Promise<void> {
    const now = clock.now()
    const isResting = restUntil !== undefined && now < restUntil && restUntil <= addSeconds(now, PASS_PAUSE_SECONDS)
    if (isResting) return
    const count = createCounter()
    const isEnough = () => count.sum().bytes >= TURN_BYTES_MOST || count.sum().copies >= TURN_COPIES_MOST
    const before = addSeconds(now, -scrubDays * DAY_SECONDS)
    while (!isEnough()) {
      reached = await examineNext({ before, after: reached }, { signal, count, isEnough })
      if (reached !== undefined) continue
      restUntil = addSeconds(now, PASS_PAUSE_SECONDS)
      return
    }
  }

  return {
    /** Takes note, in memory alone, of a kept copy that somebody has found wrong. The next turn reads it first. */
    suspect(location: string): void {
      if (suspects.size < SUSPECTS_MOST) suspects.add(location)
    },

    /** Reads some of what is due. Throws the signal's reason as soon as that aborts. */
    async turn(signal: AbortSignal): Promise<void> {
      try {
        await examineSuspects(signal)
        await examineDue(signal)
      } catch (error) {
        // Owners come first: the next turn goes on.
        if (!(error instanceof DigestsBusy)) throw error
      }
    },

    /** Reads everything that was kept and last read before now. `onProgress` is told the sums so far, every hundred copies. */
    async all(signal: AbortSignal, onProgress: (sum: Scrubbed) => void): Promise<Scrubbed> {
      const count = createCounter()
      const before = clock.now()
      const isEnough = () => false
      let after: KeptCopy | undefined
      // What was read takes the present instant, or lies behind `after`: either way it is not met again.
      do {
        after = await examineNext({ before, after }, { signal, count, isEnough })
        onProgress(count.sum())
      } while (after !== undefined)
      return count.sum()
    },
  }
}

/** How far to go, and what has been counted. */
interface Course {
  readonly signal: AbortSignal
  readonly count: ReturnType<typeof createCounter>
  readonly isEnough: () => boolean
}

function createCounter() {
  let sum: Scrubbed = { copies: 0, bytes: 0, damaged: 0, unreadable: 0 }
  return {
    sum: () => sum,
    add({ size }: KeptCopy, outcome: Outcome): void {
      sum = {
        copies: sum.copies + 1,
        bytes: sum.bytes + size,
        damaged: sum.damaged + (outcome === 'damaged' ? 1 : 0),
        unreadable: sum.unreadable + (outcome === 'unreadable' ? 1 : 0),
      }
    },
  }
}
