import type { IncomingMessage } from 'node:http'

/** The body of a request, counted as it arrives, not by its headers. */
export interface Body {
  /** The bytes in pieces. Rejects with `BodyTooLarge` once more than `limitBytes` have arrived, with `BodyBroken` when the connection dies or stalls. */
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

/** An upload may take hours, but it ends after this time without progress. */
const STALL_MS = 60_000

export function bodyOf(request: IncomingMessage): Body {
  const arriving = request.iterator({ destroyOnReturn: false })
  let received = 0
  let broken: BodyBroken | undefined
  let pending: Promise<IteratorResult<Uint8Array>> | undefined

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
    const stall = setTimeout(() => request.destroy(new BodyBroken('the body stalled')), STALL_MS)
    try {
      const next: IteratorResult<Uint8Array> = await arriving.next()
      received += next.done === true ? 0 : next.value.length
      return next
    } catch (cause) {
      broken = new BodyBroken('the body was cut off', { cause })
      throw broken
    } finally {
      clearTimeout(stall)
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

/** The whole body, at most `limitBytes`. */
export async function readAll(body: Body, limitBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of body.pieces(limitBytes)) pieces.push(piece)
  return Buffer.concat(pieces)
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}
