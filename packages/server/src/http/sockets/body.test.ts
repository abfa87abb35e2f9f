import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { type Body, BodyBroken, BodyTooLarge, BodyTooSlow, bodyOf, readAll } from './body.ts'

/** Gives `judge` the body that `client` sends over a real connection. */
async function receiving<Result>(
  client: (out: ReturnType<typeof send>) => void,
  judge: (body: Body, request: IncomingMessage) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const server = createServer((request, reply) => {
    judge(bodyOf(request), request)
      .then(resolve, reject)
      .finally(() => reply.destroyed || reply.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const out = send({ port, host: '127.0.0.1', method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } })
  out.on('error', () => undefined)
  client(out)
  try {
    return await promise
  } finally {
    out.destroy()
    server.closeAllConnections()
    server.close()
  }
}

const whole = (out: ReturnType<typeof send>) => {
  for (let piece = 0; piece < 10; piece += 1) out.write(Buffer.alloc(100, piece))
  out.end()
}

describe('a body', () => {
  it('arrives whole and in order', async () => {
    const all = await receiving(whole, (body) => readAll(body, 1000))
    assert.deepEqual(all, Buffer.concat(Array.from({ length: 10 }, (_, piece) => Buffer.alloc(100, piece))))
  })

  it('is refused as soon as more bytes than the limit have arrived', async () => {
    let taken = 0
    const endless = (out: ReturnType<typeof send>) => {
      const more = () => {
        while (!out.destroyed && out.write(Buffer.alloc(1000)));
      }
      out.on('drain', more)
      more()
    }
    const reading = receiving(endless, async (body) => {
      for await (const piece of body.pieces(5000)) taken += piece.length
    })
    await assert.rejects(reading, BodyTooLarge)
    assert.ok(taken <= 5000)
  })

  it('drains to its end or up to the limit, and says which', async () => {
    assert.equal(await receiving(whole, (body) => body.drain(1000)), true)
    assert.equal(await receiving(whole, (body) => body.drain(999)), false)
    await assert.rejects(
      receiving(whole, (body) => body.skip(999)),
      BodyTooLarge,
    )
    assert.equal(
      await receiving(
        (out) => out.end(),
        (body) => body.drain(0),
      ),
      true,
    )
  })

  it('has one count for all its readers', async () => {
    const verdict = await receiving(whole, async (body) => {
      const { value } = await body.pieces(1000)[Symbol.asyncIterator]().next()
      return [value?.length === 0, await body.drain(999)]
    })
    assert.deepEqual(verdict, [false, false])
  })

  it('that was cut off is broken, for waiting and later readers', async () => {
    const cut = (out: ReturnType<typeof send>) => out.write('half', () => out.destroy())
    const verdict = await receiving(cut, async (body) => {
      const error = await readAll(body, 1000).catch((caught: unknown) => caught)
      return [error instanceof BodyBroken, await body.drain(1000)]
    })
    assert.deepEqual(verdict, [true, false])
  })

  it('is too slow below its least rate, and not before; its connection stays for an answer', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    let nowMs = 0
    const pass = (ms: number) => {
      nowMs += ms
      context.mock.timers.tick(ms)
    }
    let out: ReturnType<typeof send> | undefined
    const begins = (made: ReturnType<typeof send>) => {
      out = made
      made.write('a')
    }
    const verdict = await receiving(begins, async (_body, request) => {
      const body = bodyOf(request, () => nowMs)
      const pieces = body.pieces(100_000)[Symbol.asyncIterator]()
      await pieces.next()
      // What passes while the server does not read is not the client's fault.
      pass(3_600_000)
      const second = pieces.next()
      pass(9_000)
      out?.write(Buffer.alloc(59 * 1024))
      let left = 59 * 1024 - ((await second).value?.length ?? 0)
      while (left > 0) left -= (await pieces.next()).value?.length ?? 0
      const third = pieces.next().catch((error: unknown) => error)
      pass(59_999)
      const isPatient =
        (await Promise.race([third, new Promise((resolve) => setImmediate(resolve, 'waiting'))])) === 'waiting'
      pass(2)
      return [isPatient, (await third) instanceof BodyTooSlow, await body.drain(100_000), request.destroyed]
    })
    assert.deepEqual(verdict, [true, true, false, false])
  })

  it('of many tiny pieces is kept in one buffer of at most twice its size', async () => {
    async function* tiny() {
      for (let count = 0; count < 20_000; count += 1) yield Uint8Array.of(count % 256)
    }
    const body: Pick<Body, 'pieces'> = { pieces: tiny }
    const all = await readAll(body, 65_536)
    assert.equal(all.length, 20_000)
    assert.ok(all.every((byte, at) => byte === at % 256))
    assert.ok(all.buffer.byteLength <= 40_000)
  })
})
