import { type Bytes, concatBytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { MAX_DATA_SEGMENTS, SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { type ByteReader, type ByteStream, createByteReader, streamOf } from './byteReader.ts'
import { createFreeing } from './freedMemory.ts'
import type { Header } from './header.ts'
import { type BlobOpener, type OpenContext, type OpenedPrefix, openPrefix, prefixBytesOf } from './openHeader.ts'
import { SealError } from './sealError.ts'

export interface OpenedBlob {
  readonly header: Header
  /** The bytes before the data segments. */
  readonly prefix: Bytes
  /**
   * The file, `header.size` bytes. The stream yields verified bytes only, but only its end shows that the file is
   * complete. When a later piece is missing or wrong, the stream fails with `SealError`, and the consumer must discard
   * the bytes that it has written.
   */
  readonly content: ReadableStream<Bytes>
}

/** Opens a blob as it arrives, with flat memory. Rejects with `SealError` before any content for a wrong key. */
export async function openBlob(stream: ByteStream, opener: BlobOpener): Promise<OpenedBlob> {
  const reader = createByteReader(stream)
  try {
    const prefix = await takePrefix(reader)
    const opened = await openPrefix(prefix, opener)
    return { header: opened.header, prefix, content: contentStream(reader, opened) }
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
    prefix = concatBytes(prefix, await reader.read(bytesNeeded - prefix.length))
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
  const free = createFreeing()
  try {
    for (let counter = 1; !last; counter++) {
      if (counter > MAX_DATA_SEGMENTS) throw new SealError('too_long', 'more segments than a blob can have')
      const sealed = await reader.read(SEGMENT_SEALED_BYTES)
      last = await reader.atEnd()
      const plaintext = await openSegment({ cipher, sealed, counter, last })
      free(sealed)
      const piece = plaintext.subarray(0, Math.min(left, plaintext.length))
      requireZeros(plaintext.subarray(piece.length))
      left -= piece.length
      if (piece.length > 0) yield piece
    }
    if (left > 0) throw new SealError('size_beyond_plaintext', 'the header states more bytes than the blob has')
  } catch (error) {
    await reader.cancel(error)
    throw error
  }
}

/** Bytes beyond the header's size are padding, and padding is zero. */
function requireZeros(padding: Uint8Array): void {
  if (padding.some((byte) => byte !== 0))
    throw new SealError('padding_not_zero', 'the padding after the file is not zero')
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
  // Otherwise one content would have two forms: with and without an empty segment at its end.
  if (plaintext.length === 0 && counter > 1) throw new SealError('empty_segment', 'an empty segment after the content')
  return plaintext
}

/** A segment that verifies with the other flag was not altered: the blob was cut or lengthened at a segment's edge. */
async function faultOf({ cipher, sealed, counter, last }: Segment): Promise<SealError> {
  if ((await cipher.open({ counter, last: !last }, sealed)) === undefined)
    return new SealError('altered', 'a part of the blob was altered or is incomplete')
  return last
    ? new SealError('truncated', 'the end of the blob is missing')
    : new SealError('trailing_data', 'there are bytes after the end of the blob')
}

/** The content of a small secret (`sealSmall`). Throws `SealError`. */
export async function openSmall(sealed: Uint8Array, context: OpenContext): Promise<Bytes> {
  const { content } = await openBlob(streamOf(sealed), context)
  const reader = createByteReader(content)
  return reader.read(sealed.length)
}

/** A sealed text from the server, or why it does not open. */
export interface OpenedText {
  readonly text?: string
  readonly fault?: string
}

/** Opens a sealed name or label: base64, empty for an absent text. Never throws `SealError`. */
export async function openSmallText(sealed: string | null | undefined, context: OpenContext): Promise<OpenedText> {
  if (sealed === undefined || sealed === null) return {}
  try {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await openSmall(fromBase64(sealed), context)) }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { fault: error.message }
  }
}
