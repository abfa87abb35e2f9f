import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { PageFile } from '../ports/pages.ts'
import { StoreBroken } from '../ports/store.ts'
import { createFaults, createGate } from '../testing/faults.ts'
import { append, bytes, land, newLink, openDrop, ownerOf, uploadRow } from '../testing/guest.ts'
import { chunkOf, declarationOf, listen, overHttp, said, type Web } from '../testing/http.ts'
import { provedBody } from '../testing/provedBody.ts'
import { defined, inWorld, newAccount, type World } from '../testing/world.ts'

const content = bytes(100)

async function opened(world: World): Promise<{ opaqueId: OpaqueId; uploadId: UploadId }> {
  const opaqueId = await newLink(world)
  return { opaqueId, uploadId: await openDrop(world, opaqueId, content) }
}

/** A landed drop, and the headers of its owner. */
async function landed(world: World, web: Web) {
  const opaqueId = await newLink(world)
  const uploadId = await land(world, opaqueId, content)
  const { accountId, authorization } = await web.signIn(await ownerOf(world, opaqueId))
  const [drop] = await world.rules.inbox.list(accountId)
  return { drop: defined(drop), uploadId, headers: { authorization } }
}

describe('bytes from a guest', () => {
  it(
    'are an attachment without a type, with any declared type',
    inWorld(async (world) => {
      const web = overHttp(world)
      const { drop, headers } = await landed(world, web)
      for (const range of [undefined, 'bytes=0-9']) {
        const reply = await web.ask({
          method: 'GET',
          url: `/v1/drops/${drop.dropId}/content`,
          headers: { ...headers, ...(range && { range }) },
        })
        assert.equal(reply.statusCode, range === undefined ? 200 : 206)
        assert.equal(reply.headers['content-type'], 'application/octet-stream')
        assert.equal(reply.headers['content-disposition'], 'attachment')
        assert.equal(reply.headers['x-content-type-options'], 'nosniff')
        assert.equal(reply.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox")
        assert.equal(reply.headers['cache-control'], 'no-store')
        assert.deepEqual(reply.rawPayload, Buffer.from(content.subarray(0, range === undefined ? 100 : 10)))
      }
    }),
  )

  it('that cannot be read are a failure without details and without the headers of the content', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        const { drop, headers } = await landed(world, web)
        const url = `/v1/drops/${drop.dropId}/content`
        for (const [error, problem] of [
          [undefined, '500 storage.unavailable'],
          [new Error(`broken at ${world.blobsDirectory}`), '500 request.failed'],
        ] as const) {
          faults.arm('blobRead', { times: 1, ...(error && { error }) })
          const reply = await web.ask({ method: 'GET', url, headers })
          assert.equal(said(reply), problem)
          for (const name of ['etag', 'accept-ranges', 'content-range']) assert.equal(reply.headers[name], undefined)
          assert.deepEqual(Object.keys(reply.json()).toSorted(), ['code', 'instance', 'status', 'title', 'type'])
        }
        assert.equal((await web.ask({ method: 'GET', url, headers })).statusCode, 200)
      },
      { around: faults.around },
    )()
  })

  it(
    'are refused before the first of them when the object is shorter, longer or missing',
    inWorld(async (world) => {
      const web = overHttp(world)
      const opaqueId = await newLink(world)
      for (const length of [100, 300_000]) {
        const uploadId = await land(world, opaqueId, bytes(length))
        const path = join(world.blobsDirectory, (await uploadRow(world, uploadId)).location)
        const { accountId, authorization } = await web.signIn(await ownerOf(world, opaqueId))
        const dropId = (await world.rules.inbox.list(accountId)).find(({ size }) => size === length)?.dropId
        const url = `/v1/drops/${dropId}/content`
        const answers = async () => [
          said(await web.ask({ method: 'GET', url, headers: { authorization } })),
          said(await web.ask({ method: 'GET', url, headers: { authorization, range: 'bytes=0-9' } })),
          (await web.ask({ method: 'HEAD', url, headers: { authorization } })).statusCode,
        ]
        assert.deepEqual((await answers()).at(-1), 200)
        for (const damage of [() => truncate(path, length - 1), () => truncate(path, length + 1), () => rm(path)]) {
          await damage()
          assert.deepEqual(await answers(), ['500 storage.unavailable', '500 storage.unavailable', 500])
        }
      }
    }),
  )

  it('that end too early cut the connection, so that they never look complete', async () => {
    const large = bytes(3 * 1024 * 1024)
    let shorten: (() => Promise<void>) | undefined
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        const opaqueId = await newLink(world)
        const { location } = await uploadRow(world, await land(world, opaqueId, large))
        const { accountId, authorization } = await web.signIn(await ownerOf(world, opaqueId))
        const [drop] = await world.rules.inbox.list(accountId)
        shorten = () => truncate(join(world.blobsDirectory, location), 700_000)
        const port = await listen(web.app)
        const ended = createGate()
        let [received, isWhole] = [0, false]
        send({ port, path: `/v1/drops/${defined(drop).dropId}/content`, headers: { authorization } }, (reply) => {
          reply.on('data', (piece: Buffer) => {
            received += piece.length
          })
          reply.on('end', () => {
            isWhole = reply.complete
          })
          reply.on('error', () => undefined)
          reply.on('close', ended.open)
        }).end()
        await ended.passed
        assert.equal(isWhole, false)
        assert.ok(received < large.length)
        await web.app.close()
      },
      {
        around: {
          blobs: (real) => ({
            ...real,
            async *read(location, range) {
              await shorten?.()
              yield* real.read(location, range)
            },
          }),
        },
      },
    )()
  })
})

