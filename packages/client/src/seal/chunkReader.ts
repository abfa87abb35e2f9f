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
 * Gives the sealed bytes from `from` to `to`, good until the call after the next: a chunk may be on its way while the one behind it is read. One call at a time.
 * Throws `SourceChanged` before it gives out a segment that is not the one of the hashing pass.
 */
export type ChunkReader = (from: number, to: number) => Promise<Bytes>

export function createChunkReader({ sealer, source, tags, signal }: ChunkReaderOptions): ChunkReader {
  // All chunks lie in these two, by turns: fetch copies from them (Fetch, body extraction).
  let memory: Bytes = new Uint8Array(0)
  let otherMemory: Bytes = new Uint8Array(0)
  return async (from, to) => {
    ;[memory, otherMemory] = [otherMemory, memory]
    if (memory.length < to - from) memory = new Uint8Array(to - from)
    const bytes = memory
    let filled = 0
    for await (const piece of sealRange({ sealer, source, tags, from, to, signal })) {
      bytes.set(piece, filled)
      filled += piece.length
    }
    return bytes.subarray(0, filled)
  }
}
