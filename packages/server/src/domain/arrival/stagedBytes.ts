/**
 * The bytes that an upload has received so far, and their running hash: while the process lives, no byte is read a
 * second time. In a store that may fall back, the first request after a start reads them once and compares them with
 * the recorded checksums, because a power cut may have taken acknowledged bytes. The upload then falls back to its last
 * intact chunk. In another store acknowledged bytes are there: what this process has not seen is read when the upload
 * finishes.
 */

import { createHash, type Hash } from 'node:crypto'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import { parseSha256Hex, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'
import { BlobMissing, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import { accountLock, type Chunk, type Store, type Upload } from '../../ports/store.ts'

export type StagedBytes = ReturnType<typeof createStagedBytes>

interface RunningHash {
  readonly bytes: number
  readonly hash: Hash
}

/** Above this, the oldest hash is forgotten. The next chunk of its upload reads the bytes again. */
const MAX_REMEMBERED = 10_000

interface StagedPorts {
  readonly store: Store
  readonly objects: Objects
  readonly staging: Pick<Staging, 'mayFallBack'>
}

export function createStagedBytes({ store, objects, staging: { mayFallBack } }: StagedPorts) {
  const running = new CappedMap<UploadId, RunningHash>(MAX_REMEMBERED)

  function remember(uploadId: UploadId, hash: RunningHash): void {
    running.delete(uploadId)
    running.set(uploadId, hash)
  }

  /** Reads the recorded chunks behind `from`, up to the first one that is not intact. */
  async function reread(upload: Upload, from?: RunningHash): Promise<RunningHash> {
    const chunks = await store.read((tx) => tx.uploads.chunks(upload.uploadId))
    let intact: RunningHash = from ?? { bytes: 0, hash: createHash('sha256') }
    for (const chunk of chunks) {
      if (chunk.offset < intact.bytes) continue
      const next = await readChunk(upload.location, chunk, intact.hash.copy())
      if (next === undefined) break
      intact = { bytes: chunk.offset + chunk.length, hash: next }
    }
    return intact
  }

  /**
   * `whole` with the chunk's bytes added. Undefined when the chunk is not intact. In a store that cannot fall back that
   * is no loss but a fault of this read: it throws, so that no upload fails because of it.
   */
  async function readChunk(location: string, chunk: Chunk, whole: Hash): Promise<Hash | undefined> {
    const own = createHash('sha256')
    try {
      for await (const bytes of objects.read(location, { start: chunk.offset, end: chunk.offset + chunk.length })) {
        own.update(bytes)
        whole.update(bytes)
      }
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw error
    }
    if (own.digest('hex') === chunk.checksum) return whole
    if (!mayFallBack) throw new StorageUnavailable('the store does not give the bytes of a chunk as they were written')
    return undefined
  }

  function isKnown({ uploadId, receivedBytes }: Upload): boolean {
    return receivedBytes === 0 || running.get(uploadId)?.bytes === receivedBytes
  }

  return {
    /**
     * Checks the bytes of an open upload, if this process has not seen them yet. False when it had to read them: that
     * takes time, and the upload may have fallen back, so the caller reads the row again.
     */
    async check(upload: Upload): Promise<boolean> {
      if (!mayFallBack || upload.state !== 'open' || isKnown(upload)) return true
      const { uploadId, accountId } = upload
      const intact = await reread(upload)
      remember(uploadId, intact)
      if (intact.bytes !== upload.receivedBytes)
        await store.write([accountLock(accountId)], (tx) => tx.uploads.removeChunksFrom(uploadId, intact.bytes))
      return false
    },

    /** The running hash before `offset`. Undefined at 0 (the chunk's own hash serves) and without all earlier bytes. */
    hashUpTo(uploadId: UploadId, offset: number): Hash | undefined {
      if (offset === 0) return undefined
      const known = running.get(uploadId)
      if (known?.bytes === offset) return known.hash.copy()
      if (mayFallBack) throw new Error('a chunk was taken before its session was checked')
      return undefined
    },

    advance(uploadId: UploadId, bytes: number, hash: Hash): void {
      remember(uploadId, { bytes, hash })
    },

    /** SHA-256 of a finishing upload. Undefined when bytes are missing or differ from recorded checksums. */
    async digest(upload: Upload): Promise<Sha256Hex | undefined> {
      const known = running.get(upload.uploadId)
      const whole = known?.bytes === upload.size ? known : await reread(upload, mayFallBack ? undefined : known)
      return whole.bytes === upload.size ? parseSha256Hex(whole.hash.copy().digest('hex')) : undefined
    },

    forget(uploadId: UploadId): void {
      running.delete(uploadId)
    },
  }
}
