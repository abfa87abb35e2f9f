/**
 * Whether the disk has room for bytes that arrive. Only arrived bytes take room, whatever was declared. An open session reserves a bounded window, so that
 * a new session is not admitted when its first chunk would be refused. The reservation is a courtesy to new sessions; the floor itself is kept by counting
 * each piece of a chunk as it arrives (decisions/limits.md).
 */

import type { Clock } from '../../ports/clock.ts'
import type { Presence } from '../../ports/objects.ts'
import type { Store } from '../../ports/store.ts'

export interface RoomSettings {
  readonly freeSpaceFloorBytes: number
  readonly chunkBytesMax: number
}

/** A session reserves what it still has to send, at most one largest chunk: its window. */
const MAX_WINDOWS_OF_ACCOUNT = 4
/** Of all accounts together: with the default chunk, 1 GiB. */
const MAX_WINDOWS = 64
/** So long a measurement of the disk counts. Bytes that arrived since are subtracted. */
const FRESH_MS = 1000

export type Room = ReturnType<typeof createRoom>

interface RoomPorts {
  readonly store: Store
  readonly staging: Presence
  readonly clock: Clock
}

export function createRoom({ store, staging, clock }: RoomPorts, { freeSpaceFloorBytes, chunkBytesMax }: RoomSettings) {
  const disk = createDisk(staging, clock, freeSpaceFloorBytes)
  /** At least what open sessions reserve: sessions that end are subtracted only when the store is asked again. */
  let reservedBytes: number | undefined

  const reserve = () =>
    store.read((tx) =>
      tx.uploads.reservedBytes({ windowBytes: chunkBytesMax, accountBytesMax: MAX_WINDOWS_OF_ACCOUNT * chunkBytesMax }),
    )

  const fits = (reserved: number, windowBytes: number) =>
    disk.leftBytes() - Math.min(reserved, MAX_WINDOWS * chunkBytesMax) >= windowBytes

  return {
    /**
     * Whether a new session of `size` bytes may begin. Counts its window as reserved if so. Asks the store only when the sessions admitted so far might
     * leave no room. Throws `StorageUnavailable` if the store of the bytes is away.
     */
    async admits(size: number): Promise<boolean> {
      const windowBytes = Math.min(size, chunkBytesMax)
      await disk.measure()
      if (reservedBytes === undefined || !fits(reservedBytes, windowBytes)) reservedBytes = await reserve()
      if (!fits(reservedBytes, windowBytes)) return false
      reservedBytes += windowBytes
      return true
    },

    /** Whether a chunk may begin to arrive. Throws as `admits` does. */
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
