import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { expectAnswer } from './expect.ts'
import {
  expectHeadLikeGet,
  expectIfNoneMatch,
  expectIfRange,
  expectOtherRanges,
  expectRange,
  expectRanges,
  expectSafeForBrowsers,
  expectWhole,
  type Read,
} from './servedBytes.ts'
import { connect } from './server.ts'
import { append, land, MIB, newLink, type Owner, onlyDrop, openSession, signUp } from './world.ts'

interface Stored {
  readonly owner: Owner
  readonly path: string
  readonly file: Buffer
}

const SIZE = 1000

const server = await connect()

async function store(file = randomBytes(SIZE), over: object = {}): Promise<Stored> {
  const link = await newLink(server)
  await land(link, file, over)
  const { drop_id } = await onlyDrop(link.owner)
  return { owner: link.owner, path: `/v1/drops/${drop_id}/content`, file }
}

const reader =
  ({ path, owner }: Stored): Read =>
  (headers = {}, method = 'GET') =>
    server.send({ method, path, token: owner.token, headers })

// Covers: Inbox and content
describe('content of a pending drop', () => {
  it('has the bytes of the guest, with their hash as ETag', async () => {
    const stored = await store()
    expectWhole(await reader(stored)(), stored.file)
  })

  it('has the bytes of all chunks', async () => {
    const link = await newLink(server)
    const file = randomBytes(3 * MIB + 17)
    const session = await openSession(link, file)
    for (let start = 0; start < file.length; start += 700_001)
      expectAnswer(await append(session, start, Math.min(start + 700_001, file.length)), '204')
    const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}/content`
    const stored = { owner: link.owner, path, file }
    expectWhole(await reader(stored)(), file)
    await expectRange(reader(stored), file, ['bytes=699990-1400020', 699_990, 1_400_021])
  })

  it('is served so that no browser runs it and no shared cache keeps it', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    const stored = await store(page, { content_type: 'text/plain', suggested_filename: 'page.html' })
    await expectSafeForBrowsers(reader(stored), /\b(private|no-store)\b/)
  })

  it('answers HEAD with the same headers and no body', async () => {
    await expectHeadLikeGet(reader(await store()))
  })
})

// Covers: Inbox and content
describe('content: ranges and conditions', () => {
  it('answers one satisfiable range with 206', async () => {
    const stored = await store()
    await expectRanges(reader(stored), stored.file)
  })

  it('answers 416 with the length to a range outside, and 200 to several or unreadable ranges', async () => {
    const stored = await store()
    await expectOtherRanges(reader(stored), stored.file)
  })

  it('answers 304 to the hash that the client has, before it reads the range', async () => {
    const stored = await store()
    await expectIfNoneMatch(reader(stored), stored.file)
  })

  it('uses the range only when If-Range matches', async () => {
    const stored = await store()
    await expectIfRange(reader(stored), stored.file)
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
})
