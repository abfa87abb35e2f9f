import type { IncomingMessage } from 'node:http'
import { createPatience } from './patience.ts'

/** The body of a request, counted as it arrives, not by its headers. */
export interface Body {
  /** The bytes in pieces. Rejects with `BodyTooLarge` once more than `limitBytes` have arrived, with `BodyBroken` when the connection dies or is too slow. */
  pieces(limitBytes: number): AsyncIterable<Uint8Array>
  /** Reads the rest, up to the limit, so that a client that is still sending sees its answer. */
  drain(limitBytes: number): Promise<'whole' | 'too_large' | 'broken'>
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

export class BodyBroken extends Error {
  override readonly name = 'BodyBroken'
}

/** An upload may take hours, but it has to bring bytes at a least rate (`patience.ts`). `now` is in milliseconds. */
export function bodyOf(request: IncomingMessage, now?: () => number): Body {
  // Most requests have no body.
  let reading: ReturnType<typeof begin> | undefined
  let received = 0
  let broken: BodyBroken | undefined
  let pending: Promise<IteratorResult<Uint8Array>> | undefined

  function begin() {
    const patience = createPatience(() => request.destroy(new BodyBroken('the body is too slow')), now)
    return { patience, arriving: request.iterator({ destroyOnReturn: false }) }
  }

  /** One shared read at a time: when a writer stops during a read, the next reader gets its result. */
  function read(): Promise<IteratorResult<Uint8Array>> {
    pending ??= readNext().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function readNext(): Promise<IteratorResult<Uint8Array>> {
    // After a failure the iterator would only report its end.
    if (broken !== undefined) throw broken
    reading ??= begin()
    const { arriving, patience } = reading
    patience.wait()
    try {
      const next: IteratorResult<Uint8Array> = await arriving.next()
      if (next.done === true) patience.end()
      else {
        received += next.value.length
        patience.progress(next.value.length)
      }
      return next
    } catch (cause) {
      patience.end()
      broken = new BodyBroken('the body was cut off', { cause })
      throw broken
    }
  }

  function pieces(limitBytes: number): AsyncIterable<Uint8Array> {
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      const piece = await read()
      if (received > limitBytes) throw new BodyTooLarge(`more than ${limitBytes} bytes`)
      return piece
    }
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }

  return {
    pieces,
    async drain(limitBytes) {
      try {
        for await (const _ of pieces(limitBytes));
        return 'whole'
      } catch (error) {
        return error instanceof BodyTooLarge ? 'too_large' : 'broken'
      }
    },
  }
}

/** The whole body, at most `limitBytes`. Copied together as it arrives: thousands of pieces of one byte would need a hundred times their size. */
export async function readAll(body: Body, limitBytes: number): Promise<Uint8Array> {
  let whole = Buffer.alloc(0)
  let length = 0
  for await (const piece of body.pieces(limitBytes)) {
    const needed = length + piece.length
    if (needed > whole.length) {
      const larger = Buffer.alloc(Math.min(limitBytes, Math.max(needed, 2 * whole.length)))
      larger.set(whole)
      whole = larger
    }
    whole.set(piece, length)
    length = needed
  }
  return whole.subarray(0, length)
}

/** The most bytes that a body can have: the value of its `Content-Length`, if it has one, and at most `limitBytes`. */
export function mostBytesOf(contentLength: string | undefined, limitBytes: number): number {
  return contentLength === undefined ? limitBytes : Math.min(Number(contentLength), limitBytes)
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}
