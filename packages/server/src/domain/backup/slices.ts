interface Slice {
  readonly offset: number
  readonly length: number
  readonly body: AsyncIterable<Uint8Array>
}

/** Cuts `size` bytes into slices of at most `max`, read in turn. The last reads to the end, where it may throw. */
export function* slicesOf(body: AsyncIterable<Uint8Array>, size: number, max: number): Iterable<Slice> {
  const pieces = body[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array(0)

  async function* slice(length: number, isLast: boolean): AsyncIterable<Uint8Array> {
    let left = length
    while (left > 0 || isLast) {
      const piece = rest.length > 0 ? rest : await next()
      if (piece === undefined) return
      const given = isLast ? piece : piece.subarray(0, left)
      rest = piece.subarray(given.length)
      left -= given.length
      yield given
    }
  }

  async function next(): Promise<Uint8Array | undefined> {
    const { done, value } = await pieces.next()
    return done === true ? undefined : value
  }

  try {
    for (let offset = 0; offset < size; offset += max) {
      const length = Math.min(max, size - offset)
      yield { offset, length, body: slice(length, offset + length === size) }
    }
  } finally {
    void pieces.return?.()
  }
}
