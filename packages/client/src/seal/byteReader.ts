import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'

export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Reads a stream in pieces of a chosen size. Holds at most one such piece and one incoming piece. */
export interface ByteReader {
  /** Exactly `count` bytes, or fewer at the end of the stream. */
  read(count: number): Promise<Bytes>
  /** Whether the stream has ended. */
  atEnd(): Promise<boolean>
  /** Cancels the stream. */
  cancel(reason?: unknown): Promise<void>
}

interface Pull {
  next(): Promise<Uint8Array | undefined>
  cancel(reason?: unknown): Promise<void>
}

export function createByteReader(stream: ByteStream): ByteReader {
  const pull = pullOf(stream)
  let rest: Uint8Array = new Uint8Array(0)
  /** Makes `rest` non-empty; false at the end of the stream. */
  const fill = async () => {
    while (rest.length === 0) {
      const piece = await pull.next()
      if (piece === undefined) return false
      rest = piece
    }
    return true
  }
  return {
    async read(count) {
      const parts: Uint8Array[] = []
      let missing = count
      while (missing > 0 && (await fill())) {
        const part = rest.subarray(0, missing)
        rest = rest.subarray(part.length)
        missing -= part.length
        parts.push(part)
      }
      return concatBytes(...parts)
    },
    atEnd: async () => !(await fill()),
    cancel: (reason) => pull.cancel(reason),
  }
}

/** Safari's streams are not async iterable, so they are read through a reader. */
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

/** The pieces as they come; cancels the stream when the reader stops early. */
export async function* piecesOf(stream: ByteStream): AsyncGenerator<Uint8Array, void, undefined> {
  const pull = pullOf(stream)
  try {
    for (let piece = await pull.next(); piece !== undefined; piece = await pull.next()) yield piece
  } finally {
    await pull.cancel()
  }
}

/** Bytes in memory, as a stream of one piece. */
export async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

/** At most `count` bytes, then cancels: a server may answer a range with the whole (RFC 9110, section 14.2). */
export async function firstBytesOf(stream: ReadableStream<Bytes>, count: number): Promise<Bytes> {
  const reader = createByteReader(stream)
  const bytes = await reader.read(count)
  await reader.cancel()
  return bytes
}
