/** Writes a chunk's bytes behind the bytes that its upload already has. Nothing is recorded yet: a later chunk may overwrite them. */
import { createHash, type Hash } from 'node:crypto'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { Staging } from '../../ports/staging.ts'
import { BlobMissing, StorageUnavailable } from '../../ports/storageErrors.ts'
import type { Chunk, Store, Upload } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { findUpload } from './findUpload.ts'
import type { Finishing } from './finishing.ts'
import type { Room } from './room.ts'
import type { StagedBytes } from './staged.ts'
import type { Writer } from './writers.ts'

export interface ChunkWritePorts {
  readonly store: Store
  readonly staging: Staging
  readonly room: Room
  readonly staged: StagedBytes
  readonly finishing: Finishing
}

export interface WrittenChunk extends Chunk {
  /** Of the whole file, from byte 0 to the end of this chunk. */
  readonly hash: Hash
}

interface ChunkBody {
  readonly offset: number
  readonly checksum: Sha256Hex
  readonly body: AsyncIterable<Uint8Array>
}

type StopRefusal = Refuses<'chunk_misplaced' | 'upload_not_found'>

export type WriteRefusal =
  | StopRefusal
  | Refuses<'chunk_empty' | 'chunk_corrupt' | 'chunk_past_size' | 'storage_unavailable'>

class PastSize extends Error {}
class NoRoom extends Error {}

export function createChunkWrite({ store, staging, room, staged, finishing }: ChunkWritePorts) {
  return async function write(
    upload: Upload,
    { offset, checksum, body }: ChunkBody,
    writer: Writer,
  ): Promise<WrittenChunk | WriteRefusal> {
    const ofChunk = createHash('sha256')
    const ofFile = staged.hashUpTo(upload.uploadId, offset)
    let length = 0
    const onBytes = (bytes: Uint8Array): void => {
      length += bytes.length
      if (offset + length > upload.size) throw new PastSize()
      if (!room.take(bytes.length)) throw new NoRoom()
      ofChunk.update(bytes)
      ofFile?.update(bytes)
    }
    try {
      if (!(await room.isLeft())) return { refused: 'storage_unavailable' }
      await staging.write(
        { location: upload.location, key: undefined, offset },
        { body, signal: writer.signal, onBytes },
      )
    } catch (error) {
      if (writer.isStopped()) return stopped(upload)
      if (error instanceof PastSize) return { refused: 'chunk_past_size', offset }
      // What has arrived of this chunk lies behind the acknowledged bytes; the next attempt writes over it.
      if (error instanceof NoRoom) return { refused: 'storage_unavailable' }
      if (error instanceof StorageUnavailable || error instanceof BlobMissing)
        return finishing.storageFault(upload, error)
      throw error
    }
    if (length === 0) return { refused: 'chunk_empty' }
    if (ofChunk.copy().digest('hex') !== checksum) return { refused: 'chunk_corrupt', offset }
    return writer.hasAllBytes() ? { offset, length, checksum, hash: ofFile ?? ofChunk } : stopped(upload)
  }

  /** A newer request took over, or the upload has ended. */
  async function stopped({ uploadId }: Upload): Promise<StopRefusal> {
    const present = await store.read(findUpload(uploadId))
    return isRefusal(present) ? present : { refused: 'chunk_misplaced', offset: present.receivedBytes }
  }
}
