/** A replace of metadata alone: new metadata and a manifest that names them, beside the original that stays. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  assetOf,
  type Bundle,
  blobNamesOf,
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
} from './assetWorld.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { append, asOwner, sha256 } from './world.ts'

const server = await connect()

/** A manifest of the same original, which names these metadata and continues from this provenance. */
function renewalOf(asset: Bundle, prior: Buffer | undefined, metadata: Buffer | undefined, manifest = {}): Bundle {
  return {
    ...asset,
    manifest: {
      ...asset.manifest,
      action: 'replace',
      ...(prior && { prior_provenance_hash: sha256(prior) }),
      ...(metadata && { metadata_blob_hash: sha256(metadata) }),
      ...manifest,
    },
  }
}

// Covers: ManifestEnvelope, action; ManifestEnvelope, prior_provenance_hash; Errors 4, 409; Assets and blobs
describe('metadata that are replaced alone', () => {
  it('are not listed until their manifest lands; then they are, and original and derivatives stay', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const derivative = await landBlob(asset, 'derivative')
    const before = await assetOf(asset)
    const metadata = randomBytes(41)
    const next = renewalOf(asset, asset.provenance, metadata)
    await landBlob(next, 'metadata', metadata)
    assert.deepEqual(await assetOf(asset), before)
    assert.equal((await receiptsOf(asset)).at(-1)?.ciphertext_hash, sha256(metadata))
    const provenance = await landBlob(next, 'provenance')
    const after = await assetOf(asset)
    assert.deepEqual(
      new Set(await blobNamesOf(asset)),
      new Set([
        `original ${sha256(asset.original)}`,
        `derivative ${sha256(derivative)}`,
        `metadata ${sha256(metadata)}`,
        `provenance ${sha256(provenance)}`,
      ]),
    )
    assert.deepEqual([after.complete, after.envelope], [true, next.manifest])
    for (const removed of [asset.metadata, asset.provenance])
      expectAnswer(await asOwner(author.owner, 'GET', `/v1/blob/${sha256(removed)}`), '404 blob.not_found')
    await landBlob(renewalOf(asset, asset.provenance, undefined, {}), 'derivative')
    await expectConsistentQuota(author, [asset.assetId])
    // A new original follows the renewed manifest.
    expectAnswer(await sendUpload(author, uploadBody(successorOf(asset, asset.provenance))), '409 manifest.stale')
    await landBlob(successorOf(asset, provenance))
  })

  it('are those of the first manifest that lands; another one is refused, also at its last byte', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const [mine, theirs] = [randomBytes(41), randomBytes(42)]
    const [first, second] = [mine, theirs].map((metadata) => renewalOf(asset, asset.provenance, metadata))
    assert.ok(first && second)
    await landBlob(first, 'metadata', mine)
    const late = await openUpload(first, 'provenance')
    await landBlob(second, 'metadata', theirs)
    await landBlob(second, 'provenance')
    expectAnswer(await append(late), '409 manifest.stale')
    expectAnswer(await sendUpload(author, uploadBody(first, 'metadata', mine)), '409 manifest.stale')
    assert.deepEqual((await assetOf(asset)).envelope, second.manifest)
    await expectConsistentQuota(author, [asset.assetId])
  })

  it('answers 409 to a manifest that does not continue what is there, and 400 to one that contradicts itself', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const metadata = randomBytes(41)
    const refusedFor = async (manifest: object, answer = '409 manifest.stale') => {
      const next = renewalOf(asset, asset.provenance, metadata, manifest)
      expectAnswer(await sendUpload(author, uploadBody(next, 'provenance')), answer, JSON.stringify(manifest))
    }
    await refusedFor({})
    await landBlob(renewalOf(asset, asset.provenance, metadata), 'metadata', metadata)
    const other = sha256(randomBytes(9))
    for (const manifest of [
      { prior_provenance_hash: other },
      { prior_provenance_hash: null },
      { metadata_blob_hash: other },
      { metadata_blob_hash: null },
      { plaintext_size: 2 },
      { amk_version: 2 },
    ])
      await refusedFor(manifest)
    await refusedFor({ original_blob_hash: other }, '409 asset.id_taken')
    await refusedFor({ original_blob_hash: null }, '400 manifest.invalid')
    await landBlob(renewalOf(asset, asset.provenance, metadata), 'provenance')
  })

  it('keep the retention, and a manifest alone may raise it', async () => {
    const author = await newAuthor(server)
    const until = (days: number) => ({ retention_until: new Date(Date.now() + days * DAY_MS).toISOString() })
    const asset = await landAsset(newBundle(author, { manifest: until(10) }))
    const metadata = randomBytes(41)
    const shorter = renewalOf(asset, asset.provenance, metadata, until(9))
    expectAnswer(await sendUpload(author, uploadBody(shorter, 'metadata', metadata)), '409 manifest.stale')
    const raised = renewalOf(asset, asset.provenance, asset.metadata, until(11))
    const provenance = await landBlob(raised, 'provenance')
    const back = renewalOf(asset, provenance, asset.metadata, until(10))
    expectAnswer(await sendUpload(author, uploadBody(back, 'provenance')), '409 manifest.stale')
    expectAnswer(await deleteAsset(asset), '409 asset.retained')
  })
})