describe('a reader that disconnects', () => {
  it('releases the object, before and after the first byte', async () => {
    const large = bytes(3 * 1024 * 1024)
    let [begun, open] = [0, 0]
    let meanwhile: (() => void) | undefined
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        const opaqueId = await newLink(world)
        await land(world, opaqueId, large)
        const { accountId, authorization } = await web.signIn(await ownerOf(world, opaqueId))
        const [drop] = await world.rules.inbox.list(accountId)
        const port = await listen(web.app)
        for (const moment of ['before the first byte', 'after some bytes']) {
          const already = begun
          const reading = send({ port, path: `/v1/drops/${defined(drop).dropId}/content`, headers: { authorization } })
          reading.on('error', () => undefined)
          if (moment === 'before the first byte') meanwhile = () => void reading.destroy()
          else
            reading.on('response', (reply) => reply.once('data', () => reading.destroy()).on('error', () => undefined))
          reading.end()
          while (begun === already || open > 0) await new Promise(setImmediate)
        }
        await web.app.close()
      },
      {
        around: {
          blobs: (real) => ({
            ...real,
            async *read(location, range) {
              begun += 1
              open += 1
              meanwhile?.()
              meanwhile = undefined
              try {
                yield* real.read(location, range)
              } finally {
                open -= 1
              }
            },
          }),
        },
      },
    )()
  })
})

describe('a request that is cut off', () => {
  it(
    'is not a failure of the server, and leaves the session as it was',
    inWorld(async (world) => {
      const web = overHttp(world)
      const { opaqueId, uploadId } = await opened(world)
      const port = await listen(web.app)
      const headers = { ...chunkOf({ opaqueId, uploadId }, content).headers, 'content-length': '100' }
      const cut = send({
        port,
        method: 'PATCH',
        path: `/d/${opaqueId}/${uploadId}`,
        headers,
      })
      cut.on('error', () => undefined)
      cut.write(content.subarray(0, 40))
      while (!world.rules.writers.isWriting(uploadId)) await new Promise(setImmediate)
      cut.destroy()
      while (world.rules.writers.isWriting(uploadId)) await new Promise(setImmediate)
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
      assert.ok(
        web.logged.every((line) => !line.startsWith('["failed"')),
        web.logged.join('\n'),
      )
      assert.equal((await uploadRow(world, uploadId)).receivedBytes, 0)
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), { offset: 100 })
      await web.app.close()
    }),
  )
})

describe('an unexpected error', () => {
  it(
    'in a header is answered without that header',
    inWorld(async (world) => {
      const broken: PageFile = { mediaType: 'text/html', coded: {}, version: 'x\n', bytes: Buffer.from('x') }
      const web = overHttp(world, { pages: new Map([['index.html', broken]]) })
      const reply = await web.ask({ method: 'GET', url: '/' })
      assert.equal(said(reply), '500 request.failed')
      assert.equal(reply.headers.etag, undefined)
    }),
  )

  it(
    'is logged, and tells the client nothing',
    inWorld(async (world) => {
      const broken: PageFile = {
        mediaType: 'text/html',
        coded: {},
        version: 'x',
        get bytes(): never {
          throw new Error(`no such file: ${world.blobsDirectory}`)
        },
      }
      const web = overHttp(world, { pages: new Map([['index.html', broken]]) })
      const reply = await web.ask({ method: 'GET', url: '/' })
      assert.equal(said(reply), '500 request.failed')
      assert.ok(!reply.body.includes('file'))
      assert.equal(reply.headers['content-length'], String(reply.rawPayload.length))
      assert.ok(web.logged.some((line) => line.includes('no such file')))
    }),
  )
})

