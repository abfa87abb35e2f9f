import { checkByteCount, checkLocation } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import type { Client } from './client.ts'
import { putKey } from './keys.ts'
import type { Marker } from './marker.ts'
import { checkKey, newKeyOf } from './names.ts'
import type { Spool } from './spool.ts'

interface StagingPorts {
  readonly client: Client
  readonly marker: Marker
  readonly spool: Spool
}

/** `Staging` in a bucket: each chunk becomes an object of its own. */
export function createStaging({ client, marker, spool }: StagingPorts): Staging {
  return {
    mayFallBack: false,
    newKey: newKeyOf,
    async write({ location, key, offset }, request) {
      checkLocation(location)
      checkByteCount(offset)
      if (key === undefined) throw new RangeError('an object store needs a key')
      checkKey(key)
      if (!key.startsWith(`${location}/`)) throw new RangeError('not a key of this location')
      request.signal.throwIfAborted()
      const spooled = await spool.take(request)
      try {
        await putKey(client, `${client.address.prefix}${key}`, spooled, { signal: request.signal })
      } finally {
        await spooled.release()
      }
    },
    async settle(location, size) {
      checkLocation(location)
      checkByteCount(size)
    },
    async check() {
      await marker.checkLately()
      return Number.POSITIVE_INFINITY
    },
  }
}
