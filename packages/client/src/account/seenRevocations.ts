/** Revocations that a client has made or seen: a server cannot make the signatures of such a device count again. */
import type { DeviceId } from '@blindkeep/protocol/ids'

/** The time of each revoked device, RFC 3339. */
export type Revocations = ReadonlyMap<DeviceId, string>

/** Outlasts the client. Belongs to one account. */
export interface RevocationStore {
  load(): Promise<Revocations>
  /** Adds these. An earlier time of the same device stays. */
  save(revocations: Revocations): Promise<void>
}

interface SeenRevocations {
  /** Adds what the store has, and from now on saves there. */
  keepIn(store: RevocationStore): void
  /** The time that was seen first counts. Rejects when the store does. */
  note(revocations: Iterable<readonly [DeviceId, string]>): Promise<void>
  /** A copy. */
  all(): Promise<Revocations>
}

export function createSeenRevocations(): SeenRevocations {
  const seen = new Map<DeviceId, string>()
  /** Of `seen`: until the store has them, each note tries again. */
  const unsaved = new Map<DeviceId, string>()
  let store: RevocationStore | undefined
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    loading ??= loaded()
    try {
      await loading
    } catch (error) {
      // The next call asks again: without the devices no file can be opened.
      loading = undefined
      throw error
    }
  }

  async function loaded(): Promise<void> {
    for (const [deviceId, at] of (await store?.load()) ?? []) if (!seen.has(deviceId)) seen.set(deviceId, at)
  }

  return {
    keepIn(given) {
      store = given
      loading = undefined
    },
    async note(revocations) {
      await load()
      for (const [deviceId, at] of revocations) {
        if (seen.has(deviceId)) continue
        seen.set(deviceId, at)
        unsaved.set(deviceId, at)
      }
      if (store === undefined || unsaved.size === 0) return
      const saving = new Map(unsaved)
      await store.save(saving)
      for (const deviceId of saving.keys()) unsaved.delete(deviceId)
    },
    async all() {
      await load()
      return new Map(seen)
    },
  }
}
