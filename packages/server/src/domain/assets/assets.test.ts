import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AssetId, addSeconds, formatInstant, instantOf, type UploadId } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import { used } from '../../testing/assetRaces.ts'
import {
  assertBooks,
  assetRow,
  blobRow,
  creation,
  landProvenance,
  leaveBlobFinishing,
  objectsIn,
  ofOriginal,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  assetOf,
  declaredFor,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  replacingByDrop,
} from '../../testing/assets.ts'
import { append, bytes, newLink, notRefused, openDrop } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'

const content = bytes(100)
const NOT_FOUND = { refused: 'asset_not_found' }

const rolesOf = async (world: World, albumOwner: AlbumOwner, assetId: AssetId) =>
  (await assetOf(world, albumOwner, assetId)).blobs.map(({ role }) => role)
const receiptsOf = async (world: World, { accountId }: AlbumOwner, assetId: AssetId) =>
  notRefused(await world.rules.assets.receipts(accountId, assetId))
const stateOf = async ({ store }: World, location: string) =>
  (await store.read((tx) => tx.objects.find(location)))?.state

/** Original, metadata, provenance and a derivative, 600 bytes and a signed manifest. */
async function landBundle(world: World, albumOwner: AlbumOwner) {
  const assetId = newAssetId()
  const ids = [
    await landBlob(world, albumOwner, content, { assetId }),
    await landBlob(world, albumOwner, bytes(200), { assetId, role: 'metadata' }),
    await landBlob(world, albumOwner, bytes(300), { assetId, role: 'derivative' }),
  ]
  const { position } = await landProvenance(world, albumOwner, { assetId, original: content })
  return { assetId, position, ids }
}

describe('an asset', () => {
  it(
    'accepts its blobs in any order, is visible from the first one on, and shows them in the order of landing',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const orders = [
        ...[0, 1, 2].map((first) => [first, (first + 1) % 3, (first + 2) % 3]),
        ...[0, 1, 2].map((first) => [first, (first + 2) % 3, (first + 1) % 3]),
      ]
      const assetIds: AssetId[] = []
      for (const order of orders) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        const metadata = bytes(10)
        const bundle = [
          { content, declared: declaredFor(world, albumOwner, content, { assetId }) },
          { content: metadata, declared: declaredFor(world, albumOwner, metadata, { assetId, role: 'metadata' }) },
          provenanceFor(world, albumOwner, content, { assetId, envelope: { original_blob_hash: sha256(content) } }),
        ]
        const inOrder = order.map((at) => defined(bundle[at]))
        assert.deepEqual(await world.rules.assets.get(albumOwner.accountId, assetId), NOT_FOUND)
        const createdAt = world.clock.now()
        for (const { declared, content } of inOrder) {
          const uploadId = await openDeclared(world, albumOwner, declared)
          notRefused(await append(world, uploadId, { offset: 0, bytes: content }))
          const { asset } = await assetOf(world, albumOwner, assetId)
          assert.deepEqual([asset.createdAt, asset.changedAt, asset.drop], [createdAt, world.clock.now(), undefined])
          world.clock.advance(1)
        }
        assert.deepEqual(
          await rolesOf(world, albumOwner, assetId),
          inOrder.map(({ declared }) => declared.role),
        )
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )

  it(
    'keeps the declaration of each blob verbatim, with an object of its own',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const envelope = { client_version: 'é/2 "x"', retention_until: null, timestamp: '2026-06-01T02:00:00.5+02:00' }
      const declared = declaredFor(world, albumOwner, content, { contentType: 'text/plain', envelope })
      const uploadId = await landBlob(world, albumOwner, content, declared)
      const { assetId, role, ciphertextHash, size, contentType } = declared
      const { location } = await blobRow(world, uploadId)
      const landedAt = world.clock.now()
      const blob = {
        assetId,
        role,
        ciphertextHash,
        size,
        contentType,
        location,
        uploadId,
        landedAt,
        retainedUntil: undefined,
        pendingAfter: undefined,
      }
      assert.deepEqual((await assetOf(world, albumOwner, assetId)).blobs, [{ ...blob, envelope: declared.envelope }])
      assert.deepEqual(await objectsIn(world, 'kept'), [location])
      assert.equal(await used(world, albumOwner), 100)
    }),
  )
})

