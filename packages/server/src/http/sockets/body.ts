import type { IncomingMessage } from 'node:http'
import { createPatience } from './patience.ts'

/** The body of a request, counted as it arrives, not by its headers. */
export interface Body {
  /**
   * The bytes in pieces. Rejects with `BodyTooLarge` once more than `limitBytes` have arrived, with `BodyTooSlow` below
   * the least rate, and with `BodyBroken` when the connection dies.
   */
  pieces(limitBytes: number): AsyncIterable<Uint8Array>
  /** Reads the rest without keeping it. Rejects as `pieces` does. */
  skip(limitBytes: number): Promise<void>
  /** Reads the rest, within limit and least rate, so that a sending client sees its answer. Says if that was all. */
  drain(limitBytes: number): Promise<boolean>
  /**
   * Call it when an answer has been written before the body ended: resolves when the connection may be closed. A system
   * answers bytes that arrive after that by resetting the connection, and a client or a proxy that is still sending
   * would lose the answer and call the server broken.
   */
  readOn(): Promise<void>
}

/** After an answer: how much is read, how long in all, how long without a byte: nginx's times (`lingering_time`). */
export const READ_ON = { bytes: 16 * 1024 * 1024, ms: 30_000, silentMs: 5_000 }

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow'
}

export class BodyBroken extends Error {
  override readonly name = 'BodyBroken'
}

/** An upload may take hours, but it has to bring bytes at a least rate (`patience.ts`). `now` is in milliseconds. */
export function bodyOf(request: IncomingMessage, now?: () => number): Body {
  // Most requests have no body.
  let reading: ReturnType<typeof begin> | undefined
  let received = 0
  let broken: BodyBroken | BodyTooSlow | undefined
  let onTooSlow: () => void
  let pending: Promise<IteratorResult<Uint8Array>> | undefined

  function begin() {
    const patience = createPatience(() => onTooSlow(), now)
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
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        onTooSlow = () => reject(new BodyTooSlow('the body is too slow'))
        arriving.next().then(resolve, reject)
      })
      if (next.done === true) patience.end()
      else {
        received += next.value.length
        patience.progress(next.value.length)
      }
      return next
    } catch (cause) {
      patience.end()
      broken = cause instanceof BodyTooSlow ? cause : new BodyBroken('the body was cut off', { cause })
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

  async function skip(limitBytes: number): Promise<void> {
    for await (const _ of pieces(limitBytes));
  }

  return {
    pieces,
    skip,
    drain: (limitBytes) =>
      skip(limitBytes).then(
        () => true,
        () => false,
      ),
    readOn() {
      reading ??= begin()
      const { arriving } = reading
      return new Promise((resolve) => {
        const until = performance.now() + READ_ON.ms
        const silence = setTimeout(resolve, READ_ON.silentMs).unref()
        const discard = async () => {
          for (let left = READ_ON.bytes; left > 0 && performance.now() < until; silence.refresh()) {
            const { done, value } = await arriving.next()
            if (done === true) return
            left -= value.length
          }
        }
        const stop = () => {
          clearTimeout(silence)
          resolve()
        }
        discard().then(stop, stop)
      })
    },
  }
}

/** At most `limitBytes`, copied together on arrival: one-byte pieces would need a hundred times their size. */
export async function readAll(body: Pick<Body, 'pieces'>, limitBytes: number): Promise<Uint8Array> {
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
