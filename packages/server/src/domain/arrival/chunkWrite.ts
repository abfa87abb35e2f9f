/**
 * Stores a chunk's bytes. Nothing is recorded of the chunk yet. In a store with keys its part is recorded first, when
 * all its bytes have arrived and are right: so a key without a row has no bytes, and a broken request leaves no row.
 */
import { createHash, type Hash } from 'node:crypto'
import { addSeconds, type Sha256Hex } from '@blindkeep/protocol/ids'
import { BlobMissing, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Staging } from '../../ports/staging.ts'
import type { Store, StoredChunk, Upload } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Room } from '../quota/room.ts'
import { findUpload } from '../uploads/findUpload.ts'
import type { Writer } from '../uploads/writers.ts'
import type { Finishing } from './finishing.ts'
import type { StagedBytes } from './stagedBytes.ts'

export interface ChunkWritePorts {
  readonly store: Store
  readonly staging: Staging
  readonly clock: Clock
  readonly room: Room
  readonly staged: StagedBytes
  readonly finishing: Finishing
}

export interface WrittenChunk extends StoredChunk {
  /** Of the whole file, from byte 0 to the end of this chunk. Undefined if this process has not seen all of it. */
  readonly hash: Hash | undefined
}

interface ChunkBody {
  readonly offset: number
  readonly checksum: Sha256Hex
  readonly body: AsyncIterable<Uint8Array>
}

type StopRefusal = Refuses<'chunk_misplaced' | 'upload_not_found'>

export type WriteRefusal =
  | StopRefusal
  | Refuses<'chunk_empty' | 'chunk_corrupt' | 'chunk_past_size' | 'storage_unavailable' | 'storage_full'>

/** Parts of a session written at once: repeats on several nodes. Leftovers of stopped nodes cannot fill the store. */
const MAX_PARTS_WRITING = 4
/** Far longer than storing takes. An unrecorded part is then given up, and its chunk sent again. */
const PART_SECONDS = 300

/** Ends a body with the reason why its chunk is refused. */
class ChunkRefused extends Error {
  readonly refusal: WriteRefusal
  constructor(refusal: WriteRefusal) {
    super(refusal.refused)
    this.refusal = refusal
  }
}

class PartNotBegun extends Error {}

export function createChunkWrite({ store, staging, clock, room, staged, finishing }: ChunkWritePorts) {
  /** What arrives of one chunk: counted, hashed and judged. */
  function createArrival(upload: Upload, { offset, checksum }: ChunkBody, writer: Writer) {
    const ofChunk = createHash('sha256')
    const ofFile = offset === 0 ? ofChunk : staged.hashUpTo(upload.uploadId, offset)
    let length = 0
    return {
      take(bytes: Uint8Array): void {
        length += bytes.length
        if (offset + length > upload.size) throw new ChunkRefused({ refused: 'chunk_past_size', offset })
        if (!room.take(bytes.length)) throw new ChunkRefused({ refused: 'storage_full' })
        ofChunk.update(bytes)
        if (ofFile !== ofChunk) ofFile?.update(bytes)
      },
      /** Called once, after the last piece. */
      judge(): void {
        if (length === 0) throw new ChunkRefused({ refused: 'chunk_empty' })
        if (ofChunk.copy().digest('hex') !== checksum) throw new ChunkRefused({ refused: 'chunk_corrupt', offset })
        if (!writer.hasAllBytes()) throw new Error('stopped')
      },
      chunk: (key: string | undefined): WrittenChunk => ({ offset, length, checksum, key, hash: ofFile }),
    }
  }

  /** Undefined without a part: another process recorded the chunk or closed the upload, or too many are written. */
  return async function write(
    upload: Upload,
    chunk: ChunkBody,
    writer: Writer,
  ): Promise<WrittenChunk | WriteRefusal | undefined> {
    const { uploadId, location } = upload
    const arrival = createArrival(upload, chunk, writer)
    const key = staging.newKey(location)
    let isBegun = false
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* chunk.body
      arrival.judge()
      if (key === undefined) return
      isBegun = await beginPart(upload, key)
      if (!isBegun) throw new PartNotBegun('the chunk got no part')
    }
    try {
      if (!(await room.isLeft())) return { refused: 'storage_full' }
      const { signal } = writer
      await staging.write({ location, key, offset: chunk.offset }, { body: body(), signal, onBytes: arrival.take })
      return arrival.chunk(key)
    } catch (error) {
      if (isBegun && key !== undefined) await giveUpPart({ store, clock }, key)
      if (writer.isStopped()) return stopped(uploadId)
      // What has arrived of this chunk does not count: without keys the next attempt writes over it.
      if (error instanceof ChunkRefused) return error.refusal
      if (error instanceof PartNotBegun) return undefined
      if (error instanceof StorageUnavailable || error instanceof BlobMissing)
        return finishing.storageFault(upload, error)
      throw error
    }
  }

  async function beginPart({ uploadId }: Upload, key: string): Promise<boolean> {
    const until = addSeconds(clock.now(), PART_SECONDS)
    return store.write([], (tx) => tx.parts.begin({ key, uploadId, until }, MAX_PARTS_WRITING))
  }

  /** A newer request took over, or the upload has ended. */
  async function stopped(uploadId: Upload['uploadId']): Promise<StopRefusal> {
    const present = await store.ask(findUpload(uploadId))
    return isRefusal(present) ? present : { refused: 'chunk_misplaced', offset: present.upload.receivedBytes }
  }
}

/** Has the bytes of a part removed, unless it is kept. If that fails, the part is given up when its time is over. */
export async function giveUpPart(
  { store, clock }: Pick<ChunkWritePorts, 'store' | 'clock'>,
  key: string,
): Promise<void> {
  await store.write([], (tx) => tx.parts.giveUp(key, clock.now())).catch(() => undefined)
}
