import { createHash, type Hash } from 'node:crypto'
import type { Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { BlobMissing, type Blobs, StorageUnavailable } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Chunk, Store, Upload, UploadFailure, WriteTx } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import type { Finishing } from './finishing.ts'
import type { StagedBytes } from './staged.ts'
import { isGone } from './uploads.ts'
import type { Writer, Writers } from './writers.ts'

/**
 * The one function that takes chunks (specification, Append one chunk: the same function as the album upload path).
 * An acknowledged chunk is written and recorded; the one that ends at the declared size is acknowledged only when the whole has landed.
 */
interface ChunkRequest {
  readonly offset: number
  readonly checksum: Sha256Hex
  /** Rejects when the connection breaks or more comes than the server takes in one chunk. */
  readonly body: AsyncIterable<Uint8Array>
  /** Aborts when the request is gone. */
  readonly signal: AbortSignal
}

type ChunkReason =
  | 'upload_not_found'
  | 'account_suspended'
  | 'chunk_empty'
  | 'chunk_corrupt'
  | 'chunk_misplaced'
  | 'chunk_conflict'
  | 'chunk_past_size'
  | 'chunks_too_many'
  | 'upload_closed'
  | UploadFailure
  | 'storage_unavailable'

/** The byte at which to go on, or why not. */
export type ChunkAnswer = { readonly offset: number } | Refuses<ChunkReason>

interface ChunkPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly writers: Writers
  readonly staged: StagedBytes
  readonly finishing: Finishing
}

interface WrittenChunk extends Chunk {
  /** Of the whole, from byte 0 to the end of the chunk. */
  readonly hash: Hash
}

export type AppendChunk = ReturnType<typeof createAppendChunk>

