const KIB = 1024
const MIB = 1024 * KIB

/** Below this size the overhead of a request outweighs its bytes. */
export const CHUNK_BYTES_MIN = 256 * KIB
/** The default limit of servers. Larger chunks gain nothing, and a server must not decide a client's memory. */
export const MAX_CHUNK_BYTES = 16 * MIB
/** A chunk that takes this long is cheap to lose and worth its request. */
const AIM_MS = { min: 5_000, max: 10_000 }
/** Small enough that a slow connection soon shows progress; on a fast one three chunks are enough to grow. */
const CHUNK_BYTES_FIRST = MIB
/** A session accepts max(10,000, 4 × size / 8 MiB) chunks; half are a reserve for a worse connection. */
const MAX_CHUNKS = 10_000
const BYTES_PER_CHUNK_OF_LARGE_BLOBS = 2 * MIB

/** Size of the next chunk, and its limits, in bytes. */
export interface ChunkSizing {
  readonly bytes: number
  readonly min: number
  readonly max: number
}

/** Starts small and grows with a fast connection, up to the suggested size: larger ones may be refused. */
export function startSizing(blobBytes: number, suggestedBytes: number): ChunkSizing {
  const max = Math.min(suggestedBytes, MAX_CHUNK_BYTES)
  const chunksMax = Math.max(MAX_CHUNKS, blobBytes / BYTES_PER_CHUNK_OF_LARGE_BLOBS)
  const floor = Math.max(CHUNK_BYTES_MIN, Math.ceil((2 * blobBytes) / chunksMax))
  const min = Math.min(floor, max)
  return { bytes: Math.max(min, Math.min(CHUNK_BYTES_FIRST, max)), min, max }
}

/** The sizing after a chunk was stored. A short last chunk says nothing about full ones. */
export function sizingAfter(sizing: ChunkSizing, sentBytes: number, tookMs: number): ChunkSizing {
  if (tookMs > AIM_MS.max) return halved(sizing)
  if (tookMs >= AIM_MS.min || sentBytes < sizing.bytes / 2) return sizing
  return { ...sizing, bytes: Math.min(sizing.max, sizing.bytes * 2) }
}

/** The sizing after the connection broke: a smaller chunk has better odds. */
export function halved(sizing: ChunkSizing): ChunkSizing {
  return { ...sizing, bytes: Math.max(sizing.min, Math.floor(sizing.bytes / 2)) }
}

/** The sizing after a 413 for `refusedBytes`: always smaller. Undefined when no chunk can be smaller. */
export function sizingBelow(sizing: ChunkSizing, refusedBytes: number): ChunkSizing | undefined {
  const max = Math.floor(refusedBytes / 2)
  return max < sizing.min ? undefined : { ...sizing, max, bytes: Math.min(max, sizing.bytes) }
}

/** The segments in a sealed file, in bytes: the first begins at `first`, and each but the last has `each` bytes. */
export interface SegmentGrid {
  readonly first: number
  readonly each: number
}

/** Ends a chunk with a segment, so that none is sealed twice. Smaller chunks end anywhere. */
export function chunkEnd(from: number, to: number, { first, each }: SegmentGrid): number {
  const boundary = first + Math.floor((to - first) / each) * each
  return boundary - from >= (to - from) / 2 ? boundary : to
}
