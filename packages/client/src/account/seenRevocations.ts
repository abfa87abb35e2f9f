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
  let store: RevocationStore | undefined
  let loading: Promise<void> | undefined

  function add(revocations: Iterable<readonly [DeviceId, string]>): Revocations {
    const added = new Map<DeviceId, string>()
    for (const [deviceId, at] of revocations) if (!seen.has(deviceId)) added.set(deviceId, at)
    for (const [deviceId, at] of added) seen.set(deviceId, at)
    return added
  }

  async function load(): Promise<void> {
    loading ??= (store?.load() ?? Promise.resolve(new Map<DeviceId, string>())).then((stored) => void add(stored))
    await loading
  }

  return {
    keepIn(given) {
      store = given
      loading = undefined
    },
    async note(revocations) {
      await load()
      const added = add(revocations)
      if (added.size > 0) await store?.save(added)
    },
    async all() {
      await load()
      return new Map(seen)
    },
  }
}