describe('a store that is broken', () => {
  it('ends the process', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        const opaqueId = await newLink(world)
        faults.arm('storeWrite', { error: new StoreBroken('broken') })
        const headers = { 'content-type': 'application/json' }
        const payload = declarationOf(content)
        const reply = await web.ask({ method: 'POST', url: `/d/${opaqueId}`, headers, payload })
        assert.equal(said(reply), '500 request.failed')
        assert.equal(web.broken.length, 1)
      },
      { around: faults.around },
    )()
  })
})

describe('the log', () => {
  const faults = createFaults()
  it(
    'contains neither credentials nor anything that a guest wrote',
    inWorld(
      async (world) => {
        const web = overHttp(world)
        const verifier = bytes(32)
        const secrets: string[] = []
        const { accountId, authorization } = await web.signIn(await newAccount(world))
        const opaqueId = await newLink(world, { passphraseVerifier: verifier }, accountId)
        const proof = toBase64(verifier)
        const suggested_filename = 'the name that a guest gave'
        const key = 'an-idempotency-key-of-a-guest'
        const { serverId } = world.settings
        const prove = (operation: 'register' | 'login') =>
          provedBody(web.ask, { operation, serverId, seed: bytes(32) }, { email: 'ada@example.org' })
        secrets.push(opaqueId, authorization.slice(7), proof, suggested_filename, key, 'ada@example.org')
        const json = { 'content-type': 'application/json' }
        const post = (url: string, body: object | string, headers = {}) => {
          const payload = typeof body === 'string' ? body : JSON.stringify(body)
          return web.ask({ method: 'POST', url, headers: { ...json, ...headers }, payload })
        }
        const made = await post(
          `/d/${opaqueId}`,
          declarationOf(content, { passphrase_proof: proof, suggested_filename }),
          {
            'idempotency-key': key,
          },
        )
        const { upload_id: uploadId } = made.json()
        secrets.push(uploadId)
        await web.ask(chunkOf({ opaqueId, uploadId }, bytes(7)))
        await web.ask(chunkOf({ opaqueId, uploadId }, content))
        await web.ask({ method: 'GET', url: `/d/${opaqueId}/${uploadId}/receipt` })
        await web.ask({ method: 'GET', url: `/d/${opaqueId}?token=${proof}` })
        await web.ask({ method: 'GET', url: `/d/${opaqueId}/nothing/here/${uploadId}` })
        await web.ask({ method: 'GET', url: `/d/${opaqueId}%zz` })
        await web.ask({ method: 'DELETE', url: `/v1/drops/links/${opaqueId}`, headers: { authorization } })
        const registered = await post('/v1/auth/register', await prove('register'))
        const { access_token, refresh_token } = registered.json()
        await post('/v1/auth/refresh', { refresh_token })
        await post('/v1/auth/login', await prove('login'))
        secrets.push(access_token, refresh_token)
        const failing = await newLink(world)
        secrets.push(failing)
        faults.arm('storeWrite', { times: 1 })
        await post(`/d/${failing}`, declarationOf(content, { suggested_filename }))
        faults.arm('blobRead', { times: 1 })
        const landedLink = await newLink(world, {}, accountId)
        await land(world, landedLink, content)
        const [drop] = await world.rules.inbox.list(accountId)
        await web.ask({ method: 'GET', url: `/v1/drops/${defined(drop).dropId}/content`, headers: { authorization } })
        secrets.push(landedLink)
        assert.ok(web.logged.some((line) => line.startsWith('["failed"')))
        assert.ok(web.logged.filter((line) => line.startsWith('["answered"')).length >= 11)
        // `deploy/fail2ban` bans by the patterns.
        assert.ok(web.logged.some((line) => line.includes('"route":"/d/:opaque_id/:upload_id/receipt"')))
        // The path that has no route, and the one that cannot be decoded.
        assert.equal(web.logged.filter((line) => line.includes('"route":"unknown"')).length, 2)
        for (const secret of secrets)
          for (const line of web.logged) assert.ok(!line.includes(secret), `${secret} stands in ${line}`)
      },
      { around: faults.around },
    ),
  )
})

describe('a proxy that no setting names', () => {
  const proxied = { method: 'GET', url: '/v1/version', headers: { 'x-forwarded-for': '203.0.113.7' } } as const
  const isWarning = (line: string) => line.includes('TRUST_PROXY')

  it(
    'is logged at its first request only',
    inWorld(async (world) => {
      const { ask, logged } = overHttp(world)
      await ask({ method: 'GET', url: '/v1/version' })
      assert.equal(logged.filter(isWarning).length, 0)
      for (let round = 0; round < 3; round += 1) await ask(proxied)
      assert.equal(logged.filter(isWarning).length, 1)
      assert.ok(!logged.some((line) => line.includes('203.0.113.7')))
      const named = overHttp(world, { trustedProxies: ['127.0.0.1'] })
      await named.ask(proxied)
      assert.equal(named.logged.filter(isWarning).length, 0)
    }),
  )
})
