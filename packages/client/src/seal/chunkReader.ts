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
 * Returns the sealed bytes from `from` up to `to`. They are valid until the call after the next one, so that one chunk
 * can be sent while the next is read. One call at a time. Throws `SourceChanged` before it returns a segment that
 * differs from the hashing pass.
 */
export type ChunkReader = (from: number, to: number) => Promise<Bytes>

export function createChunkReader({ sealer, source, tags, signal }: ChunkReaderOptions): ChunkReader {
  // Two buffers in turn; fetch copies from them (Fetch, body extraction).
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
