/** Many requests for what may happen once. After each race the quota is the sum of the API's data. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  adoptBody,
  authorFrom,
  type Bundle,
  blobNamesOf,
  type CreatedUpload,
  deleteAsset,
  expectConsistentQuota,
  getAsset,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  provenanceOf,
  receiptsOf,
  sendAdoption,
  sendUpload,
  successorOf,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { json } from './call.ts'
import { answerOf, atOnce, tally } from './expect.ts'
import { connect, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import {
  append,
  asOwner,
  cancel,
  declaration,
  inboxOf,
  land,
  newLink,
  onlyDrop,
  provision,
  quotaOf,
  sendDeclaration,
  sha256,
  stateOf,
} from './world.ts'

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
const without = (answers: Readonly<Record<string, number>>, ...expected: readonly string[]) =>
  Object.keys(answers).filter((answer) => !expected.includes(answer))

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
  it('adopt a drop once for 64 identical requests', async () => {
    const pending = await newPending()
    const bundle = newBundle(pending.author, { original: pending.file })
    const answers = tally(await atOnce(RACERS, () => adopt(pending, bundle)))
    // A request during the adoption joins it; a later one finds no drop.
    assert.deepEqual(without(answers, '200', '404 drop.not_found'), [])
    assert.ok(Number(answers['200']) >= 1)
    assert.equal((await receiptsOf(bundle)).length, 2, 'one of the landing, one of the adoption')
    assert.deepEqual(await inboxOf(pending.author.owner), [])
    assert.equal(await expectConsistentQuota(pending.author, [bundle.assetId]), SIZE)
  })

  it('make one asset of a drop for 64 requests with different asset ids', async () => {
    const pending = await newPending()
    const { author, file } = pending
    const bundles = Array.from({ length: RACERS }, () => newBundle(author, { original: file }))
    const replies = await Promise.all(bundles.map((bundle) => adopt(pending, bundle)))
    assert.deepEqual(tally(replies), { 200: 1, '404 drop.not_found': RACERS - 1 })
    const shown = await Promise.all(bundles.map(getAsset))
    assert.deepEqual(
      shown.map(({ status }) => status),
      replies.map(({ status }) => status),
      'only the asset of the granted request exists',
    )
    const assetIds = bundles.map(({ assetId }) => assetId)
    assert.equal(await expectConsistentQuota(author, assetIds), SIZE)
    const losers = bundles.filter((_, index) => replies[index]?.status !== 200)
    assert.equal(
      answerOf(await sendUpload(author, uploadBody(newBundle(author, { assetId: String(losers[0]?.assetId) })))),
      '201',
    )
  })

  it('either adopt or discard the drop', async () => {
    const first = await newPending()
    for (let round = 0; round < ROUNDS; round += 1) {
      const pending = round === 0 ? first : await nextDrop(first.author)
      const bundle = newBundle(pending.author, { original: pending.file })
      const replies = await Promise.all([adopt(pending, bundle), afterTrips(round, () => discard(pending))])
      const outcome = replies.map(answerOf).join(' | ')
      const { status } = await getAsset(bundle)
      assert.equal(outcome, status === 200 ? '200 | 404 drop.not_found' : '404 drop.not_found | 204')
      assert.deepEqual(await inboxOf(pending.author.owner), [])
      assert.equal(await expectConsistentQuota(pending.author, [bundle.assetId]), status === 200 ? SIZE : 0)
      if (status === 200) await deleteAsset(bundle)
    }
  })

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
      assert.equal((await quotaOf(author.owner)).used, left.length * SIZE)
      if (left.length > 0) assert.equal(answerOf(await discard(pending)), '204')
    }
  })
})

// Covers: Uploads; Provenance; Assets and blobs; Quota and receipts
describe('races of uploads', () => {
  it('open one session for 64 identical requests', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const replies = await atOnce(RACERS, () => sendUpload(author, uploadBody(bundle)))
    assert.deepEqual(tally(replies), { 200: RACERS - 1, 201: 1 })
    assert.equal(new Set(replies.map((reply) => json<CreatedUpload>(reply).upload_id)).size, 1)
    assert.equal((await uploadsOf(author.owner)).length, 1)
    assert.equal(await expectConsistentQuota(author, []), SIZE)
  })

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

  it('open one session for 64 different replacements', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const replies = await atOnce(RACERS, () => sendUpload(author, uploadBody(successorOf(asset, asset.provenance))))
    assert.deepEqual(tally(replies), { 201: 1, '409 asset.id_taken': RACERS - 1 })
    await expectConsistentQuota(author, [asset.assetId])
  })

  it('land one blob with one receipt for 64 copies of the last chunk', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author, { original: randomBytes(5000) })
    const session = await openUpload(bundle)
    const answers = tally(await atOnce(RACERS, () => append(session)))
    // The newest request wins. An older one that was still sending is refused, and its repeat is answered 204.
    assert.deepEqual(without(answers, '204', '409 upload.offset_mismatch'), [])
    assert.ok(Number(answers['204']) >= 1)
    assert.equal(answerOf(await append(session)), '204')
    assert.equal((await receiptsOf(bundle)).length, 1)
    assert.equal(await expectConsistentQuota(author, [bundle.assetId]), 5000)
  })

  it('free the quota of an invalid manifest once for 16 requests', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const provenance = provenanceOf({ ...bundle, manifest: { ...bundle.manifest, amk_version: 2 } })
    const session = await openUpload(bundle, 'provenance', provenance)
    const answers = tally(await atOnce(16, () => append(session)))
    assert.deepEqual(without(answers, '409 manifest.mismatch', '409 upload.offset_mismatch'), [])
    assert.equal(await expectConsistentQuota(author, [bundle.assetId]), SIZE)
    assert.equal((await receiptsOf(bundle)).length, 1)
  })

  it('either cancel or land an upload', async () => {
    const author = await newAuthor(server)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bundle = newBundle(author)
      const session = await openUpload(bundle)
      const outcome = (await Promise.all([append(session), afterTrips(round, () => cancel(session))]))
        .map(answerOf)
        .join(' | ')
      const { status } = await getAsset(bundle)
      if (status === 200) assert.equal(outcome, '204 | 409 upload.session_closed')
      else assert.equal(outcome, '404 upload.session_not_found | 204')
      assert.equal(await expectConsistentQuota(author, [bundle.assetId]), status === 200 ? SIZE : 0)
      if (status === 200) await deleteAsset(bundle)
    }
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

  it('delete an asset once for 16 requests', async () => {
    const author = await newAuthor(server)
    const asset = await landAsset(newBundle(author))
    const replies = await atOnce(16, () => deleteAsset(asset))
    assert.deepEqual(tally(replies), { 204: 1, '404 asset.not_found': 15 })
    assert.equal((await quotaOf(author.owner)).used, 0)
  })

  it('never exceed the quota with 64 uploads and drops', { skip: NEEDS_OWN_SERVER }, async () => {
    const limited = await ownServer({ QUOTA_HARD_BYTES: '1050' })
    const author = await newAuthor(limited)
    const link = await provision(author.owner)
    const replies = await atOnce(RACERS, (index) =>
      index % 2 === 0
        ? sendUpload(author, uploadBody(newBundle(author)))
        : sendDeclaration(link, declaration(randomBytes(SIZE))),
    )
    assert.deepEqual(tally(replies), { 201: 10, '403 quota.exceeded': RACERS - 10 })
    assert.equal(await expectConsistentQuota(author, []), 1000)
  })
})
