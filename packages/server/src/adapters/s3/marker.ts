import { StorageUnavailable } from '../../ports/storageErrors.ts'
import type { Client } from './client.ts'
import { isNoSuchKey } from './failure.ts'
import { putKey, sizeOfKey } from './keys.ts'
import { inMemory } from './spool.ts'

/** Its place below the prefix. Only its existence counts. */
export const MARKER = 'blindkeep-store'

const MARKER_TEXT =
  'Blindkeep keeps objects below this prefix. Without this object Blindkeep assumes that it looks at the wrong bucket.\n'

/**
 * Tells a lost object from a wrong bucket or prefix, where everything looks missing. Nothing counts as missing unless the marker is there. An answer that
 * access is denied never counts: that is no answer about the object.
 */
export interface Marker {
  isThere(): Promise<boolean>
  make(): Promise<void>
  /** Throws `StorageUnavailable` if the marker is missing. */
  check(): Promise<void>
  /**
   * Answers what `look` finds, or undefined if the store has no such key. Then it reads the marker, looks again, and reads the marker again, as the bucket
   * may be switched at any time. Throws `StorageUnavailable` if the marker is missing.
   */
  confirm<Found>(look: () => Promise<Found>): Promise<Found | undefined>
}

export function createMarker(client: Client): Marker {
  const key = `${client.address.prefix}${MARKER}`

  async function isThere(): Promise<boolean> {
    return (await unlessNoKey(() => sizeOfKey(client, key, 0))) !== undefined
  }

  async function check(): Promise<void> {
    if (!(await isThere()))
      throw new StorageUnavailable(`the bucket has no ${key}: BLOBS_URL seems to name another bucket or prefix`)
  }

  return {
    isThere,
    check,
    make: () => putKey(client, key, inMemory(Buffer.from(MARKER_TEXT))),
    async confirm(look) {
      const found = await unlessNoKey(look)
      if (found !== undefined) return found
      await check()
      const again = await unlessNoKey(look)
      if (again === undefined) await check()
      return again
    },
  }
}

async function unlessNoKey<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look()
  } catch (error) {
    if (isNoSuchKey(error)) return undefined
    throw error
  }
}
