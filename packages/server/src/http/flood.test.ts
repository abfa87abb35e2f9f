import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { bytes, newLink, openDrop } from '../testing/guest.ts'
import { chunkOf, listen, overHttp, said, type Web } from '../testing/http.ts'
import { inWorld, newAccount, newOpaqueId, sha256 } from '../testing/world.ts'
import { type Budget, createBudget } from './budget.ts'
import type { HttpSettings } from './server.ts'

const KIB = 1024
const limits = { requestBytesMax: 1024 * KIB, chunkBytesMax: 1024 * KIB }

interface Flood {
  readonly budget: Budget
  readonly web: Web
  /** Opens a connection and sends text. */
  send(...texts: string[]): Promise<Socket>
  /** Lets the event loop turn until the condition holds. The test runner's time limit is the bound. */
  until(isSo: () => boolean): Promise<void>
}

function inFlood(
  work: (flood: Flood, world: Parameters<typeof overHttp>[0]) => Promise<void>,
  settings: Partial<HttpSettings> = {},
): () => Promise<void> {
  return inWorld(async (world) => {
    const budget = createBudget()
    const web = overHttp(world, { ...limits, ...settings, budget })
    const port = await listen(web.app)
    const sockets: Socket[] = []
    try {
      await work(
        {
          budget,
          web,
          async send(...texts) {
            const socket = connect(port, '127.0.0.1')
            sockets.push(socket)
            socket.on('error', () => undefined)
            await once(socket, 'connect')
            for (const text of texts) socket.write(text)
            return socket
          },
          async until(isSo) {
            while (!isSo()) await new Promise(setImmediate)
          },
        },
        world,
      )
    } finally {
      for (const socket of sockets) socket.destroy()
      await web.app.close()
    }
  })
}

/** Headers of a request with a body of so many bytes. */
function head(target: string, length: number, headers: readonly string[] = ['content-type: application/json']): string {
  return [`${target} HTTP/1.1`, 'host: localhost', `content-length: ${length}`, ...headers, '', ''].join('\r\n')
}

function reads(socket: Socket): () => string {
  let text = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
  })
  return () => text
}

