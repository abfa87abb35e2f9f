const KIB = 1024
const MIB = 1024 * KIB

/** Below this a chunk's own overhead would weigh more than its bytes. */
export const CHUNK_BYTES_MIN = 256 * KIB
/** The most that servers take as they come. Larger chunks win nothing, and a server must not decide how much memory we use. */
export const MAX_CHUNK_BYTES = 16 * MIB
/** A chunk in this span is short enough to lose and long enough to be worth its request. */
const AIM_MS = { min: 5_000, max: 10_000 }
/** Little enough that a slow line, of which nothing is known yet, soon shows that it moves; a fast one has grown it after three chunks. */
const CHUNK_BYTES_FIRST = MIB
/** A session takes max(10,000, 4 × size / 8 MiB) chunks; half of them are kept back for a line that gets worse. */
const MAX_CHUNKS = 10_000
const BYTES_PER_CHUNK_OF_LARGE_BLOBS = 2 * MIB

/** How large the next chunk is, and between which sizes it moves; all in bytes. */
export interface ChunkSizing {
  readonly bytes: number
  readonly min: number
  readonly max: number
}

/** Starts small and grows as the line shows what it carries, up to the size that the server suggests, which is the largest known to be taken. */
export function startSizing(blobBytes: number, suggestedBytes: number): ChunkSizing {
  const max = Math.min(suggestedBytes, MAX_CHUNK_BYTES)
  const chunksMax = Math.max(MAX_CHUNKS, blobBytes / BYTES_PER_CHUNK_OF_LARGE_BLOBS)
  const floor = Math.max(CHUNK_BYTES_MIN, Math.ceil((2 * blobBytes) / chunksMax))
  const min = Math.min(floor, max)
  return { bytes: Math.max(min, Math.min(CHUNK_BYTES_FIRST, max)), min, max }
}

/** After a chunk was kept. A last chunk that was short tells nothing about full ones. */
export function sizingAfter(sizing: ChunkSizing, sentBytes: number, tookMs: number): ChunkSizing {
  if (tookMs > AIM_MS.max) return halved(sizing)
  if (tookMs >= AIM_MS.min || sentBytes < sizing.bytes / 2) return sizing
  return { ...sizing, bytes: Math.min(sizing.max, sizing.bytes * 2) }
}

/** After a cut: a smaller chunk has better odds. */
export function halved(sizing: ChunkSizing): ChunkSizing {
  return { ...sizing, bytes: Math.max(sizing.min, Math.floor(sizing.bytes / 2)) }
}

/** After a 413 for a chunk of `refusedBytes`: nothing as large is tried again. Undefined when it was as small as chunks get. */
export function sizingBelow(sizing: ChunkSizing, refusedBytes: number): ChunkSizing | undefined {
  const max = Math.floor(refusedBytes / 2)
  return max < sizing.min ? undefined : { ...sizing, max, bytes: Math.min(max, sizing.bytes) }
}

/** Where segments lie in a sealed file, in bytes: the first begins at `first`, and each but the last is `each` long. */
export interface SegmentGrid {
  readonly first: number
  readonly each: number
}

/** A chunk that ends where a segment ends spares sealing that segment twice; one too small to hold a whole segment ends anywhere. */
export function chunkEnd(from: number, to: number, { first, each }: SegmentGrid): number {
  const boundary = first + Math.floor((to - first) / each) * each
  return boundary - from >= (to - from) / 2 ? boundary : to
}
