/**
 * Whether the disk has room. A new session is admitted if all its bytes fit beside what the open ones still lack, so
 * that what is admitted can land. What strangers declare and do not send is bounded. The floor itself is kept by
 * counting each piece of a chunk as it arrives (decisions/limits.md).
 */
import { type AccountId, addSeconds } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Presence } from '../../ports/objects.ts'
import type { ReadTx } from '../../ports/store.ts'

export interface RoomSettings {
  readonly freeSpaceFloorBytes: number
  readonly chunkBytesMax: number
}

/** So long a session claims what it lacks, after its creation and after each chunk. */
const CLAIM_SECONDS = 900
/** In largest chunks: what the sessions of an account claim from other accounts beyond as much as each has received. */
const MAX_CHUNKS_OF_ACCOUNT = 4
/** The same of all accounts together: with the default chunk, 1 GiB. */
const MAX_CHUNKS = 64
/** So long a measurement of the disk counts. Bytes that arrived since are subtracted. */
const FRESH_MS = 1000

export type Room = ReturnType<typeof createRoom>

interface RoomPorts {
  readonly staging: Presence
  readonly clock: Clock
}

interface NewSession {
  /** The account that is charged. */
  readonly accountId: AccountId
  readonly size: number
}

export function createRoom({ staging, clock }: RoomPorts, { freeSpaceFloorBytes, chunkBytesMax }: RoomSettings) {
  const disk = createDisk(staging, clock, freeSpaceFloorBytes)
  /** At least what open sessions lack: what ended or arrived is subtracted when the store is asked again. */
  let claimedBytesMax = Number.POSITIVE_INFINITY

  /** What others may claim from a new session of `accountId`. */
  async function claimedFrom(tx: ReadTx, accountId: AccountId): Promise<number> {
    const claims = await tx.uploads.claims({
      accountId,
      activeSince: addSeconds(clock.now(), -CLAIM_SECONDS),
      accountBytesMax: MAX_CHUNKS_OF_ACCOUNT * chunkBytesMax,
    })
    claimedBytesMax = claims.allBytes
    const unearnedBytes = Math.min(claims.othersUnearnedBytes, MAX_CHUNKS * chunkBytesMax)
    return claims.ownBytes + claims.othersEarnedBytes + unearnedBytes
  }

  return {
    /** Call before the transaction of `admits`. Throws `StorageUnavailable` if the store of the bytes is away. */
    measure(): Promise<void> {
      return disk.measure()
    },

    /**
     * Whether a new session may begin. Call in the transaction that inserts its row, before that. Asks the store only
     * when the sessions admitted so far might leave no room.
     */
    async admits(tx: ReadTx, { accountId, size }: NewSession): Promise<boolean> {
      const leftBytes = disk.leftBytes()
      if (leftBytes === Number.POSITIVE_INFINITY) return true
      if (leftBytes < size) return false
      if (leftBytes - claimedBytesMax < size && leftBytes - (await claimedFrom(tx, accountId)) < size) return false
      claimedBytesMax += size
      return true
    },

    /** Whether a chunk may begin to arrive. Throws as `measure` does. */
    async isLeft(): Promise<boolean> {
      if (!disk.isFresh() || disk.leftBytes() <= 0) await disk.measure()
      return disk.leftBytes() > 0
    },

    /** Counts bytes that arrived and are about to be written. False if they would take free space below the floor. */
    take(bytes: number): boolean {
      return disk.take(bytes)
    },
  }
}

/** Free space above the floor, as last measured, less what has arrived since. */
function createDisk(staging: Presence, clock: Clock, floorBytes: number) {
  let measured = { freeBytes: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY, arrivedBytes: 0 }
  let arrivedBytes = 0
  let measuring: Promise<void> | undefined

  async function run(): Promise<void> {
    // Bytes that arrive from now on may be counted twice until the next measurement, never not at all.
    const before = arrivedBytes
    measured = { freeBytes: await staging.check(), at: clock.now(), arrivedBytes: before }
  }

  /** All callers share a measurement that is under way. */
  function measure(): Promise<void> {
    measuring ??= run().finally(() => {
      measuring = undefined
    })
    return measuring
  }

  const leftBytes = () => measured.freeBytes - (arrivedBytes - measured.arrivedBytes) - floorBytes
  const isFresh = () => Math.abs(clock.now() - measured.at) < FRESH_MS

  return {
    measure,
    leftBytes,
    isFresh,
    take(bytes: number): boolean {
      // A long chunk does not wait for the measurement. If that fails, the write of the chunk fails too.
      if (!isFresh()) void measure().catch(() => undefined)
      if (leftBytes() < bytes) return false
      arrivedBytes += bytes
      return true
    },
  }
}
