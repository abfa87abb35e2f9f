import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { append, land, MIB, newLink, OCTETS, type Owner, onlyDrop, openSession, sha256, signUp } from './world.ts'

interface Stored {
  readonly owner: Owner
  readonly path: string
  readonly file: Buffer
  readonly etag: string
}

const SIZE = 1000

const server = await connect()

async function store(file = randomBytes(SIZE), over: object = {}): Promise<Stored> {
  const link = await newLink(server)
  await land(link, file, over)
  const { drop_id } = await onlyDrop(link.owner)
  return { owner: link.owner, path: `/v1/drops/${drop_id}/content`, file, etag: `"${sha256(file)}"` }
}

function read(stored: Stored, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  return server.send({ method, path: stored.path, token: stored.owner.token, headers })
}

function expectRange(reply: Reply, stored: Stored, start: number, end: number): void {
  assert.equal(reply.status, 206)
  assert.equal(reply.headers['content-range'], `bytes ${start}-${end - 1}/${stored.file.length}`)
  assert.equal(reply.headers['content-length'], String(end - start))
  assert.deepEqual(reply.body, stored.file.subarray(start, end))
}

function expectWhole(reply: Reply, stored: Stored, what?: string): void {
  assert.equal(reply.status, 200, what)
  assert.deepEqual(reply.body, stored.file, what)
}

// Covers: Inbox and content
describe('content of a pending drop', () => {
  it('has the bytes of the guest, with their hash as ETag', async () => {
    const stored = await store()
    const reply = await read(stored)
    expectWhole(reply, stored)
    assert.deepEqual(
      [reply.headers.etag, reply.headers['content-length'], reply.headers['accept-ranges']],
      [stored.etag, String(SIZE), 'bytes'],
    )
  })

  it('has the bytes of all chunks', async () => {
    const link = await newLink(server)
    const file = randomBytes(3 * MIB + 17)
    const session = await openSession(link, file)
    for (let start = 0; start < file.length; start += 700_001)
      expectAnswer(await append(session, start, Math.min(start + 700_001, file.length)), '204')
    const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}/content`
    const stored = { owner: link.owner, path, file, etag: `"${sha256(file)}"` }
    expectWhole(await read(stored), stored)
    expectRange(await read(stored, { range: 'bytes=699990-1400020' }), stored, 699_990, 1_400_021)
  })

  it('is served so that no browser runs it', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    const stored = await store(page, { content_type: 'text/plain', suggested_filename: 'page.html' })
    for (const [method, headers] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { range: 'bytes=0-4' }],
    ] as const) {
      const answer = (await read(stored, headers, method)).headers
      assert.equal(answer['content-type'], OCTETS)
      assert.match(String(answer['content-disposition']), /^attachment(;|$)/)
      assert.equal(answer['x-content-type-options'], 'nosniff')
      assert.equal(answer['content-security-policy'], "sandbox; default-src 'none'")
    }
  })

  it('is not kept by a shared cache', async () => {
    assert.match(String((await read(await store())).headers['cache-control']), /\b(private|no-store)\b/)
  })

  it('answers HEAD with the same headers and no body', async () => {
    const stored = await store()
    const [head, full] = [await read(stored, {}, 'HEAD'), await read(stored)]
    assert.equal(head.status, 200)
    for (const name of [
      'content-length',
      'content-type',
      'etag',
      'accept-ranges',
      'cache-control',
      'content-disposition',
    ])
      assert.equal(head.headers[name], full.headers[name], name)
  })
})

// Covers: Inbox and content
describe('content: ranges', () => {
  it('answers one range with 206', async () => {
    const stored = await store()
    expectRange(await read(stored, { range: 'bytes=0-0' }), stored, 0, 1)
    expectRange(await read(stored, { range: 'bytes=10-19' }), stored, 10, 20)
    expectRange(await read(stored, { range: 'bytes=999-999' }), stored, 999, 1000)
    expectRange(await read(stored, { range: 'bytes=0-999' }), stored, 0, 1000)
  })

  it('answers an open, an overlong and a suffix range', async () => {
    const stored = await store()
    expectRange(await read(stored, { range: 'bytes=990-' }), stored, 990, 1000)
    expectRange(await read(stored, { range: 'bytes=990-5000' }), stored, 990, 1000)
    expectRange(await read(stored, { range: 'bytes=-7' }), stored, 993, 1000)
    expectRange(await read(stored, { range: 'bytes=-5000' }), stored, 0, 1000)
  })

  it('answers 416 with the length to a range outside', async () => {
    const stored = await store()
    for (const range of ['bytes=1000-', 'bytes=1000-1001', 'bytes=9007199254740993-', 'bytes=-0']) {
      const reply = await read(stored, { range })
      expectAnswer(reply, '416 request.range_not_satisfiable', range)
      assert.equal(reply.headers['content-range'], 'bytes */1000')
    }
  })

  it('answers several ranges with the whole content', async () => {
    const stored = await store()
    expectWhole(await read(stored, { range: 'bytes=0-1,5-6' }), stored)
    expectWhole(await read(stored, { range: 'bytes=0-1, -1' }), stored)
  })

  it('ignores an unreadable range', async () => {
    const stored = await store()
    for (const range of [
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=5-4',
      'chars=0-1',
      'bytes 0-1',
      'bytes=0-1-2',
      'bytes=+0-1',
      'bytes=0x0-0x1',
    ])
      expectWhole(await read(stored, { range }), stored, range)
  })

  it('uses the range only when If-Range matches', async () => {
    const stored = await store()
    expectRange(await read(stored, { range: 'bytes=0-9', 'if-range': stored.etag }), stored, 0, 10)
    for (const held of ['"other"', `W/${stored.etag}`, 'Sat, 01 Jan 2000 00:00:00 GMT'])
      expectWhole(await read(stored, { range: 'bytes=0-9', 'if-range': held }), stored, held)
  })
})

// Covers: Inbox and content
describe('content: conditions', () => {
  it('answers 304 to the hash that the client has', async () => {
    const stored = await store()
    for (const held of [stored.etag, `W/${stored.etag}`, `"other", ${stored.etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const reply = await read(stored, { 'if-none-match': held }, method)
        assert.deepEqual([reply.status, reply.headers.etag], [304, stored.etag], `${method} ${held}`)
      }
    expectWhole(await read(stored, { 'if-none-match': '"other"' }), stored)
  })

  it('evaluates If-None-Match before the range', async () => {
    const stored = await store()
    assert.equal((await read(stored, { 'if-none-match': stored.etag, range: 'bytes=0-1' })).status, 304)
    assert.equal((await read(stored, { 'if-none-match': stored.etag, range: 'bytes=5000-' })).status, 304)
  })
})

// Covers: Inbox and content
describe('content: access', () => {
  it('answers 404 to another account and for an unknown drop, and 401 without a token', async () => {
    const stored = await store()
    const other = await signUp(server)
    for (const method of ['GET', 'HEAD']) {
      assert.equal((await server.send({ method, path: stored.path, token: other.token })).status, 404)
      assert.equal(
        (await server.send({ method, path: `/v1/drops/${randomUUID()}/content`, token: other.token })).status,
        404,
      )
      assert.equal((await server.send({ method, path: stored.path })).status, 401)
    }
  })

  it('answers 400 to a malformed id', async () => {
    const { token } = await signUp(server)
    for (const id of ['x', '%2e%2e', '..%2f..%2fetc', '%00', randomUUID().toUpperCase()])
      for (const method of ['GET', 'HEAD'])
        assert.equal((await server.send({ method, path: `/v1/drops/${id}/content`, token })).status, 400, id)
  })
})
