/**
 * The one place that accepts chunks (specification, Append one chunk: the same function as the album upload path).
 * An acknowledged chunk is written and recorded. The last one is acknowledged only when the whole file has landed.
 */
import type { Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { Upload } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { type FindUpload, findUpload, type UploadAt } from '../uploads/findUpload.ts'
import type { Writers } from '../uploads/writers.ts'
import { type ChunkRecordPorts, createChunkRecord, type RecordRefusal } from './chunkRecord.ts'
import { type ChunkWritePorts, createChunkWrite, type WriteRefusal } from './chunkWrite.ts'
import type { FinishAnswer } from './finishing.ts'
import { isSmallDrop } from './landing.ts'

export interface ChunkRequest {
  readonly offset: number
  readonly checksum: Sha256Hex
  /** Rejects when the connection breaks, or when the body is longer than the server's largest chunk. */
  readonly body: AsyncIterable<Uint8Array>
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

type MisfitRefusal = Refuses<'upload_closed' | 'chunk_misplaced' | 'chunk_conflict' | 'chunks_too_many'>

/** The offset of the next chunk, or a refusal. */
export type ChunkAnswer = FinishAnswer | WriteRefusal | RecordRefusal | MisfitRefusal

type ChunkPorts = ChunkWritePorts & ChunkRecordPorts & { readonly writers: Writers }

/** An upload as it was at a moment of `writers`. */
export interface FoundUpload extends UploadAt {
  readonly moment: number
}

export type Chunks = ReturnType<typeof createChunks>

export function createChunks(ports: ChunkPorts) {
  const { store, writers, staged, finishing, landing } = ports
  const write = createChunkWrite(ports)
  const record = createChunkRecord(ports)

  /** The same offset and checksum get their first answer; for the last chunk, that of the whole upload. */
  async function repeatAnswer(
    { upload, recorded }: UploadAt,
    { checksum }: ChunkRequest,
  ): Promise<FinishAnswer | undefined> {
    if (recorded?.checksum !== checksum) return undefined
    const end = recorded.offset + recorded.length
    return end === upload.size ? finishing.finish(upload.uploadId) : { offset: end }
  }

  /**
   * The upload as it is now, after the check of its bytes if this process has not seen them yet. It is read again only
   * if something happened to it since it was found: another request may have sent this chunk, or a later one.
   */
  async function present(
    found: FoundUpload,
    { offset }: ChunkRequest,
  ): Promise<UploadAt | Refuses<'upload_not_found'>> {
    const { uploadId } = found.upload
    const find = () => store.ask((tx) => findUpload(uploadId)(tx, offset))
    const mayHaveLanded = isSmallDrop(found.upload) && (await landing.settled())
    const now = mayHaveLanded || writers.isTouchedSince(uploadId, found.moment) ? await find() : found
    if (isRefusal(now)) return now
    return (await staged.check(now.upload)) ? now : find()
  }

  /** For a chunk without a part: what another process did meanwhile, or that the store has no place now. */
  async function withoutPart(uploadId: UploadId, request: ChunkRequest): Promise<ChunkAnswer> {
    const { offset } = request
    const now = await store.ask((tx) => findUpload(uploadId)(tx, offset))
    if (isRefusal(now)) return now
    return (await repeatAnswer(now, request)) ?? misfit(now, request) ?? { refused: 'storage_unavailable' }
  }

  return {
    /** Finds the upload of a chunk: the first check of the request. `offset` is undefined if the request names none. */
    async find(find: FindUpload, offset: number | undefined): Promise<FoundUpload | Refuses<'upload_not_found'>> {
      const moment = writers.now()
      const found = await store.ask((tx) => find(tx, offset))
      return isRefusal(found) ? found : { ...found, moment }
    },

    /** `found` is what `find` gave for this request. */
    async append(found: FoundUpload, request: ChunkRequest): Promise<ChunkAnswer> {
      // A repeat does not take the turn: it must not stop the writer of a later chunk.
      const repeated = await repeatAnswer(found, request)
      if (repeated !== undefined) return repeated
      const { uploadId } = found.upload
      return writers.take(uploadId, request.signal, async (writer) => {
        const now = await present(found, request)
        if (isRefusal(now)) return now
        const settled = (await repeatAnswer(now, request)) ?? misfit(now, request)
        if (settled !== undefined) return settled
        const chunk = await write(now.upload, request, writer)
        if (chunk === undefined) return withoutPart(uploadId, request)
        return isRefusal(chunk) ? chunk : record(now.upload, chunk)
      })
    },
  }
}

/** Why a chunk that is no repeat does not continue the upload. */
function misfit({ upload, recorded }: UploadAt, request: ChunkRequest): MisfitRefusal | undefined {
  const offset = upload.receivedBytes
  if (upload.state !== 'open') return { refused: 'upload_closed', offset }
  if (request.offset !== offset)
    return { refused: recorded === undefined ? 'chunk_misplaced' : 'chunk_conflict', offset }
  return upload.chunkCount < maxChunks(upload) ? undefined : { refused: 'chunks_too_many', offset }
}

const MIN_CHUNK_LIMIT = 10_000
const USUAL_CHUNK_BYTES = 8 * 1024 * 1024

/** A guest on a bad line may send small chunks, but not millions of them. */
function maxChunks({ size }: Upload): number {
  return Math.max(MIN_CHUNK_LIMIT, Math.ceil((4 * size) / USUAL_CHUNK_BYTES))
}
