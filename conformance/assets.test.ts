import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  assetOf,
  blobNamesOf,
  DAY_MS,
  deleteAsset,
  expectConsistentQuota,
  getAsset,
  getReceipts,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  type Role,
  sendJson,
  sendUpload,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { json } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { append, asOwner, quotaOf, sha256, stateOf } from './world.ts'

const PARTS = ['original', 'metadata', 'provenance'] as const
const ORDERS: readonly (readonly Role[])[] = PARTS.flatMap((first) =>
  PARTS.filter((role) => role !== first).map((second) => [
    first,
    second,
    ...PARTS.filter((role) => role !== first && role !== second),
  ]),
)

const server = await connect()

// Covers: ManifestEnvelope, file_id; Assets and blobs
describe('asset', () => {
  it('exists from its first blob on, and not before', async () => {
    const bundle = newBundle(await newAuthor(server))
    const session = await openUpload(bundle)
    await append(session, 0, 50)
    expectAnswer(await getAsset(bundle), '404 asset.not_found')
    expectAnswer(await getReceipts(bundle), '404 storage.asset_not_found')
    expectAnswer(await deleteAsset(bundle), '404 asset.not_found')
    expectAnswer(await append(session, 50), '204')
    expectAnswer(await getAsset(bundle), '200')
    expectAnswer(await getReceipts(bundle), '200')
  })

  it('shows its album, its blobs in the order of landing, and the time of its last change', async () => {
    const bundle = newBundle(await newAuthor(server))
    const { original, assetId, author } = bundle
    await landBlob(bundle)
    const first = await assetOf(bundle)
    const landed: [Role, Buffer][] = [['original', original]]
    for (const role of ['derivative', 'metadata', 'derivative'] as const)
      landed.push([role, await landBlob(bundle, role)])
    const asset = await assetOf(bundle)
    assert.deepEqual(
      asset.blobs,
      landed.map(([role, file]) => ({ role, hash: sha256(file), size: file.length })),
    )
    assert.deepEqual([asset.asset_id, asset.album_id, asset.drop], [assetId, author.albumId, undefined])
    assert.ok(Math.abs(Date.parse(asset.created_at) - Date.now()) < 60_000)
    assert.deepEqual([first.created_at, first.changed_at <= asset.changed_at], [asset.created_at, true])
  })

  it('is complete with original, metadata and provenance, in any order of landing', async () => {
    const author = await newAuthor(server)
    for (const order of ORDERS) {
      const bundle = newBundle(author)
      for (const [index, role] of order.entries()) {
        await landBlob(bundle, role)
        await landBlob(bundle, 'derivative')
        assert.equal((await assetOf(bundle)).complete, index === 2, order.slice(0, index + 1).join())
      }
    }
  })

  it('shows the envelope of the original unchanged once the original has landed', async () => {
    const author = await newAuthor(server)
    const retention_until = '2026-02-03T04:05:06+02:00'
    const timestamp = new Date().toISOString().replace('Z', '456+00:00')
    const bundle = newBundle(author, { manifest: { retention_until, timestamp } })
    const metadata = await landBlob(bundle, 'metadata')
    assert.equal(
      (await assetOf(bundle)).envelope.ciphertext_hash,
      sha256(metadata),
      'that of the first blob until then',
    )
    await landBlob(bundle)
    await landBlob(bundle, 'derivative')
    await landBlob(bundle, 'provenance')
    assert.deepEqual((await assetOf(bundle)).envelope, { ...bundle.manifest })
  })

  it('omits null members from its envelope', async () => {
    const bundle = newBundle(await newAuthor(server), {
      manifest: { album_id: null, metadata_blob_hash: null, retention_until: null },
    })
    await landBlob(bundle)
    const { album_id: _, metadata_blob_hash: __, retention_until: ___, ...envelope } = bundle.manifest
    assert.deepEqual((await assetOf(bundle)).envelope, envelope)
  })

  it('has at most 32 blobs, and shows them all', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landAsset(bundle)
    await Promise.all(Array.from({ length: 29 }, () => landBlob(bundle, 'derivative')))
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'derivative')), '403 request.limit_reached')
    assert.equal((await blobNamesOf(bundle)).length, 32)
    await expectConsistentQuota(author, [bundle.assetId])
  })

  it('refuses a blob that names another original', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const other = newBundle(author, { assetId: bundle.assetId })
    expectAnswer(await sendUpload(author, uploadBody(other, 'metadata')), '409 manifest.stale')
    const early = newBundle(author)
    await landBlob(early, 'metadata')
    const rival = newBundle(author, { assetId: early.assetId })
    expectAnswer(
      await sendUpload(author, uploadBody(rival)),
      '409 asset.id_taken',
      'the metadata names another original',
    )
    await landBlob(early)
    await expectConsistentQuota(author, [bundle.assetId, early.assetId])
  })
})

