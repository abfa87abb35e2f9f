import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  adoptBody,
  authorFrom,
  deleteAsset,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  sendAdoption,
  successorOf,
} from './assetWorld.ts'
import type { Reply } from './call.ts'
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
import { append, asOwner, land, MIB, newLink, onlyDrop, sha256, signUp } from './world.ts'

const SIZE = 1000

const server = await connect()

interface Stored {
  readonly author: Author
  readonly file: Buffer
  readonly hash: string
}

async function store(file = randomBytes(SIZE)): Promise<Stored> {
  const author = await newAuthor(server)
  await landBlob(newBundle(author, { original: file }))
  return { author, file, hash: sha256(file) }
}

function read(
  { author, hash }: Omit<Stored, 'file'>,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  return server.send({ method, path: `/v1/blob/${hash}`, token: author.owner.token, headers })
}

const reader =
  (stored: Omit<Stored, 'file'>): Read =>
  (headers, method) =>
    read(stored, headers, method)

async function expectNotFound(author: Author, files: readonly Uint8Array[], what: string): Promise<void> {
  for (const file of files) {
    expectAnswer(await read({ author, hash: sha256(file) }), '404 blob.not_found', what)
    assert.equal((await read({ author, hash: sha256(file) }, {}, 'HEAD')).status, 404, what)
  }
}

// Covers: Assets and blobs
describe('blob', () => {
  it('has the uploaded bytes for every role, with their hash as ETag', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const derivative = await landBlob(asset, 'derivative')
    for (const file of [asset.original, asset.metadata, asset.provenance, derivative]) {
      expectWhole(await read({ author, hash: sha256(file) }), file)
    }
  })

  it('is read whole and by a range across the chunks that it was sent in', async () => {
    const author = await newAuthor(server)
    const original = randomBytes(2 * MIB + 17)
    const session = await openUpload(newBundle(author, { original }))
    for (let start = 0; start < original.length; start += 700_001)
      expectAnswer(await append(session, start, Math.min(start + 700_001, original.length)), '204')
    const stored = { author, hash: sha256(original) }
    expectWhole(await read(stored), original)
    await expectRange(reader(stored), original, ['bytes=699990-1400020', 699_990, 1_400_021])
  })

  it('answers HEAD with the same headers and no body', async () => {
    await expectHeadLikeGet(reader(await store()))
  })

  it('is served so that no browser runs it and no shared cache keeps it', async () => {
    const stored = await store(Buffer.from('<!doctype html><script>alert(1)</script>'))
    await expectSafeForBrowsers(reader(stored), /^private, max-age=31536000, immutable$/)
  })
})

// Covers: Assets and blobs
describe('blob: ranges and conditions', () => {
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

// Covers: Assets and blobs
describe('blob: availability', () => {
  it('serves a blob as long as an asset of the caller has it', async () => {
    const { author, file, hash } = await store()
    const second = newBundle(author, { original: file })
    await landBlob(second)
    const third = newBundle(author)
    await landBlob(third)
    await landBlob(third, 'derivative', file)
    for (const bundle of [second, third]) {
      assert.deepEqual((await read({ author, hash })).body, file)
      expectAnswer(await deleteAsset(bundle), '204')
    }
    assert.deepEqual((await read({ author, hash })).body, file, 'the first asset still has it')
  })

  it('answers 404 to a blob that is incomplete, replaced or deleted', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const next = successorOf(asset, asset.provenance)
    const session = await openUpload(next)
    await append(session, 0, 50)
    await expectNotFound(author, [next.original], 'open')
    await append(session, 50)
    await expectNotFound(author, [asset.original, asset.metadata, asset.provenance], 'replaced')
    assert.deepEqual((await read({ author, hash: sha256(next.original) })).body, next.original)
    await deleteAsset(next)
    await expectNotFound(author, [next.original], 'deleted')
  })

  it('answers 404 to the bytes of a pending drop, and serves them after adoption', async () => {
    const link = await newLink(server)
    const author = await authorFrom(link.owner)
    const file = randomBytes(SIZE)
    await land(link, file)
    const { drop_id } = await onlyDrop(link.owner)
    await expectNotFound(author, [file], 'pending')
    const content = () => asOwner(link.owner, 'GET', `/v1/drops/${drop_id}/content`)
    assert.deepEqual((await content()).body, file)
    expectAnswer(await sendAdoption(author.owner, drop_id, adoptBody(newBundle(author, { original: file }))), '200')
    assert.deepEqual((await read({ author, hash: sha256(file) })).body, file)
    expectAnswer(await content(), '404 drop.not_found')
  })

  it('answers 404 to another account, 401 without a token and 400 to a malformed hash', async () => {
    const { hash } = await store()
    const stranger = await signUp(server)
    for (const method of ['GET', 'HEAD']) {
      const ask = async (path: string, token?: string) => (await server.send({ method, path, token })).status
      assert.equal(await ask(`/v1/blob/${hash}`, stranger.token), 404)
      assert.equal(await ask(`/v1/blob/${hash}`), 401)
      for (const wrong of [hash.toUpperCase(), hash.slice(1), `${hash}0`, 'x', '%00', '..%2f..'])
        assert.equal(await ask(`/v1/blob/${wrong}`, stranger.token), 400, wrong)
    }
  })
})
