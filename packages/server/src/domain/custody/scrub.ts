import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import { BlobMissing, type Blobs, DigestsBusy } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { KeptObject, Store } from '../../ports/store.ts'
import { partsOf } from '../uploads/location.ts'

/**
 * The scrubber: reads every kept object again, those first that were not read for longest, and marks what is damaged, before anybody relies on it.
 * A mark is taken back when the bytes are found right again, after a repair. One object at a time, so that it never has both of the threads that
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
  readonly objects: number
  readonly bytes: number
  readonly damaged: number
  /** Nobody can say what they are: the disk failed, and they are tried again. */
  readonly unreadable: number
}

type Outcome = 'intact' | 'damaged' | 'unreadable' | 'gone'

/** What a turn reads at the most, but for the end of the last object: a larger one is read whole. */
const MAX_TURN_BYTES = 4 * 1024 ** 3
const MAX_TURN_COPIES = 10_000
/** Objects whose good news share a transaction. */
const MAX_BATCH = 100
/** Those that are handed in beyond it are found when their time comes. */
const MAX_SUSPECTS = 1000
/** Between two passes over what is due: what could not be read is not tried more often. */
const PASS_PAUSE_SECONDS = 3600
const DAY_SECONDS = 86_400

export type Scrub = ReturnType<typeof createScrub>

export function createScrub({ store, blobs, clock, log }: ScrubPorts, { scrubDays }: ScrubSettings) {
  const suspects = new Set<string>()
  /** How far the pass over what is due has come: what could not be read lies behind it. Undefined before its first object. */
  let reached: KeptObject | undefined
  let restUntil: Instant | undefined

  /** Reads one object. Bad news is written at once, good news is the caller's to note. Throws when the whole store is away, or nobody has a thread free. */
  async function examine(object: KeptObject, signal: AbortSignal): Promise<Outcome> {
    const { location, size } = object
    try {
      const digest = await blobs.digest(location, size, signal)
      if (digest.size !== size) return await mark(object, digest.size < size ? 'cut short' : 'too long')
      return digest.sha256 === partsOf(location).ciphertextHash ? 'intact' : await mark(object, 'other bytes')
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DigestsBusy) throw error
      if (error instanceof BlobMissing) return mark(object, 'missing')
      // Is it this object, or all of them? Then there is nothing to say of any.
      await blobs.freeBytes()
      log.error('an object could not be read', { ...(await told(object)), reason: String(error) })
      return 'unreadable'
    }
  }

  /** In one conditional statement: an object that was let go of meanwhile is nobody's any more, and may be gone by right. */
  async function mark(object: KeptObject, found: string): Promise<Outcome> {
    const facts = await told(object)
    const isMarked = await store.write((tx) => tx.objects.markDamaged(object.location, clock.now()))
    if (!isMarked) return 'gone'
    log.error('an object is damaged', { ...facts, found })
    return 'damaged'
  }

  /** What an operator needs to find whose it is. Neither a path nor anything that opens a link. */
  async function told({ location, size }: KeptObject): Promise<Readonly<Record<string, unknown>>> {
    const { ciphertextHash, uploadId } = partsOf(location)
    const owner = await store.read((tx) => tx.objects.ownerOf(location, uploadId))
    return { ...owner, hash: ciphertextHash, size }
  }

  async function noteIntact(objects: readonly KeptObject[]): Promise<void> {
    if (objects.length === 0) return
    await store.write(async (tx) => {
      for (const { location } of objects) await tx.objects.noteIntact(location, clock.now())
    })
    for (const object of objects)
      if (object.damagedAt !== undefined) log.info('an object is whole again', await told(object))
  }

  /** One after the other, until `isEnough`; gives the last one that was read. What was found intact is noted even when another ends it all. */
  async function examineEach(objects: readonly KeptObject[], { signal, count, isEnough }: Course) {
    const intact: KeptObject[] = []
    let last: KeptObject | undefined
    try {
      for (const object of objects) {
        if (isEnough()) break
        signal.throwIfAborted()
        const outcome = await examine(object, signal)
        if (outcome === 'intact') intact.push(object)
        count.add(object, outcome)
        last = object
      }
    } finally {
      await noteIntact(intact)
    }
    return last
  }

  async function examineSuspects(signal: AbortSignal): Promise<void> {
    for (const location of suspects) {
      const object = await store.read((tx) => tx.objects.findKept(location))
      if (object !== undefined) await examineEach([object], { signal, count: createCounter(), isEnough: () => false })
      suspects.delete(location)
    }
  }

  /** Some of those that were last read before `before`, from `after` on; gives the last one, undefined when there was none. */
  async function examineNext(
    { before, after }: { readonly before: Instant; readonly after: KeptObject | undefined },
    course: Course,
  ): Promise<KeptObject | undefined> {
    const objects = await store.read((tx) => tx.objects.listToScrub({ before, after, max: MAX_BATCH }))
    return examineEach(objects, course)
  }

  async function examineDue(signal: AbortSignal): Promise<void> {
    const now = clock.now()
    const isResting = restUntil !== undefined && now < restUntil && restUntil <= addSeconds(now, PASS_PAUSE_SECONDS)
    if (isResting) return
    const count = createCounter()
    const isEnough = () => count.sum().bytes >= MAX_TURN_BYTES || count.sum().objects >= MAX_TURN_COPIES
    const before = addSeconds(now, -scrubDays * DAY_SECONDS)
    while (!isEnough()) {
      reached = await examineNext({ before, after: reached }, { signal, count, isEnough })
      if (reached !== undefined) continue
      restUntil = addSeconds(now, PASS_PAUSE_SECONDS)
      return
    }
  }

  return {
    /** Takes note, in memory alone, of a kept object that somebody has found wrong. The next turn reads it first. */
    suspect(location: string): void {
      if (suspects.size < MAX_SUSPECTS) suspects.add(location)
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

    /** Reads everything that was kept and last read before now. `onProgress` is told the sums so far, every hundred objects. */
    async all(signal: AbortSignal, onProgress: (sum: Scrubbed) => void): Promise<Scrubbed> {
      const count = createCounter()
      const before = clock.now()
      const isEnough = () => false
      let after: KeptObject | undefined
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
  let sum: Scrubbed = { objects: 0, bytes: 0, damaged: 0, unreadable: 0 }
  return {
    sum: () => sum,
    add({ size }: KeptObject, outcome: Outcome): void {
      sum = {
        objects: sum.objects + 1,
        bytes: sum.bytes + size,
        damaged: sum.damaged + (outcome === 'damaged' ? 1 : 0),
        unreadable: sum.unreadable + (outcome === 'unreadable' ? 1 : 0),
      }
    },
  }
}
