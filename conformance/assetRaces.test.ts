/** Many requests for what may happen once. After each race the quota is the sum of the API's data. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  adoptBody,
  authorFrom,
  type Bundle,
  blobNamesOf,
  deleteAsset,
  expectConsistentQuota,
  getAsset,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  sendAdoption,
  sendUpload,
  successorOf,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { answerOf, atOnce, tally } from './expect.ts'
import { connect } from './server.ts'
import { append, asOwner, inboxOf, land, newLink, onlyDrop, provision, quotaOf, sha256, stateOf } from './world.ts'

const RACERS = 64
const ROUNDS = 8
const SIZE = 100

const server = await connect()

interface Pending {
  readonly author: Author
  readonly dropId: string
  readonly file: Buffer
}

/** An author with one drop in the inbox. */
async function newPending(): Promise<Pending> {
  const link = await newLink(server)
  const author = await authorFrom(link.owner)
  const { file } = await land(link)
  return { author, dropId: (await onlyDrop(link.owner)).drop_id, file }
}

/** Another drop for an author without one. */
async function nextDrop(author: Author): Promise<Pending> {
  const { file } = await land(await provision(author.owner))
  return { author, dropId: (await onlyDrop(author.owner)).drop_id, file }
}

const adopt = ({ author, dropId }: Pending, bundle: Bundle) => sendAdoption(author.owner, dropId, adoptBody(bundle))
const discard = ({ author, dropId }: Pending) => asOwner(author.owner, 'DELETE', `/v1/drops/${dropId}`)

/** Delays the second request by one more round trip in each round, so that the two meet at different points. */
async function afterTrips<Answer>(round: number, ask: () => Promise<Answer>): Promise<Answer> {
  for (let trip = 0; trip < round; trip += 1) await server.send({ method: 'GET', path: '/v1/version' })
  return ask()
}

/** The bundle by which a drop replaces the original of an asset with that provenance. */
const replacing = ({ author, file }: Pending, { assetId }: Bundle, provenance: Buffer): Bundle =>
  newBundle(author, {
    assetId,
    original: file,
    manifest: { action: 'replace', prior_provenance_hash: sha256(provenance) },
  })

// Covers: Adopt 3; State: pending drop, adopt; Inbox and content
describe('races of adoptions', () => {
  it('replace an original once, by an adoption or an upload', async () => {
    const first = await newPending()
    const { author } = first
    for (let round = 0; round < ROUNDS; round += 1) {
      const pending = round === 0 ? first : await nextDrop(author)
      const asset = await landAsset(newBundle(author))
      const [adopted, uploaded] = [replacing(pending, asset, asset.provenance), successorOf(asset, asset.provenance)]
      const replies = await Promise.all([
        adopt(pending, adopted),
        afterTrips(round, () => sendUpload(author, uploadBody(uploaded))),
      ])
      const outcome = replies.map(answerOf).join(' | ')
      if (outcome === '200 | 409 manifest.stale') {
        assert.deepEqual(await blobNamesOf(asset), [`original ${sha256(adopted.original)}`])
        assert.equal(await expectConsistentQuota(author, [asset.assetId]), SIZE)
      } else {
        assert.equal(outcome, '422 asset.id_taken | 201')
        assert.deepEqual((await blobNamesOf(asset)).length, 3, 'the upload is open, and the blobs are unchanged')
        await expectConsistentQuota(author, [asset.assetId])
        assert.equal(answerOf(await discard(pending)), '204')
        for (const { upload_id } of await uploadsOf(author.owner))
          await asOwner(author.owner, 'DELETE', `/v1/upload/${upload_id}`)
      }
      await deleteAsset(asset)
    }
  })

  it('land a replacing upload and adopt nothing when its last chunk is in the race', async () => {
    const first = await newPending()
    const { author } = first
    for (let round = 0; round < ROUNDS; round += 1) {
      const pending = round === 0 ? first : await nextDrop(author)
      const asset = await landAsset(newBundle(author))
      const uploaded = successorOf(asset, asset.provenance)
      const session = await openUpload(uploaded)
      const adopted = replacing(pending, asset, asset.provenance)
      const replies = await Promise.all([append(session), afterTrips(round, () => adopt(pending, adopted))])
      const outcome = replies.map(answerOf).join(' | ')
      assert.ok(['204 | 422 asset.id_taken', '204 | 422 manifest.stale'].includes(outcome), outcome)
      assert.deepEqual(await blobNamesOf(asset), [`original ${sha256(uploaded.original)}`])
      await expectConsistentQuota(author, [asset.assetId])
      const { drop_id, adopting } = await onlyDrop(author.owner)
      assert.deepEqual([drop_id, adopting], [pending.dropId, false], 'a refused adoption claims nothing')
      for (const reply of [await discard(pending), await deleteAsset(asset)]) assert.equal(answerOf(reply), '204')
    }
  })

  it('delete an asset whether or not an adoption replaces its original', async () => {
    const first = await newPending()
    const { author } = first
    for (let round = 0; round < ROUNDS; round += 1) {
      const pending = round === 0 ? first : await nextDrop(author)
      const asset = await landAsset(newBundle(author))
      const replies = await Promise.all([
        adopt(pending, replacing(pending, asset, asset.provenance)),
        afterTrips(round, () => deleteAsset(asset)),
      ])
      const outcome = replies.map(answerOf).join(' | ')
      assert.ok(['200 | 204', '422 asset.id_taken | 204'].includes(outcome), outcome)
      assert.equal((await getAsset(asset)).status, 404)
      const left = await inboxOf(author.owner)
      assert.equal(left.length, replies[0]?.status === 200 ? 0 : 1)
      const { used, bin = 0 } = await quotaOf(author.owner)
      assert.equal(used - bin, left.length * SIZE)
      if (left.length > 0) assert.equal(answerOf(await discard(pending)), '204')
    }
  })
})

// Covers: Uploads; Provenance; Assets and blobs; Quota and receipts
describe('races of uploads', () => {
  it('open one session for 64 different originals of one asset by two accounts', async () => {
    const authors = [await newAuthor(server), await newAuthor(server)]
    const assetId = randomUUID()
    const replies = await atOnce(RACERS, (index) => {
      const author = authors[index % 2]
      assert.ok(author !== undefined)
      return sendUpload(author, uploadBody(newBundle(author, { assetId })))
    })
    assert.deepEqual(tally(replies), { 201: 1, '409 asset.id_taken': RACERS - 1 })
    const uses = await Promise.all(authors.map((author) => expectConsistentQuota(author, [])))
    assert.deepEqual(uses.toSorted(), [0, SIZE])
  })

  it('leave nothing of an asset that is deleted while a blob lands', async () => {
    const author = await newAuthor(server)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bundle = newBundle(author)
      await landBlob(bundle)
      const session = await openUpload(bundle, 'metadata')
      const [chunk, end] = await Promise.all([append(session), afterTrips(round, () => deleteAsset(bundle))])
      assert.equal(answerOf(end), '204')
      const after = ['204', '404 upload.session_not_found', '409 asset.id_taken']
      assert.ok(after.includes(answerOf(chunk)), answerOf(chunk))
      assert.equal((await getAsset(bundle)).status, 404)
      assert.ok(['landed', 'failed', 'undefined'].includes((await stateOf(session)).state))
      assert.equal(await expectConsistentQuota(author, [bundle.assetId]), 0)
    }
  })
})
