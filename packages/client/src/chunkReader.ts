import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Sealer } from './seal.ts'
import { sealRange } from './sealStream.ts'
import type { Source } from './source.ts'

interface ChunkReaderOptions {
  readonly sealer: Sealer
  readonly source: Source
  /** `tags` of the hashing pass. */
  readonly tags: Uint8Array
  readonly signal?: AbortSignal | undefined
}

/**
 * Gives the sealed bytes from `from` to `to`, good until the next call: all chunks lie in the same memory, which fetch copies from (Fetch, body extraction).
 * Throws `SourceChanged` before it gives out a segment that is not the one of the hashing pass.
 */
export type ChunkReader = (from: number, to: number) => Promise<Bytes>

export function createChunkReader({ sealer, source, tags, signal }: ChunkReaderOptions): ChunkReader {
  let memory: Bytes = new Uint8Array(0)
  return async (from, to) => {
    if (memory.length < to - from) memory = new Uint8Array(to - from)
    let filled = 0
    for await (const piece of sealRange({ sealer, source, tags, from, to, signal })) {
      memory.set(piece, filled)
      filled += piece.length
    }
    return memory.subarray(0, filled)
  }
}