describe('a flood of slow bodies', () => {
  it(
    'of strangers’ JSON is kept within a bound, its last are refused, and sign-ins and owners are served beside it',
    inFlood(async ({ budget, web, send, until }) => {
      for (let count = 0; count < 128; count += 1) await send(head('POST /v1/auth/login', 65_536), '{')
      await until(() => budget.heldBytes() === 8 * KIB * KIB)
      const last = reads(await send(head('POST /v1/auth/login', 60_000), ' '.repeat(60_000)))
      await until(() => last().includes('\r\n\r\n{'))
      assert.match(last(), /^HTTP\/1\.1 500 .*\r\nRetry-After: 5\r\n.*"error\.request\.overloaded"/is)
      assert.equal(budget.heldBytes(), 8 * KIB * KIB)

      const json = { 'content-type': 'application/json' }
      const wrong = JSON.stringify({ email: 'a@b.example', password: 'x'.repeat(12) })
      const login = await web.ask({ method: 'POST', url: '/v1/auth/login', headers: json, payload: wrong })
      assert.equal(said(login), '401 auth.invalid_credentials')
      const { authorization } = await web.signIn()
      const album = { method: 'POST', url: '/v1/albums', headers: { ...json, authorization } } as const
      const payload = `${' '.repeat(900_000)}{"album_id":"${randomUUID()}"}`
      assert.equal(said(await web.ask({ ...album, payload })), '201')
      assert.equal(said(await web.ask({ ...album, payload, url: '/v1/auth/login' })), '413')
    }),
  )

  it(
    'from the many /64 of one IPv6 subscriber has one share, and guests from elsewhere have theirs',
    inFlood(
      async ({ budget, send, until }) => {
        const from = (address: string) => [`x-forwarded-for: ${address}`, 'content-type: application/json']
        const slow = (address: string) => send(head('POST /v1/auth/login', 65_536, from(address)), '{')
        for (let count = 0; count < 16; count += 1) await slow(`2001:db8:1:${count}::1`)
        await until(() => budget.heldBytes() === 1024 * KIB)
        const last = reads(
          await send(head('POST /v1/auth/login', 60_000, from('2001:db8:1:99::1')), ' '.repeat(60_000)),
        )
        await until(() => last().includes('"error.request.overloaded"'))
        await slow('2001:db8:2::1')
        await until(() => budget.heldBytes() === 1088 * KIB)
      },
      { trustedProxies: ['127.0.0.1'] },
    ),
  )

  it(
    'gives its memory back when the connections end',
    inFlood(async ({ budget, send, until }) => {
      const sockets: Socket[] = []
      for (let count = 0; count < 20; count += 1) sockets.push(await send(head('POST /v1/auth/login', 60_000), '{'))
      await until(() => budget.heldBytes() === 20 * 60_000)
      for (const socket of sockets) socket.destroy()
      await until(() => budget.heldBytes() === 0)
    }),
  )

  it(
    'of a guest’s chunks is kept within a bound, and a small drop lands beside it',
    inFlood(async ({ budget, web, send, until }, world) => {
      const opaqueId = await newLink(world)
      const chunk = (uploadId: string) =>
        head(`PATCH /d/${opaqueId}/${uploadId}`, 1_000_000, [
          'content-type: application/octet-stream',
          'x-service-offset: 0',
          `x-service-checksum: ${'0'.repeat(64)}`,
        ])
      const uploadId = await openDrop(world, opaqueId, bytes(1_000_000))
      await send(chunk(uploadId), 'a')
      await until(() => budget.heldBytes() === 128 * KIB)
      // A chunk of an unknown session holds nothing, however slowly it comes.
      await send(chunk('00000000-0000-4000-8000-000000000000'), 'a')
      const small = bytes(4096)
      assert.equal(
        said(await web.ask(chunkOf({ opaqueId, uploadId: await openDrop(world, opaqueId, small) }, small))),
        '204',
      )
      assert.equal(budget.heldBytes(), 128 * KIB)
    }),
  )

  it(
    'gives the memory of an answer back if its reader has left before it was ready',
    inFlood(async ({ budget, web, send, until }, world) => {
      const { shares } = world.rules
      const opaqueId = newOpaqueId()
      const notes = { sealedName: undefined, sealedRecord: undefined, passphraseVerifier: undefined }
      const contained = { sealedIndex: bytes(100_000), blobHashes: [sha256(bytes(1))] }
      await shares.create(await newAccount(world), { opaqueId, ...contained, expiresAt: undefined, ...notes })
      const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const { contents } = shares
      const contentsLater: typeof contents = async (id, proof) => {
        asked.resolve()
        await left.promise
        return contents(id, proof)
      }
      Object.assign(shares, { contents: contentsLater })
      web.app.server.on('connection', (socket) => socket.once('close', () => left.resolve()))

      const socket = await send(`GET /s/${opaqueId} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      await asked.promise
      socket.destroy()
      await left.promise
      await new Promise(setImmediate)
      assert.equal(budget.heldBytes(), 0)
      assert.equal((await web.ask({ url: `/s/${opaqueId}` })).statusCode, 200)
      await until(() => budget.heldBytes() === 0)
    }),
  )

  it(
    'of requests that one connection sends ahead is answered up to the limit, and nothing is done for the rest',
    inFlood(async ({ web, send }, world) => {
      const opaqueId = await newLink(world)
      const { links } = world.rules
      const { asGuestSees } = links
      let asked = 0
      const asGuestSeesCounted: typeof asGuestSees = (id) => {
        asked += 1
        return asGuestSees(id)
      }
      Object.assign(links, { asGuestSees: asGuestSeesCounted })
      const request = `GET /d/${opaqueId} HTTP/1.1\r\nhost: localhost\r\n\r\n`
      await once(await send(request.repeat(500)), 'close')
      assert.equal((await web.ask({ url: `/d/${opaqueId}` })).statusCode, 200)
      assert.ok(asked <= 6, `${asked} were answered`)
    }),
  )
})
