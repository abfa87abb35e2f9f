import { type Bytes, concatBytes, equalBytes } from '@blindkeep/protocol/bytes'
import { SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { type Sealer, segmentRange } from './seal.ts'
import { tagOf } from './sealedBlob.ts'
import { createRunningHash, type RunningHash } from './sha256.ts'
import { type Source, SourceChanged } from './source.ts'

/** What the hashing pass leaves: enough to declare the blob, and to know later whether the file is still the same. */
export interface SealRecord {
  /** SHA-256 of the whole ciphertext, lowercase hex. */
  readonly ciphertextHash: string
  /** Ciphertext bytes. */
  readonly size: number
  /** The 16-byte tags of the header and of every data segment, in order. To be kept for as long as the blob may be sent again. */
  readonly tags: Bytes
}

interface HashingOptions {
  readonly sealer: Sealer
  readonly source: Source
  /** Ciphertext bytes hashed so far, of `sealer.sealedSize`. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** A faster SHA-256 than the one written in JavaScript, where there is one. */
  readonly hash?: RunningHash | undefined
}

/** Seals everything once to learn its hash and tags, and gives none of it out. Memory stays flat. Rejects with the signal's reason when aborted. */
export async function hashSealed(options: HashingOptions): Promise<SealRecord> {
  const { sealer, source, onProgress, signal, hash = createRunningHash() } = options
  requireSize(sealer, source)
  const tags = new Uint8Array((sealer.segmentCount + 1) * TAG_BYTES)
  hash.update(sealer.prefix)
  tags.set(tagOf(sealer.prefix))
  let size = sealer.prefix.length
  onProgress?.(size)
  for await (const { index, sealed } of sealedSegments({
    sealer,
    source,
    first: 0,
    end: sealer.segmentCount,
    signal,
  })) {
    hash.update(sealed)
    tags.set(tagOf(sealed), (index + 1) * TAG_BYTES)
    size += sealed.length
    onProgress?.(size)
  }
  return { ciphertextHash: hash.digest(), size, tags }
}

interface RangeOptions {
  readonly sealer: Sealer
  readonly source: Source
  /** `tags` of the hashing pass. */
  readonly tags: Uint8Array
  /** Where in the ciphertext to begin. */
  readonly from: number
  /** Where to end, not included. */
  readonly to: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The ciphertext bytes from `from` to `to`, in pieces of at most a segment. Seals only the segments that the range touches, and compares the tag
 * of each with the recorded one before any byte of it comes out: throws `SourceChanged` when they differ, as the same key would have sealed two contents.
 */
export async function* sealRange(options: RangeOptions): AsyncGenerator<Bytes, void, undefined> {
  const { sealer, source, tags, from, to, signal } = options
  requireSize(sealer, source)
  if (tags.length !== (sealer.segmentCount + 1) * TAG_BYTES) throw new RangeError('these are the tags of another blob')
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= sealer.sealedSize))
    throw new RangeError('not a range of this blob')
  const prefixEnd = sealer.prefix.length
  if (from < Math.min(to, prefixEnd)) {
    requireTag(sealer.prefix, tags, 0)
    yield sealer.prefix.slice(from, Math.min(to, prefixEnd))
  }
  if (to <= prefixEnd) return
  const first = Math.floor(Math.max(0, from - prefixEnd) / SEGMENT_SEALED_BYTES)
  const end = Math.ceil((to - prefixEnd) / SEGMENT_SEALED_BYTES)
  for await (const { index, sealed } of sealedSegments({ sealer, source, first, end, signal })) {
    requireTag(sealed, tags, index + 1)
    const start = prefixEnd + index * SEGMENT_SEALED_BYTES
    const piece = sealed.subarray(Math.max(0, from - start), Math.min(sealed.length, to - start))
    if (piece.length > 0) yield piece
  }
}

function requireTag(sealed: Uint8Array, tags: Uint8Array, position: number): void {
  const recorded = tags.subarray(position * TAG_BYTES, (position + 1) * TAG_BYTES)
  if (!equalBytes(tagOf(sealed), recorded)) throw new SourceChanged()
}

/** A file that has grown or shrunk is another file, even where the bytes already sent are the same. */
function requireSize(sealer: Sealer, source: Source): void {
  if (source.size !== sealer.header.size) throw new SourceChanged('the file has another size than before')
}

interface SegmentsOptions {
  readonly sealer: Sealer
  readonly source: Source
  readonly first: number
  readonly end: number
  readonly signal: AbortSignal | undefined
}

interface SealedSegment {
  readonly index: number
  readonly sealed: Bytes
}

/** The next segment is read and sealed while the consumer works on this one, and no further ahead: memory holds two. */
async function* sealedSegments(options: SegmentsOptions): AsyncGenerator<SealedSegment, void, undefined> {
  const { sealer, source, first, end, signal } = options
  const start = (index: number) => {
    const sealed = plaintextOf(sealer, source, index).then((plaintext) => sealer.sealSegment(index, plaintext))
    // If the consumer stops early nobody awaits this one; its failure must not count as unhandled.
    sealed.catch(() => undefined)
    return sealed
  }
  signal?.throwIfAborted()
  let next = first < end ? start(first) : undefined
  for (let index = first; next !== undefined; index++) {
    const sealed = await next
    signal?.throwIfAborted()
    next = index + 1 < end ? start(index + 1) : undefined
    yield { index, sealed }
  }
}

async function plaintextOf(sealer: Sealer, source: Source, index: number): Promise<Uint8Array> {
  const { from, to } = segmentRange(sealer, index)
  const readTo = Math.min(to, source.size)
  const content = from < readTo ? await source.read(from, readTo) : new Uint8Array(0)
  if (content.length !== Math.max(0, readTo - from)) throw new SourceChanged('the file is shorter than it was')
  return content.length === to - from ? content : concatBytes(content, new Uint8Array(to - from - content.length))
}
