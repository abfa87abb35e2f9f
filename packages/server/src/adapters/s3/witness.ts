import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { formatWitness, parseWitness, type Witness } from '../../ports/witness.ts'
import type { Client } from './client.ts'
import { isNoSuchKey } from './failure.ts'
import { putKey, readKey } from './keys.ts'
import type { Marker } from './marker.ts'
import { inMemory } from './spool.ts'

/** Its place below the prefix. The only key, beside the marker's, that is written more than once or without a row. */
const WITNESS = 'blindkeep-witness'
const MAX_WITNESS_BYTES = 1024

export function createS3Witness({
  client,
  marker,
}: {
  readonly client: Client
  readonly marker: Pick<Marker, 'check' | 'checkLately'>
}): Witness {
  const key = `${client.address.prefix}${WITNESS}`
  return {
    async read() {
      const pieces: Uint8Array[] = []
      try {
        const span = { start: 0, end: MAX_WITNESS_BYTES }
        for await (const piece of readKey(client, key, span, { lane: 'verification' })) pieces.push(piece)
      } catch (error) {
        if (!isNoSuchKey(error)) {
          if (error instanceof StorageUnavailable) throw error
          throw new StorageUnavailable('the object store does not give the witness', { cause: error })
        }
        await marker.check()
        return undefined
      }
      return parseWitness(Buffer.concat(pieces).toString())
    },
    async write(head) {
      await marker.checkLately()
      await putKey(client, key, inMemory(Buffer.from(formatWitness(head))))
    },
  }
}