describe('replacing an original', () => {
  it(
    'removes all former blobs, refunds their charge, and keeps the receipts',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, position, ids } = await landBundle(world, albumOwner)
      const before = await receiptsOf(world, albumOwner, assetId)
      const former = (await assetOf(world, albumOwner, assetId)).blobs.map(({ location }) => location)
      const { createdAt } = (await assetOf(world, albumOwner, assetId)).asset
      world.clock.advance(5)
      const next = bytes(50)
      const uploadId = await landBlob(world, albumOwner, next, { assetId, envelope: replacing(next, position) })
      const { asset, blobs } = await assetOf(world, albumOwner, assetId)
      assert.deepEqual(
        blobs.map((blob) => [blob.role, blob.uploadId]),
        [['original', uploadId]],
      )
      assert.deepEqual([asset.createdAt, asset.changedAt], [createdAt, world.clock.now()])
      assert.equal(await used(world, albumOwner), 50)
      assert.deepEqual((await objectsIn(world, 'orphaned')).toSorted(), former.toSorted())
      const after = await receiptsOf(world, albumOwner, assetId)
      assert.deepEqual(after.slice(0, -1), before)
      assert.equal(after.at(-1)?.uploadId, uploadId)
      assert.deepEqual(
        after.slice(0, 3).map((row) => row.uploadId),
        ids,
      )
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'accepts the other roles again, if they continue the same provenance as the new original',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, position } = await landBundle(world, albumOwner)
      const next = bytes(50)
      const envelope = replacing(next, position)
      await landBlob(world, albumOwner, next, { assetId, envelope })
      await landBlob(world, albumOwner, bytes(10), { assetId, role: 'metadata', envelope })
      const second = await landProvenance(world, albumOwner, { assetId, original: next, envelope })
      assert.notEqual(second.position, position)
      const third = bytes(60)
      await landBlob(world, albumOwner, third, { assetId, envelope: replacing(third, second.position) })
      assert.deepEqual(await rolesOf(world, albumOwner, assetId), ['original'])
      assert.equal((await receiptsOf(world, albumOwner, assetId)).length, 8)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'that was a drop removes its link to the drop, by upload and by another drop',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [first, second] = [await newDrop(world, albumOwner, content), await newDrop(world, albumOwner, bytes(10))]
      const assetId = newAssetId()
      notRefused(await adopt(world, albumOwner, first, declaredFor(world, albumOwner, content, { assetId })))
      const overrides = { assetId, ...replacingByDrop(second) }
      notRefused(await adopt(world, albumOwner, second, declaredForDrop(world, albumOwner, second, overrides)))
      assert.equal((await assetOf(world, albumOwner, assetId)).asset.drop?.dropId, second.dropId)
      const last = bytes(20)
      await landBlob(world, albumOwner, last, { assetId, envelope: replacing(last) })
      const { asset, blobs } = await assetOf(world, albumOwner, assetId)
      assert.deepEqual([asset.drop, blobs.length, await used(world, albumOwner)], [undefined, 1, 20])
      assert.deepEqual((await objectsIn(world, 'orphaned')).toSorted(), [first.location, second.location].toSorted())
      assert.deepEqual(
        (await receiptsOf(world, albumOwner, assetId)).map((row) => [row.uploadId, row.dropId !== undefined]),
        [
          [first.uploadId, true],
          [second.uploadId, true],
          [first.uploadId, false],
          [second.uploadId, false],
          [blobs[0]?.uploadId, false],
        ],
      )
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )
})

