/**
 * The one place that accepts chunks (specification, Append one chunk: the same function as the album upload path).
 * An acknowledged chunk is written and recorded. The last one is acknowledged only when the whole file has landed.
 */
import type { Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import {
  type AccountStanding,
  accountLock,
  type DropUpload,
  type Link,
  type Upload,
  type WriteTx,
} from '../../ports/store.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { type FindUpload, findUpload, type UploadAt } from '../uploads/findUpload.ts'
import type { Writers } from '../uploads/writers.ts'
import {
  type ChunkWritePorts,
  createChunkWrite,
  giveUpPart,
  type WriteRefusal,
  type WrittenChunk,
} from './chunkWrite.ts'
import type { FinishAnswer } from './finishing.ts'
import { claimLink, type FinishingRefusal, isSmallDrop, type Landing, NotWhole } from './landing.ts'

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
export type ChunkAnswer = FinishAnswer | WriteRefusal | Refuses<'account_suspended'> | MisfitRefusal

interface ChunkPorts extends ChunkWritePorts {
  readonly writers: Writers
  readonly landing: Pick<Landing, 'landAtOnce' | 'settled'>
}

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

type RecordingRefusal = Refuses<'chunk_misplaced' | 'upload_not_found' | 'account_suspended'> | FinishingRefusal

/** Records a chunk whose bytes are written. The last chunk moves its upload to finishing, or lands a small drop. */
function createChunkRecord({ store, clock, staged, finishing, landing }: Omit<ChunkPorts, 'writers'>) {
  return async function record(upload: Upload, chunk: WrittenChunk): Promise<ChunkAnswer> {
    const { uploadId } = upload
    const end = chunk.offset + chunk.length
    const isLast = end === upload.size
    // The bytes are durable before the row says so: a start after a power cut trusts the bytes of a finishing upload.
    if (isLast) {
      const failure = await finishing.settle(upload)
      if (failure !== undefined) return failure
    }
    if (isSmallWhole(upload, chunk)) {
      const landed = await landAtOnce(upload, chunk)
      if (landed !== undefined) return landed
    }
    // The account's lock would make every chunk of an account wait for the others. One statement judges and records a
    // chunk; the last one judges more.
    const done = await store.write(isLast ? [accountLock(upload.accountId)] : [], (tx) => recordIn(tx, upload, chunk))
    if (typeof done !== 'string' && done.refused === 'sibling_finishing') {
      await finishing.finish(done.uploadId)
      return record(upload, chunk)
    }
    if (done !== 'recorded' && chunk.key !== undefined) await giveUpPart({ store, clock }, chunk.key)
    if (typeof done !== 'string') return done
    if (chunk.hash !== undefined) staged.advance(uploadId, end, chunk.hash)
    if (!isLast) return { offset: end }
    const entered = { ...upload, state: 'finishing' as const, receivedBytes: end }
    return finishing.finish(uploadId, done === 'recorded' ? entered : undefined)
  }

  /** Undefined if it cannot land so: then the usual way finds out why. */
  async function landAtOnce(upload: DropUpload, chunk: WrittenChunk): Promise<FinishAnswer | undefined> {
    try {
      await landing.landAtOnce(upload, chunk)
      return { offset: upload.size }
    } catch (error) {
      if (error instanceof NotWhole) return undefined
      throw error
    }
  }

  async function recordIn(
    tx: WriteTx,
    upload: Upload,
    { offset, length, checksum, key }: WrittenChunk,
  ): Promise<'recorded' | 'repeat' | RecordingRefusal> {
    const { uploadId } = upload
    const at = clock.now()
    // Checked again, because the chunk may have taken long to arrive. The guest of a suspended owner, and everyone's
    // upload for a deleted one, gets the answer of an unknown upload.
    const lease = offset + length === upload.size ? finishing.leaseFrom(at) : undefined
    const [{ owner, link }, isAppended] = await Promise.all([
      judgesOf(tx, upload, lease !== undefined),
      tx.uploads.append(uploadId, { offset, length, checksum, key }, at, lease),
    ])
    const isSuspended = owner?.suspendedAt !== undefined
    if (!isReachable(owner))
      return { refused: isSuspended && upload.assetId !== undefined ? 'account_suspended' : 'upload_not_found' }
    if (!isAppended) {
      // Another process may have recorded the same chunk first.
      if ((await tx.uploads.chunkAt(uploadId, offset))?.checksum === checksum) return 'repeat'
      const present = await findUpload(uploadId)(tx)
      return isRefusal(present) ? present : { refused: 'chunk_misplaced', offset: present.upload.receivedBytes }
    }
    const refused = lease && link && (await claimLink(tx, { upload, link }))
    return refused ?? 'recorded'
  }
}

/** Whether a chunk is the whole content of a small drop. */
function isSmallWhole(upload: Upload, { offset, checksum }: WrittenChunk): upload is DropUpload {
  return isSmallDrop(upload) && offset === 0 && checksum === upload.ciphertextHash
}

/** What can refuse a chunk: the owner, and for the last chunk of a guest its link. */
async function judgesOf(
  tx: WriteTx,
  upload: Upload,
  isLast: boolean,
): Promise<{ readonly owner: AccountStanding | undefined; readonly link?: Link }> {
  if (!isLast || upload.assetId !== undefined) return { owner: await tx.accounts.standing(upload.accountId) }
  return (await tx.links.findWithOwner(upload.opaqueId)) ?? { owner: undefined }
}
