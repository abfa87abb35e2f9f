import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { type ByteReader, type ByteStream, createByteReader } from './byteReader.ts'

/** Plaintext that can be read several times and from any position: a chosen file, a file on disk, bytes in memory. */
export interface Source {
  /** Bytes. */
  readonly size: number
  /**
   * The bytes from `from` up to, not including, `to`, both within `size`; never fewer. Rejects with `SourceChanged`
   * when the file has changed or no longer exists, and with any other error of the source.
   */
  read(from: number, to: number): Promise<Uint8Array>
  /** Rejects with `SourceChanged` if bytes follow the last one. Some systems state less than there is. */
  requireEnd(): Promise<void>
}

/** The file differs from the hashed one. Begin a new upload with a new key: one key never seals two contents. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged'

  constructor(message = 'the file changed while it was being sent', options?: ErrorOptions) {
    super(message, options)
  }
}

export function sourceOfBytes(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    read: async (from, to) => bytes.subarray(from, to),
    requireEnd: async () => undefined,
  }
}

/** A browser's `File` or `Blob`. */
export function sourceOfBlob(blob: Blob): Source {
  return {
    size: blob.size,
    async read(from, to) {
      try {
        return new Uint8Array(await blob.slice(from, to).arrayBuffer())
      } catch (cause) {
        // The File API's names for a file that was changed or removed after it was chosen (File API, section 4.1).
        if (cause instanceof DOMException && (cause.name === 'NotReadableError' || cause.name === 'NotFoundError'))
          throw new SourceChanged('the file cannot be read any more: it was changed, moved or removed', { cause })
        throw cause
      }
    },
    // A blob has no more than its size, and a file that was changed after it was chosen is not readable.
    requireEnd: async () => undefined,
  }
}

/** For one pass from the beginning to the end: a read begins where the one before it has ended. */
export function sourceOfStream(size: number, stream: ByteStream): Source & Pick<ByteReader, 'cancel'> {
  const reader = createByteReader(stream)
  let at = 0
  return {
    size,
    cancel: reader.cancel,
    async read(from, to) {
      if (from !== at) throw new RangeError('a stream is read once, in order')
      at = to
      return await reader.read(to - from)
    },
    async requireEnd() {
      if (!(await reader.atEnd())) throw new SourceChanged('the stream is longer than it should be')
    },
  }
}

/** The same memory where WebCrypto accepts it; a copy when the memory is shared with another thread. */
export function ownBytes(bytes: Uint8Array): Bytes {
  return bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : concatBytes(bytes)
}
