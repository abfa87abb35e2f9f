import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import type { ChunkReader } from '../seal/chunkReader.ts'

/** Which bytes of the blob, `end` not included. */
export interface ChunkRange {
  readonly offset: number
  readonly end: number
}

export interface ReadyChunk {
  readonly bytes: Bytes
  /** SHA-256 of `bytes`, lowercase hex. */
  readonly checksum: string
}

/** Seals the chunk that probably comes next while the one before it is on its way, so that neither the line nor the processor waits for the other. */
export interface ChunksAhead {
  /** What was begun, if it is the very range; reads it now otherwise. Rejects with what the reader throws. */
  take(range: ChunkRange): Promise<ReadyChunk>
  /** The last one that was taken stays good, and the one before it does not. */
  begin(range: ChunkRange): void
}

export function createChunksAhead(readChunk: ChunkReader): ChunksAhead {
  let begun: { readonly range: ChunkRange; readonly chunk: Promise<ReadyChunk> } | undefined
  const read = async ({ offset, end }: ChunkRange): Promise<ReadyChunk> => {
    const bytes = await readChunk(offset, end)
    return { bytes, checksum: toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))) }
  }
  return {
    async take(range) {
      const guessed = begun
      begun = undefined
      if (guessed?.range.offset === range.offset && guessed.range.end === range.end) return guessed.chunk
      // The reader takes one call at a time.
      await guessed?.chunk.catch(() => undefined)
      return read(range)
    },
    begin(range) {
      const chunk = read(range)
      // If it is not what comes next nobody awaits it; its failure must not count as unhandled.
      chunk.catch(() => undefined)
      begun = { range, chunk }
    },
  }
}