export function createAppendChunk({ store, blobs, clock, writers, staged, finishing }: ChunkPorts) {
  return async function appendChunk(uploadId: UploadId, request: ChunkRequest): Promise<ChunkAnswer> {
    const repeated = await answerRepeat(uploadId, request)
    if (repeated !== undefined) return repeated
    return writers.take(uploadId, request.signal, async (writer) => {
      const upload = await staged.check(uploadId)
      // Whoever wrote before this request had its turn may have sent the same chunk.
      const settled = (await answerRepeat(uploadId, request)) ?? (await misfit(upload, request))
      if (settled !== undefined || upload === undefined) return settled ?? { refused: 'upload_not_found' }
      const chunk = await write(upload, request, writer)
      return 'refused' in chunk ? chunk : record(upload, chunk)
    })
  }

  /** The same offset and checksum again gets the answer that it had, for the last chunk as soon as the whole has landed. */
  async function answerRepeat(
    uploadId: UploadId,
    { offset, checksum }: ChunkRequest,
  ): Promise<ChunkAnswer | undefined> {
    const [upload, chunk] = await store.read(async (tx) => [
      await tx.uploads.find(uploadId),
      await tx.uploads.chunkAt(uploadId, offset),
    ])
    if (isGone(upload)) return { refused: 'upload_not_found' }
    if (chunk?.checksum !== checksum) return undefined
    const end = chunk.offset + chunk.length
    return end === upload.size ? finishing.finish(uploadId) : { offset: end }
  }

  async function misfit(upload: Upload | undefined, request: ChunkRequest): Promise<Refuses<ChunkReason> | undefined> {
    if (upload === undefined) return { refused: 'upload_not_found' }
    const offset = upload.receivedBytes
    if (upload.state !== 'open') return { refused: 'upload_closed', offset }
    if (request.offset === offset)
      return upload.chunkCount < chunksMost(upload.size) ? undefined : { refused: 'chunks_too_many', offset }
    const recorded = await store.read((tx) => tx.uploads.chunkAt(upload.uploadId, request.offset))
    return { refused: recorded === undefined ? 'chunk_misplaced' : 'chunk_conflict', offset }
  }

  async function write(
    upload: Upload,
    request: ChunkRequest,
    writer: Writer,
  ): Promise<WrittenChunk | Refuses<ChunkReason>> {
    const { offset } = request
    const { uploadId } = upload
    const own = createHash('sha256')
    const whole = staged.hashUpTo(uploadId, offset)
    let length = 0
    try {
      await blobs.write(upload.location, {
        offset,
        body: request.body,
        signal: writer.signal,
        onBytes(bytes) {
          length += bytes.length
          if (offset + length > upload.size) throw new PastSize()
          own.update(bytes)
          whole?.update(bytes)
        },
      })
    } catch (error) {
      if (writer.isStopped()) return stopped(uploadId)
      if (error instanceof PastSize) return { refused: 'chunk_past_size', offset }
      if (error instanceof StorageUnavailable || error instanceof BlobMissing)
        return finishing.storageFault(upload, error)
      throw error
    }
    if (length === 0) return { refused: 'chunk_empty' }
    if (own.copy().digest('hex') !== request.checksum) return { refused: 'chunk_corrupt', offset }
    return writer.hasAllBytes() ? { offset, length, checksum: request.checksum, hash: whole ?? own } : stopped(uploadId)
  }

  /** A newer request took over, or the session has ended. */
  async function stopped(uploadId: UploadId): Promise<Refuses<'chunk_misplaced' | 'upload_not_found'>> {
    const upload = await store.read((tx) => tx.uploads.find(uploadId))
    return isGone(upload)
      ? { refused: 'upload_not_found' }
      : { refused: 'chunk_misplaced', offset: upload.receivedBytes }
  }

  async function record(upload: Upload, chunk: WrittenChunk): Promise<ChunkAnswer> {
    const { uploadId } = upload
    const end = chunk.offset + chunk.length
    const isLast = end === upload.size
    // Durable before the state says so: a start after a power cut may trust a finishing session's bytes.
    if (isLast) {
      const failure = await finishing.settle(upload)
      if (failure !== undefined) return failure
    }
    const refused = await store.write((tx) => recordIn(tx, upload, chunk))
    if (refused?.refused === 'sibling_finishing') {
      await finishing.finish(refused.uploadId)
      return record(upload, chunk)
    }
    if (refused !== undefined) return refused
    staged.advance(uploadId, end, chunk.hash)
    return isLast ? finishing.finish(uploadId) : { offset: end }
  }

  async function recordIn(
    tx: WriteTx,
    upload: Upload,
    chunk: WrittenChunk,
  ): Promise<
    | Refuses<'chunk_misplaced' | 'upload_not_found' | 'account_suspended'>
    | { readonly refused: 'sibling_finishing'; readonly uploadId: UploadId }
    | undefined
  > {
    const { uploadId } = upload
    const { offset, length, checksum } = chunk
    // A chunk may have been on its way for long. To a guest the session is then one that is not there, as to those who come later.
    const owner = await tx.accounts.find(upload.accountId)
    if (owner?.suspendedAt !== undefined)
      return { refused: upload.assetId === undefined ? 'upload_not_found' : 'account_suspended' }
    if (!(await tx.uploads.append(uploadId, { offset, length, checksum }, clock.now()))) {
      const present = await tx.uploads.find(uploadId)
      return isGone(present)
        ? { refused: 'upload_not_found' }
        : { refused: 'chunk_misplaced', offset: present.receivedBytes }
    }
    return offset + length === upload.size ? finishing.enter(tx, upload) : undefined
  }
}

const CHUNKS_LEAST = 10_000
const CHUNK_BYTES_USUAL = 8 * 1024 * 1024

/** Small chunks are the guest's right on a bad line; millions of them are not. */
function chunksMost(size: number): number {
  return Math.max(CHUNKS_LEAST, Math.ceil((4 * size) / CHUNK_BYTES_USUAL))
}

class PastSize extends Error {}
