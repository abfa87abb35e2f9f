import { type Bytes, concatBytes, equalBytes } from '@blindkeep/protocol/bytes'
import { SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { createRunningHash, type FileHash, fileHashOf } from '../ground/sha256.ts'
import { createFreeing } from './freedMemory.ts'
import { type Sealer, segmentRange } from './seal.ts'
import { tagOf } from './sealedBlob.ts'
import { type Source, SourceChanged } from './source.ts'

/** The result of the hashing pass: what declares the blob, and what shows later whether the file has changed. */
export interface SealRecord {
  /** SHA-256 of the whole ciphertext, lowercase hex. */
  readonly ciphertextHash: string
  /** Ciphertext bytes. */
  readonly size: number
  /** The 16-byte tags of header and segments, in order. Keep them as long as the blob may be sent again. */
  readonly tags: Bytes
}

interface HashingOptions {
  readonly sealer: Sealer
  readonly source: Source
  /** Called with the ciphertext bytes hashed so far, of `sealer.sealedSize`. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Faster than the default in JavaScript, where the environment has one. */
  readonly hash?: FileHash | undefined
}

/** Seals everything once for its hash and tags, with flat memory. Rejects with the signal's reason. */
export async function hashSealed(options: HashingOptions): Promise<SealRecord> {
  const { sealer, source, onProgress, signal, hash = fileHashOf(createRunningHash()) } = options
  requireSize(sealer, source)
  const tags = new Uint8Array((sealer.segmentCount + 1) * TAG_BYTES)
  await hash.update(sealer.prefix)
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
    await hash.update(sealed)
    tags.set(tagOf(sealed), (index + 1) * TAG_BYTES)
    size += sealed.length
    onProgress?.(size)
  }
  return { ciphertextHash: await hash.digest(), size, tags }
}

interface RangeOptions {
  readonly sealer: Sealer
  readonly source: Source
  /** `tags` of the hashing pass. */
  readonly tags: Uint8Array
  /** First ciphertext byte. */
  readonly from: number
  /** End, not included. */
  readonly to: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The ciphertext bytes from `from` up to `to`, in pieces of at most a segment; each piece is valid until the next one
 * is requested. Seals only the segments of that range, and compares the tag of each with the recorded one before it
 * yields bytes of that segment. Throws `SourceChanged` when a tag or the size of the source differs: this prevents a
 * caller from sending two contents that one key has sealed.
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

/** A file of another size is another file, even where the bytes sent so far are the same. */
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

/** While one segment is consumed, the next is sealed and the one after it read: at most three in memory. */
const SEGMENTS_AHEAD = 2

/** Each segment is valid until the next one is requested; then its memory is freed. */
async function* sealedSegments(options: SegmentsOptions): AsyncGenerator<SealedSegment, void, undefined> {
  const { first, end, signal } = options
  const start = createStart(options)
  const free = createFreeing()
  const ahead: Promise<Bytes>[] = []
  let next = first
  const startMore = () => {
    while (next < end && ahead.length < SEGMENTS_AHEAD) ahead.push(start(next++))
  }
  for (let index = first; index < end; index++) {
    signal?.throwIfAborted()
    startMore()
    const sealed = await ahead.shift()
    signal?.throwIfAborted()
    if (sealed === undefined) return
    startMore()
    yield { index, sealed }
    free(sealed)
  }
}

/** Starts to seal a segment as soon as it is read. One read at a time, in the order of the calls. */
function createStart(options: SegmentsOptions): (index: number) => Promise<Bytes> {
  const plaintextOf = createPlaintextReader(options)
  let lastRead: Promise<unknown> = Promise.resolve()
  return (index) => {
    const plaintext = lastRead.then(() => plaintextOf(index))
    lastRead = plaintext
    const sealed = plaintext.then((bytes) => options.sealer.sealSegment(index, bytes))
    // When the consumer stops early nothing awaits this promise; its failure must not count as unhandled.
    sealed.catch(() => undefined)
    return sealed
  }
}

/** Every read of a chosen file is a round trip to another process. Larger reads gain nothing more. */
const SEGMENTS_PER_READ = 4

/** The plaintext of one segment after the other, including the zeros that hide the size. */
function createPlaintextReader({ sealer, source, end }: SegmentsOptions): (index: number) => Promise<Uint8Array> {
  let content: Uint8Array = new Uint8Array(0)
  /** The position of `content` in the file: its first byte, and the segment after it. */
  let [contentFrom, contentEnd] = [0, 0]
  return async (index) => {
    const { from, to } = segmentRange(sealer, index)
    if (index >= contentEnd) {
      contentFrom = from
      contentEnd = Math.min(index + SEGMENTS_PER_READ, end)
      content = await contentBetween(source, from, segmentRange(sealer, contentEnd - 1).to)
    }
    const bytes = content.subarray(from - contentFrom, to - contentFrom)
    return bytes.length === to - from ? bytes : concatBytes(bytes, new Uint8Array(to - from - bytes.length))
  }
}

/** Shorter when the file ends before `to`. With its last byte, it is made sure that nothing follows. */
async function contentBetween(source: Source, from: number, to: number): Promise<Uint8Array> {
  const readTo = Math.min(to, source.size)
  const content = from < readTo ? await source.read(from, readTo) : new Uint8Array(0)
  if (content.length !== Math.max(0, readTo - from)) throw new SourceChanged('the file is shorter than it was')
  if (to >= source.size) await source.requireEnd()
  return content
}
