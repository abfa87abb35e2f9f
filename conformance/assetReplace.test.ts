/** A new original of an existing asset. It follows the present provenance and removes all other blobs. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  assetOf,
  blobNamesOf,
  completeWith,
  DAY_MS,
  deleteAsset,
  expectConsistentQuota,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  receiptsOf,
  sendUpload,
  successorOf,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { append, asOwner, quotaOf, sha256, stateOf } from './world.ts'

const server = await connect()

// Covers: ManifestEnvelope, action; ManifestEnvelope, prior_provenance_hash; AssetReceiptsResponse; Errors 4, 409; Assets and blobs
describe('a replacement', () => {
  it('removes all blobs of the old original, frees their quota and keeps their receipts', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const derivative = await landBlob(asset, 'derivative')
    const [before, receipts] = [await assetOf(asset), await receiptsOf(asset)]
    const next = successorOf(asset, asset.provenance)
    const session = await openUpload(next)
    assert.equal((await blobNamesOf(asset)).length, 4, 'the old original stays until the new one has landed')
    assert.ok((await assetOf(asset)).complete)
    expectAnswer(await append(session), '204')
    const after = await assetOf(next)
    assert.deepEqual(await blobNamesOf(next), [`original ${sha256(next.original)}`])
    assert.deepEqual(
      [after.complete, after.envelope, after.created_at],
      [false, { ...next.manifest }, before.created_at],
    )
    assert.ok(after.changed_at >= before.changed_at)
    assert.equal((await quotaOf(author.owner)).used, next.original.length)
    const now = await receiptsOf(next)
    assert.deepEqual(now.slice(0, -1), receipts)
    assert.equal(now.at(-1)?.ciphertext_hash, sha256(next.original))
    for (const removed of [asset.original, asset.metadata, asset.provenance, derivative])
      expectAnswer(await asOwner(author.owner, 'GET', `/v1/blob/${sha256(removed)}`), '404 blob.not_found')
  })

  it('accepts the other roles again, with the manifest of the new original only', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const next = successorOf(asset, asset.provenance)
    await landBlob(next)
    for (const role of ['metadata', 'derivative', 'provenance'] as const)
      expectAnswer(await sendUpload(author, uploadBody(asset, role)), '409 manifest.stale', `the old ${role}`)
    const other = successorOf(asset, asset.provenance)
    expectAnswer(await sendUpload(author, uploadBody(other, 'metadata')), '409 manifest.stale', 'of another original')
    const unprior = successorOf(asset, undefined, { original_blob_hash: sha256(next.original) })
    expectAnswer(
      await sendUpload(author, uploadBody(unprior, 'metadata')),
      '409 manifest.stale',
      'with another prior provenance',
    )
    const { provenance } = await completeWith(next)
    assert.ok((await assetOf(next)).complete)
    const third = successorOf(next, provenance)
    await landBlob(third)
    await completeWith(third)
    assert.deepEqual((await assetOf(third)).envelope, { ...third.manifest })
    assert.equal((await receiptsOf(third)).length, 9)
    await expectConsistentQuota(author, [asset.assetId])
  })

  it('answers 409 to a prior_provenance_hash of another provenance than the present one', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const next = successorOf(asset, asset.provenance)
    await landBlob(next)
    const { provenance } = await completeWith(next)
    for (const prior of [undefined, asset.provenance, randomBytes(9), next.original])
      expectAnswer(await sendUpload(author, uploadBody(successorOf(asset, prior))), '409 manifest.stale')
    expectAnswer(await sendUpload(author, uploadBody(successorOf(asset, provenance))), '201')
  })

  it('must not name a prior provenance when the asset has none', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const prior = randomBytes(9)
    expectAnswer(await sendUpload(author, uploadBody(successorOf(bundle, prior))), '409 manifest.stale')
    const next = successorOf(bundle, undefined)
    await landBlob(next)
    assert.deepEqual(await blobNamesOf(next), [`original ${sha256(next.original)}`])
  })

  it('answers 409 when there is nothing to replace', async () => {
    const author = await newAuthor(server)
    const unknown = newBundle(author, { manifest: { action: 'replace' } })
    expectAnswer(await sendUpload(author, uploadBody(unknown)), '409 manifest.stale', 'an unknown asset')
    const bundle = newBundle(author)
    const metadata = await landBlob(bundle, 'metadata')
    expectAnswer(await sendUpload(author, uploadBody(successorOf(bundle, undefined))), '409 manifest.stale')
    assert.equal((await quotaOf(author.owner)).used, metadata.length)
    await landBlob(newBundle(author, { assetId: unknown.assetId }), 'original')
  })

  it('begins with its original', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const next = successorOf(asset, asset.provenance)
    for (const role of ['metadata', 'provenance', 'derivative'] as const) {
      const reply = await sendUpload(author, uploadBody(next, role))
      assert.equal(reply.status, 409, role)
    }
    assert.ok((await assetOf(asset)).complete)
  })

  it('is checked again when its last byte arrives', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const session = await openUpload(successorOf(bundle, undefined))
    await append(session, 0, 50)
    const { provenance, metadata } = await completeWith(bundle)
    for (let round = 0; round < 2; round += 1) expectAnswer(await append(session, 50), '409 manifest.stale')
    assert.equal((await stateOf(session)).state, 'failed')
    assert.ok((await assetOf(bundle)).complete)
    assert.equal((await quotaOf(author.owner)).used, bundle.original.length + provenance.length + metadata.length)
    assert.deepEqual(await uploadsOf(author.owner), [])
    await landBlob(successorOf(bundle, provenance))
  })

  it('ends the open sessions of the old original and frees their quota', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const late = await openUpload(bundle, 'metadata')
    const next = successorOf(bundle, undefined)
    await landBlob(next)
    expectAnswer(await append(late), '404 upload.session_not_found')
    assert.deepEqual(await blobNamesOf(next), [`original ${sha256(next.original)}`])
    await expectConsistentQuota(author, [bundle.assetId])
  })

  it('answers 409 to an earlier retention_until, and keeps the later one', async () => {
    const author = await newAuthor(server)
    const until = (days: number) => ({ retention_until: new Date(Date.now() + days * DAY_MS).toISOString() })
    const asset = await landAsset(newBundle(author, { manifest: until(10) }))
    for (const manifest of [{}, until(9), { retention_until: null }])
      expectAnswer(
        await sendUpload(author, uploadBody(successorOf(asset, asset.provenance, manifest))),
        '409 manifest.stale',
      )
    const next = successorOf(asset, asset.provenance, until(11))
    await landBlob(next)
    expectAnswer(await deleteAsset(next), '409 asset.retained')
  })
})
