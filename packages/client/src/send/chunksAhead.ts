import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import type { ChunkReader } from '../seal/chunkReader.ts'

/** A range of the blob; `end` is not included. */
export interface ChunkRange {
  readonly offset: number
  readonly end: number
}

export interface ReadyChunk {
  readonly bytes: Bytes
  /** SHA-256 of `bytes`, lowercase hex. */
  readonly checksum: string
}

/** Seals the probable next chunk while one is sent: neither network nor processor waits for the other. */
export interface ChunksAhead {
  /** The chunk that `begin` started, if the range is the same; otherwise reads it. Rejects with the reader's error. */
  get(range: ChunkRange): Promise<ReadyChunk>
  /** Starts to seal this chunk. The chunk that `get` returned last stays valid; the chunk before it does not. */
  begin(range: ChunkRange): void
}

export function createChunksAhead(readChunk: ChunkReader): ChunksAhead {
  let begun: { readonly range: ChunkRange; readonly chunk: Promise<ReadyChunk> } | undefined
  const read = async ({ offset, end }: ChunkRange): Promise<ReadyChunk> => {
    const bytes = await readChunk(offset, end)
    return { bytes, checksum: toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))) }
  }
  return {
    async get(range) {
      const guessed = begun
      begun = undefined
      if (guessed?.range.offset === range.offset && guessed.range.end === range.end) return guessed.chunk
      // The reader allows one call at a time.
      await guessed?.chunk.catch(() => undefined)
      return read(range)
    },
    begin(range) {
      const chunk = read(range)
      // When another range follows, nothing awaits this promise; its failure must not count as unhandled.
      chunk.catch(() => undefined)
      begun = { range, chunk }
    },
  }
}
