import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'

export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Cuts a stream that comes in pieces of any size into pieces of the size that a format asks for. Never holds more than one such and one incoming piece. */
export interface ByteReader {
  /** Exactly `count` bytes, or what is left at the end. */
  take(count: number): Promise<Bytes>
  /** Whether nothing is left. */
  atEnd(): Promise<boolean>
  /** Tells the stream that no more is wanted. */
  cancel(reason?: unknown): Promise<void>
}

interface Pull {
  next(): Promise<Uint8Array | undefined>
  cancel(reason?: unknown): Promise<void>
}

export function createByteReader(stream: ByteStream): ByteReader {
  const pull = pullOf(stream)
  let held: Uint8Array = new Uint8Array(0)
  /** Holds at least one byte afterwards, or the stream is over. */
  const fill = async () => {
    while (held.length === 0) {
      const piece = await pull.next()
      if (piece === undefined) return false
      held = piece
    }
    return true
  }
  return {
    async take(count) {
      const parts: Uint8Array[] = []
      let missing = count
      while (missing > 0 && (await fill())) {
        const part = held.subarray(0, missing)
        held = held.subarray(part.length)
        missing -= part.length
        parts.push(part)
      }
      return concatBytes(...parts)
    },
    atEnd: async () => !(await fill()),
    cancel: (reason) => pull.cancel(reason),
  }
}

/** Safari's streams are no async iterables, so a stream is read through its reader. */
function pullOf(stream: ByteStream): Pull {
  if ('getReader' in stream) {
    const reader = stream.getReader()
    return {
      next: async () => (await reader.read()).value,
      cancel: (reason) => reader.cancel(reason),
    }
  }
  const iterator = stream[Symbol.asyncIterator]()
  return {
    async next() {
      const result = await iterator.next()
      return result.done === true ? undefined : result.value
    },
    async cancel() {
      await iterator.return?.()
    },
  }
}

/** At most `count` bytes of a stream, the rest of which is not wanted: a server may answer a range with the whole (RFC 9110, section 14.2). */
export async function firstBytesOf(stream: ReadableStream<Bytes>, count: number): Promise<Bytes> {
  const reader = createByteReader(stream)
  const bytes = await reader.take(count)
  await reader.cancel()
  return bytes
}
