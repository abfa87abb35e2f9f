import { BlobMissing } from '../../ground/storageErrors.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import { checkByteCount } from '../../ports/objects.ts'
import type { Client } from './client.ts'
import { isNoSuchKey } from './failure.ts'
import { listKeys, readKey, removeKey, sizeOfKey } from './keys.ts'
import type { Marker } from './marker.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  copyPart,
  createMultipartUpload,
  listMultipartUploads,
  uploadPart,
} from './multipart.ts'
import { checkKey, locationOf } from './names.ts'
import { inMemory } from './spool.ts'

/** The limits that all stores have in common. */
const LIMITS = { minPieceBytes: 5 * 1024 ** 2, maxPieceBytes: 5 * 1024 ** 3, maxPieces: 10_000 } as const

/** Of objects and of uploads of them that have not ended, without the prefix. */
export async function* keysOfObjects(client: Client): ReturnType<KeyedBytes['list']> {
  const { prefix } = client.address
  for await (const listed of listKeys(client, prefix)) {
    const key = listed.key.slice(prefix.length)
    if (locationOf(key) !== undefined) yield { key, ageSeconds: listed.ageSeconds }
  }
  for await (const upload of listMultipartUploads(client, prefix)) {
    const key = upload.key.slice(prefix.length)
    if (locationOf(key) !== undefined) yield { key, ageSeconds: upload.ageSeconds }
  }
}

/** `KeyedBytes` in a bucket, by multipart uploads. */
export function createKeyedBytes({ client, marker }: { readonly client: Client; readonly marker: Marker }): KeyedBytes {
  const { prefix } = client.address
  const at = (key: string): string => {
    checkKey(key)
    return prefix + key
  }
  const uploadAt = ({ key, joiningId }: { readonly key: string; readonly joiningId: string }) => ({
    key: at(key),
    uploadId: joiningId,
  })
  return {
    limits: LIMITS,
    ...readingKeys({ client, marker, at }),
    async remove(key) {
      await removeKey(client, at(key))
      // Also of an upload whose id was never learned, because the answer was lost.
      for await (const upload of listMultipartUploads(client, at(key))) await abortMultipartUpload(client, upload)
    },
    async *list() {
      await marker.check()
      yield* keysOfObjects(client)
    },
    create: async (key) => (await createMultipartUpload(client, at(key))).uploadId,
    async copy(piece, { key, range }) {
      const source = { key: at(key), ...range }
      return { number: piece.number, tag: await copyPart(client, uploadAt(piece), { number: piece.number, source }) }
    },
    async upload(piece, bytes) {
      const spooled = inMemory(bytes)
      return { number: piece.number, tag: await uploadPart(client, uploadAt(piece), { number: piece.number, spooled }) }
    },
    complete: async (joining, pieces) => completeMultipartUpload(client, uploadAt(joining), pieces),
    abort: async (joining) => abortMultipartUpload(client, uploadAt(joining)),
  }
}

interface Reading {
  readonly client: Client
  readonly marker: Marker
  readonly at: (key: string) => string
}

function readingKeys({ client, marker, at }: Reading): Pick<KeyedBytes, 'size' | 'read'> {
  return {
    async size(key) {
      try {
        return await sizeOfKey(client, at(key), 0)
      } catch (error) {
        if (!isNoSuchKey(error)) throw error
        await marker.check()
        return undefined
      }
    },
    async *read(key, range) {
      checkByteCount(range.start)
      checkByteCount(range.end)
      try {
        yield* readKey(client, at(key), range, { lane: 'verification' })
      } catch (error) {
        if (!isNoSuchKey(error)) throw error
        await marker.check()
        throw new BlobMissing('nothing is at the key')
      }
    },
  }
}
