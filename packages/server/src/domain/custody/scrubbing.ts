/** Reads kept objects and marks the damaged ones. scrub.ts decides which objects are read, and when. */
import type { Instant } from '@blindkeep/protocol/ids'
import { BlobMissing, DigestsBusy, ObjectUnreadable, StorageForbidden } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import type { KeptObject, Store } from '../../ports/store.ts'
import { partsOf } from '../ground/location.ts'
import { isUnreadable } from './unreadable.ts'

export interface ScrubbingPorts {
  readonly store: Store
  readonly objects: Pick<Objects, 'digest' | 'check'>
  readonly staging: Pick<Staging, 'settle'>
  readonly clock: Clock
  readonly log: Log
  /** False for a command: its user may be denied what the server may read. */
  readonly isServer: boolean
}

/** `unreadable`: not read, so it is read again later. `released`: no longer kept. */
type ScrubOutcome = 'intact' | 'damaged' | 'unreadable' | 'released'

export interface ScrubSum {
  readonly objects: number
  readonly bytes: number
  readonly damaged: number
  /** Their content is unknown, and they are read again later. */
  readonly unreadable: number
}

/** Up to where objects are read, and what was counted. */
export interface Course {
  readonly signal: AbortSignal
  readonly count: ReturnType<typeof createCounter>
  readonly isEnough: () => boolean
}

export function createScrubbing({ store, objects, staging, clock, log, isServer }: ScrubbingPorts) {
  /** In one conditional statement: bytes of an object that was released meanwhile may be missing rightly. */
  async function markDamaged(object: KeptObject, found: string): Promise<ScrubOutcome> {
    const facts = await factsOf(object)
    const isMarked = await store.write([], (tx) => tx.objects.markDamaged(object.location, clock.now()))
    if (!isMarked) return 'released'
    log.error('an object is damaged', { ...facts, found })
    return 'damaged'
  }

  /** What an operator needs to find the owner. Neither a path nor anything that opens a link. */
  async function factsOf({ location, size }: KeptObject): Promise<Readonly<Record<string, unknown>>> {
    const { ciphertextHash, uploadId } = partsOf(location)
    const owner = await store.read((tx) => tx.objects.ownerOf(location, uploadId))
    return { ...owner, hash: ciphertextHash, size }
  }

  /** Reads one object and marks damage. Throws when the whole store is silent, or no thread is free. */
  async function examine(object: KeptObject, signal: AbortSignal): Promise<ScrubOutcome> {
    const { location, size } = object
    let failed = 'an object could not be read'
    try {
      const digest = await objects.digest(location, size, signal)
      if (digest.size !== size) return await markDamaged(object, digest.size < size ? 'cut short' : 'too long')
      if (digest.sha256 !== partsOf(location).ciphertextHash) return await markDamaged(object, 'other bytes')
      // What brought the bytes back may have been killed before they were durable.
      failed = 'an object is right, but cannot be made durable: its mark stays'
      if (object.damagedAt !== undefined) await staging.settle(location, size)
      return 'intact'
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DigestsBusy) throw error
      if (error instanceof BlobMissing) return markDamaged(object, 'missing')
      // Throws when the whole store is away: then the error says nothing about this object.
      await objects.check()
      await noteUnread(location, error)
      log.error(failed, { ...(await factsOf(object)), reason: String(error) })
      return 'unreadable'
    }
  }

  /** Suspects the object, if the error is about it alone: a reader cannot get it. */
  async function noteUnread(location: string, error: unknown): Promise<void> {
    const isSuspect = error instanceof ObjectUnreadable || (isServer && error instanceof StorageForbidden)
    const at = clock.now()
    await store.write([], async (tx) => {
      if (isSuspect) await tx.objects.suspect(location, at)
      await tx.objects.noteUnread(location, at)
    })
  }

  async function noteIntact(read: readonly KeptObject[], readAt: Instant): Promise<void> {
    if (read.length === 0) return
    await store.write([], async (tx) => {
      for (const { location } of read) await tx.objects.noteIntact(location, { readAt, at: clock.now() })
    })
    for (const object of read)
      if (object.damagedAt !== undefined || isUnreadable(object))
        log.info('an object is whole again', await factsOf(object))
  }

  return {
    /** Reads in turn until `isEnough`. Returns the last. Intact ones are noted even when a later one throws. */
    async examineEach(
      objects: readonly KeptObject[],
      { signal, count, isEnough }: Course,
    ): Promise<KeptObject | undefined> {
      // Before the first: a mark that came since the objects were listed is of bytes that were not settled.
      const readAt = clock.now()
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
        await noteIntact(intact, readAt)
      }
      return last
    },
  }
}

export function createCounter() {
  let sum: ScrubSum = { objects: 0, bytes: 0, damaged: 0, unreadable: 0 }
  return {
    sum: () => sum,
    add({ size }: KeptObject, outcome: ScrubOutcome): void {
      sum = {
        objects: sum.objects + 1,
        bytes: sum.bytes + size,
        damaged: sum.damaged + (outcome === 'damaged' ? 1 : 0),
        unreadable: sum.unreadable + (outcome === 'unreadable' ? 1 : 0),
      }
    },
  }
}
