import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { MAX_DATA_SEGMENTS, SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { type ByteReader, type ByteStream, createByteReader } from './byteReader.ts'
import type { Header } from './header.ts'
import { type BlobOpener, type OpenContext, type OpenedPrefix, openPrefix, prefixBytesOf } from './openHeader.ts'
import { SealError } from './sealError.ts'

export interface OpenedBlob {
  readonly header: Header
  /**
   * The file, `header.size` bytes. Every piece was verified before it comes out, but only the end tells that the file is whole:
   * the stream fails with `SealError` otherwise, and what was written of it until then must be thrown away.
   */
  readonly content: ReadableStream<Bytes>
}

/** Opens a sealed blob as it arrives. Rejects with `SealError` before any content when key, header or form are wrong. Memory stays flat. */
export async function openBlob(stream: ByteStream, opener: BlobOpener): Promise<OpenedBlob> {
  const reader = createByteReader(stream)
  try {
    const opened = await openPrefix(await takePrefix(reader), opener)
    return { header: opened.header, content: contentStream(reader, opened) }
  } catch (error) {
    await reader.cancel(error)
    throw error
  }
}

async function takePrefix(reader: ByteReader): Promise<Bytes> {
  let prefix: Bytes = new Uint8Array(0)
  for (;;) {
    const bytesNeeded = prefixBytesOf(prefix)
    if (prefix.length === bytesNeeded) return prefix
    prefix = concatBytes(prefix, await reader.take(bytesNeeded - prefix.length))
    if (prefix.length < bytesNeeded) throw new SealError('truncated', 'the blob ends before its content begins')
  }
}

function contentStream(reader: ByteReader, opened: OpenedPrefix): ReadableStream<Bytes> {
  const pieces = contentPieces(reader, opened)
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* contentPieces(reader: ByteReader, { header, cipher }: OpenedPrefix): AsyncGenerator<Bytes, void> {
  let left = header.size
  let last = false
  try {
    for (let counter = 1; !last; counter++) {
      if (counter > MAX_DATA_SEGMENTS) throw new SealError('too_long', 'more segments than a blob can have')
      const sealed = await reader.take(SEGMENT_SEALED_BYTES)
      last = await reader.atEnd()
      const plaintext = await openSegment({ cipher, sealed, counter, last })
      const piece = plaintext.subarray(0, Math.min(left, plaintext.length))
      requireZeros(plaintext.subarray(piece.length))
      left -= piece.length
      if (piece.length > 0) yield piece
    }
    if (left > 0) throw new SealError('size_beyond_plaintext', 'the header promises more than the blob holds')
  } catch (error) {
    await reader.cancel(error)
    throw error
  }
}

/** What the header's size leaves over hides the size, and nothing else. */
function requireZeros(padding: Uint8Array): void {
  if (padding.some((byte) => byte !== 0)) throw new SealError('padding_not_zero', 'something is hidden after the file')
}

interface Segment {
  readonly cipher: OpenedPrefix['cipher']
  readonly sealed: Bytes
  readonly counter: number
  readonly last: boolean
}

async function openSegment({ cipher, sealed, counter, last }: Segment): Promise<Bytes> {
  if (sealed.length < TAG_BYTES) throw new SealError('truncated', 'the blob ends inside a segment')
  const plaintext = await cipher.open({ counter, last }, sealed)
  if (plaintext === undefined) throw await faultOf({ cipher, sealed, counter, last })
  // Full segments with the flag end a blob; an empty one after them would give one content two forms.
  if (plaintext.length === 0 && counter > 1) throw new SealError('empty_segment', 'an empty segment after the content')
  return plaintext
}

/** Whether the segment holds with the other flag tells a blob that was cut or lengthened at a segment's edge from one that was altered. */
async function faultOf({ cipher, sealed, counter, last }: Segment): Promise<SealError> {
  if ((await cipher.open({ counter, last: !last }, sealed)) === undefined)
    return new SealError('altered', 'a part of the blob is not as it was sealed, or not whole')
  return last
    ? new SealError('truncated', 'the end of the blob is missing')
    : new SealError('trailing_data', 'something follows the end of the blob')
}

/** The content of a small secret. Throws `SealError`. */
export async function openSmall(sealed: Uint8Array, context: OpenContext): Promise<Bytes> {
  const { content } = await openBlob(once(sealed), context)
  const reader = createByteReader(content)
  return reader.take(sealed.length)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
