import { createHash, type Hash } from 'node:crypto'
import { parseSha256Hex, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Chunk, Store, Upload } from '../../ports/store.ts'

/**
 * What the server knows of the bytes that a session has sent so far. A running hash saves reading them a second time while the process lives.
 * After a start the first touch reads them once, against the recorded checksums: a power cut may have taken bytes that were acknowledged,
 * and the session then falls back to its last good chunk.
 */
export type StagedBytes = ReturnType<typeof createStagedBytes>

interface RunningHash {
  readonly bytes: number
  readonly hash: Hash
}

/** Beyond it the oldest is forgotten, and read again when its session goes on. */
const MAX_REMEMBERED = 10_000

export function createStagedBytes({ store, blobs }: { readonly store: Store; readonly blobs: Blobs }) {
  const running = new Map<UploadId, RunningHash>()

  function remember(uploadId: UploadId, hash: RunningHash): void {
    running.delete(uploadId)
    running.set(uploadId, hash)
    const [oldest] = running.keys()
    if (running.size > MAX_REMEMBERED && oldest !== undefined) running.delete(oldest)
  }

  /** Reads the recorded chunks as long as they are good. */
  async function reread(upload: Upload): Promise<RunningHash> {
    const chunks = await store.read((tx) => tx.uploads.chunks(upload.uploadId))
    let good: RunningHash = { bytes: 0, hash: createHash('sha256') }
    for (const chunk of chunks) {
      const next = await readChunk(upload.location, chunk, good.hash.copy())
      if (next === undefined) break
      good = { bytes: chunk.offset + chunk.length, hash: next }
    }
    return good
  }

  /** `whole` with the chunk's bytes added, or undefined when they are not those that were acknowledged. */
  async function readChunk(location: string, chunk: Chunk, whole: Hash): Promise<Hash | undefined> {
    const size = (await blobs.size(location)) ?? 0
    if (size < chunk.offset + chunk.length) return undefined
    const own = createHash('sha256')
    for await (const bytes of blobs.read(location, { start: chunk.offset, end: chunk.offset + chunk.length })) {
      own.update(bytes)
      whole.update(bytes)
    }
    return own.digest('hex') === chunk.checksum ? whole : undefined
  }

  return {
    /** The session as it stands, after the check of its bytes if this process has not seen them yet. */
    async check(uploadId: UploadId): Promise<Upload | undefined> {
      const upload = await store.read((tx) => tx.uploads.find(uploadId))
      if (
        upload?.state !== 'open' ||
        upload.receivedBytes === 0 ||
        running.get(uploadId)?.bytes === upload.receivedBytes
      )
        return upload
      const good = await reread(upload)
      remember(uploadId, good)
      if (good.bytes === upload.receivedBytes) return upload
      await store.write((tx) => tx.uploads.removeChunksFrom(uploadId, good.bytes))
      return store.read((tx) => tx.uploads.find(uploadId))
    },

    /** An object of the running hash for the chunk that starts at `offset`; undefined at 0, where the chunk's own hash is the whole's. */
    hashUpTo(uploadId: UploadId, offset: number): Hash | undefined {
      if (offset === 0) return undefined
      const known = running.get(uploadId)
      if (known?.bytes !== offset) throw new Error('a chunk was taken before its session was checked')
      return known.hash.copy()
    },

    advance(uploadId: UploadId, bytes: number, hash: Hash): void {
      remember(uploadId, { bytes, hash })
    },

    /** SHA-256 of all that a finishing session holds; undefined when bytes are missing or not those that were acknowledged. */
    async digest(upload: Upload): Promise<Sha256Hex | undefined> {
      const known = running.get(upload.uploadId)
      const whole = known?.bytes === upload.size ? known : await reread(upload)
      return whole.bytes === upload.size ? parseSha256Hex(whole.hash.copy().digest('hex')) : undefined
    },

    forget(uploadId: UploadId): void {
      running.delete(uploadId)
    },
  }
}