describe('deleting an asset', () => {
  it(
    'puts it into the bin, ends open uploads, orphans the objects, and keeps the id taken',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId } = await landBundle(world, albumOwner)
      const former = (await assetOf(world, albumOwner, assetId)).blobs.map(({ location }) => location)
      const open = await openBlob(world, albumOwner, bytes(40), { assetId, role: 'derivative' })
      const elsewhere = await openBlob(world, albumOwner, bytes(7))
      const guests = await openDrop(world, await newLink(world, {}, albumOwner.accountId), bytes(8))
      const deleting = world.deletingCalls()
      world.clock.advance(9)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined)
      const row = defined(await assetRow(world, assetId))
      assert.deepEqual([row.deletedAt, row.changedAt, row.drop], [world.clock.now(), world.clock.now(), undefined])
      assert.equal(await used(world, albumOwner), 15)
      assert.deepEqual((await objectsIn(world, 'orphaned')).toSorted(), former.toSorted())
      const { state, location } = await blobRow(world, open)
      assert.deepEqual(
        [state, await stateOf(world, location), world.deletingCalls() - deleting],
        ['ended', 'deleting', 1],
      )
      const unclosed = (await world.rules.uploads.list(albumOwner.accountId)).map(({ uploadId }) => uploadId)
      assert.deepEqual(unclosed.toSorted(), [elsewhere, guests].toSorted())
      for (const overrides of [{}, { role: 'metadata' } as const, { envelope: replacing(content) }]) {
        const declared = declaredFor(world, albumOwner, content, { assetId, ...overrides })
        assert.equal(await creation(world, albumOwner, declared), 'asset_id_taken')
      }
      assert.deepEqual(await world.rules.assets.remove(albumOwner.accountId, assetId), NOT_FOUND)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'fails a finishing upload as asset_id_taken and refunds its quota',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId } = await landBundle(world, albumOwner)
      const derivative = bytes(40)
      const uploadId = await openBlob(world, albumOwner, derivative, { assetId, role: 'derivative' })
      await leaveBlobFinishing(world, uploadId, derivative)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined)
      assert.deepEqual([(await blobRow(world, uploadId)).state, await used(world, albumOwner)], ['finishing', 40])
      const head = await world.store.read((tx) => tx.receipts.head())
      await world.restarted().finishing.resume()
      const refused = { refused: 'asset_id_taken', offset: 40 }
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: derivative }), refused)
      const { state, location } = await blobRow(world, uploadId)
      assert.deepEqual(
        [state, await stateOf(world, location), await used(world, albumOwner)],
        ['failed', 'deleting', 0],
      )
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head, 'no receipt is appended')
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'is refused until the instant at which the retention of its signed manifest ends',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const until = instantOf(world.clock.now() + 60_000)
      const envelope = { retention_until: formatInstant(until) }
      const [assetId, replaced] = [newAssetId(), newAssetId()]
      for (const each of [assetId, replaced]) await landBlob(world, albumOwner, content, { assetId: each, envelope })
      const { position } = await landProvenance(world, albumOwner, { assetId: replaced, original: content, envelope })
      // The new original lands before its own provenance.
      const next = bytes(3)
      const replacement = { assetId: replaced, envelope: { ...replacing(next, position), ...envelope } }
      await landBlob(world, albumOwner, next, replacement)
      await landProvenance(world, albumOwner, { assetId, original: content, envelope })
      const open = await openBlob(world, albumOwner, bytes(4), { assetId, role: 'metadata' })
      const charged = await used(world, albumOwner)
      world.clock.set(instantOf(until - 1))
      for (const each of [assetId, replaced]) {
        const answer = await world.rules.assets.remove(albumOwner.accountId, each)
        assert.deepEqual(answer, { refused: 'asset_retained' })
      }
      assert.deepEqual([(await blobRow(world, open)).state, await used(world, albumOwner)], ['open', charged])
      world.clock.set(until)
      for (const each of [assetId, replaced])
        assert.equal(await world.rules.assets.remove(albumOwner.accountId, each), undefined)
      await assertBooks(world, [albumOwner.accountId], [assetId, replaced])
      assert.equal(await used(world, albumOwner), 0)
    }),
  )

  it(
    'is possible, and so is deleting its account, while only unsigned envelopes state a retention',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const envelope = { retention_until: formatInstant(addSeconds(world.clock.now(), 86_400)) }
      for (const roles of [['original'], ['derivative', 'metadata', 'original']] as const) {
        const assetId = newAssetId()
        for (const role of roles) await landBlob(world, albumOwner, bytes(7), { assetId, role, envelope })
        assert.equal(await world.store.read((tx) => tx.assets.retainedUntil(albumOwner.accountId)), undefined)
        assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined)
      }
    }),
  )

  it(
    'leaves bytes that are removed when the grace window is over, not earlier',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const { location } = await blobRow(world, await landBlob(world, albumOwner, content, { assetId }))
      await world.rules.assets.remove(albumOwner.accountId, assetId)
      await world.rules.sweep.sweep()
      world.clock.advance(86_400)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), 100)
      world.clock.advance(1)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), undefined)
    }),
  )
})

describe('the receipts of an asset', () => {
  it(
    'are all that cover it and no others, in the order of the chain',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const drop = await newDrop(world, albumOwner, content)
      const ids: UploadId[] = [drop.uploadId]
      ids.push(await landBlob(world, albumOwner, bytes(5), { assetId, ...ofOriginal('metadata', content) }))
      await landBlob(world, albumOwner, content)
      notRefused(await adopt(world, albumOwner, drop, declaredFor(world, albumOwner, content, { assetId })))
      ids.push(drop.uploadId)
      await newDrop(world, albumOwner, content)
      const { position } = await landProvenance(world, albumOwner, { assetId, original: content })
      const rows = await receiptsOf(world, albumOwner, assetId)
      const read = rows.map(({ receiptCbor }) => readReceipt(receiptCbor))
      assert.deepEqual(
        rows.slice(0, -1).map(({ uploadId }) => uploadId),
        ids,
      )
      assert.deepEqual(
        read.map(({ blob_role, envelope_hash }) => [blob_role, envelope_hash]),
        [
          ['original', undefined],
          ['metadata', undefined],
          ['original', undefined],
          ['provenance', position],
        ],
      )
      const order = rows.map(({ receiptSeq }) => receiptSeq)
      assert.deepEqual(order, [1, 2, 4, 6])
    }),
  )
})