// Covers: ManifestEnvelope, retention_until; Uploads; Assets and blobs
describe('delete an asset', () => {
  it('answers 204 once, removes all of it, and its quota with the bin', async () => {
    const author = await newAuthor(server)
    const [bundle, kept] = [newBundle(author), newBundle(author)]
    await landAsset(bundle)
    await landBlob(kept)
    expectAnswer(await deleteAsset(bundle), '204')
    expectAnswer(await deleteAsset(bundle), '404 asset.not_found')
    expectAnswer(await getAsset(bundle), '404 asset.not_found')
    expectAnswer(await getReceipts(bundle), '404 storage.asset_not_found')
    expectAnswer(await asOwner(author.owner, 'DELETE', `/v1/bin/${bundle.assetId}`), '204')
    assert.equal((await quotaOf(author.owner)).used, kept.original.length)
    assert.equal((await getAsset(kept)).status, 200)
  })

  it('ends its open sessions', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const session = await openUpload(bundle, 'metadata')
    await append(session, 0, 10)
    expectAnswer(await deleteAsset(bundle), '204')
    assert.equal((await stateOf(session)).status, 404)
    expectAnswer(await append(session, 10), '404 upload.session_not_found')
    assert.deepEqual(await uploadsOf(author.owner), [])
    const { used, bin } = await quotaOf(author.owner)
    assert.equal(used, bin)
  })

  it('answers 409 if its provenance is not the one that the client names, or not there', async () => {
    const author = await newAuthor(server)
    const [signed, unsigned] = [await landAsset(newBundle(author)), newBundle(author)]
    await landBlob(unsigned)
    const named = `?if_provenance=${sha256(signed.provenance)}`
    for (const [bundle, query] of [
      [signed, `?if_provenance=${sha256(randomBytes(9))}`],
      [unsigned, named],
    ] as const)
      expectAnswer(await deleteAsset(bundle, query), '409 manifest.stale')
    expectAnswer(await deleteAsset(signed, '?if_provenance=x'), '400 request.malformed')
    expectAnswer(await deleteAsset(signed, named), '204')
    await expectConsistentQuota(author, [unsigned.assetId])
  })

  it('answers 409 before the manifest’s retention_until, and 204 after it', async () => {
    const author = await newAuthor(server)
    const until = (fromNowMs: number) => ({ retention_until: new Date(Date.now() + fromNowMs).toISOString() })
    const retained = newBundle(author, { manifest: until(DAY_MS) })
    await landAsset(retained)
    expectAnswer(await deleteAsset(retained), '409 asset.retained')
    assert.equal((await blobNamesOf(retained)).length, PARTS.length)
    await expectConsistentQuota(author, [retained.assetId])
    const free = newBundle(author, { manifest: until(-1000) })
    await landAsset(free)
    expectAnswer(await deleteAsset(free), '204')
  })

  it('answers 409 before a retention that was raised, which only goes up and is a change in the feed', async () => {
    const author = await newAuthor(server)
    const until = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
    const stated = until(2)
    const [signed, unsigned] = [newBundle(author, { manifest: { retention_until: stated } }), newBundle(author)]
    await landAsset(signed)
    await landBlob(unsigned)
    const ids = [signed.assetId, unsigned.assetId, randomUUID()]
    const raise = async (end: unknown, asset_ids: unknown = ids) =>
      sendJson(author.owner, '/v1/assets/retention', { asset_ids, until: end })
    const endOf = async () => (await assetOf(signed)).retained_until
    assert.deepEqual([await endOf(), (await assetOf(unsigned)).retained_until], [stated, undefined])
    const before = (await assetOf(signed)).changed_at
    const raised = until(3)
    for (const [end, count] of [
      [raised, 1],
      [raised, 0],
      [until(1), 0],
    ] as const) {
      const reply = await raise(end)
      expectAnswer(reply, '200')
      assert.deepEqual(json(reply), { raised: count, skipped: ids.slice(1) })
    }
    assert.equal(await endOf(), raised)
    const { entries } = json<{ entries: { asset_id: string; changed_at: string }[] }>(
      await asOwner(author.owner, 'GET', '/v1/sync'),
    )
    assert.deepEqual(
      entries.map(({ asset_id }) => asset_id),
      [unsigned.assetId, signed.assetId],
    )
    assert.ok((entries[1]?.changed_at ?? '') > before)
    expectAnswer(await deleteAsset(signed), '409 asset.retained')
    expectAnswer(await raise(until(401)), '422 manifest.retention_too_long')
    expectAnswer(await raise(until(-1)), '422 request.unprocessable')
    expectAnswer(await raise(raised, []), '400 request.malformed')
    expectAnswer(
      await raise(
        raised,
        Array.from({ length: 1001 }, () => randomUUID()),
      ),
      '400 request.malformed',
    )
    expectAnswer(await deleteAsset(unsigned), '204')
  })
})
