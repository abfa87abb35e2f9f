import type { IncomingMessage } from 'node:http'

/** A request's body, counted as it arrives, whatever a header says of its length. */
export interface Body {
  /** The bytes in pieces. Rejects with `BodyTooLarge` as soon as more than `limitBytes` have come, with `BodyBroken` when the connection dies or stalls. */
  pieces(limitBytes: number): AsyncIterable<Uint8Array>
  /** Reads on, up to the limit, so that a client that is still sending sees its answer. Says how that ended. */
  drain(limitBytes: number): Promise<'whole' | 'too_large' | 'broken'>
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

export class BodyBroken extends Error {
  override readonly name = 'BodyBroken'
}

/** An honest upload may take hours; one that makes no progress for so long is dead. */
const STALL_MS = 60_000

export function bodyOf(request: IncomingMessage): Body {
  const arriving = request.iterator({ destroyOnReturn: false })
  let received = 0
  let broken: BodyBroken | undefined
  let pending: Promise<IteratorResult<Uint8Array>> | undefined

  /** One read at a time, shared: a writer that was stopped in the middle of one leaves it to whoever reads on. */
  function read(): Promise<IteratorResult<Uint8Array>> {
    pending ??= readNext().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function readNext(): Promise<IteratorResult<Uint8Array>> {
    // An iterator that has failed once says from then on that it has ended.
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
