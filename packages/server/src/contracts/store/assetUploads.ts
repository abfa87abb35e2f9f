import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Place, Store, Upload, UploadState, WriteTx } from '../../ports/store.ts'
import {
  accountId,
  albumId,
  assetId,
  assetUpload,
  at,
  envelope,
  hash,
  type InStore,
  opaqueId,
  seedWithAlbums,
  upload,
  uploadId,
} from './world.ts'

/** What applies to owners' sessions only. */
export function describeAssetUploads(inStore: InStore): void {
  describe("owners' upload sessions", () => {
    describeRows(inStore)
    describeLists(inStore)
    describeCompany(inStore)
  })
}

const find = (store: Store, number: number) => store.read((tx) => tx.uploads.find(uploadId(number)))
const ids = (uploads: readonly Pick<Upload, 'uploadId'>[]) => uploads.map((each) => each.uploadId)
const foreign = { accountId: accountId(2), albumId: albumId(2) }

async function move(tx: WriteTx, number: number, to: UploadState): Promise<void> {
  const failure = to === 'failed' ? 'manifest_mismatch' : undefined
  assert.ok(await tx.uploads.move(uploadId(number), { from: 'open', to, at: at(5), failure }))
}

function describeRows(inStore: InStore): void {
  it(
    'can be declared again while it is open, unless it is a guest’s',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(assetUpload(1))
        await tx.uploads.insert(upload(2))
      })
      const anew = { contentType: 'image/png', envelope: envelope(7), declarationHash: hash(8) }
      const redeclare = (number: number) => store.write([], (tx) => tx.uploads.redeclare(uploadId(number), anew))
      await redeclare(1)
      const { contentType, envelope: declared, declarationHash } = { ...assetUpload(1), ...(await find(store, 1)) }
      assert.deepEqual({ contentType, envelope: declared, declarationHash }, anew)
      await assert.rejects(redeclare(2))
      await assert.rejects(redeclare(3))
      await store.write([], (tx) => move(tx, 1, 'finishing'))
      await assert.rejects(redeclare(1))
    }),
  )
}

function describeLists(inStore: InStore): void {
  it(
    'are listed by asset, open or finishing, oldest first',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(assetUpload(9, { createdAt: at(20) }))
        await tx.uploads.insert(assetUpload(8, { createdAt: at(10) }))
        await tx.uploads.insert(assetUpload(7, { createdAt: at(30) }))
        await move(tx, 7, 'finishing')
        for (const [index, state] of (['landed', 'failed', 'ended'] as const).entries()) {
          await tx.uploads.insert(assetUpload(index, { createdAt: at(15) }))
          await move(tx, index, state)
        }
        await tx.uploads.insert(assetUpload(4, { assetId: assetId(2) }))
        await tx.uploads.insert(upload(5))
      })
      const listed = await store.read((tx) => tx.uploads.unclosedOfAsset(assetId(1)))
      assert.deepEqual(ids(listed), [uploadId(8), uploadId(9), uploadId(7)])
      assert.deepEqual(listed[1], await find(store, 9))
      assert.deepEqual(ids(await store.read((tx) => tx.uploads.unclosedOfAsset(assetId(2)))), [uploadId(4)])
      assert.deepEqual(await store.read((tx) => tx.uploads.unclosedOfAsset(assetId(3))), [])
    }),
  )

  it(
    "are listed by account until they close, guests' included, oldest first",
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(9, { createdAt: at(20) }))
        await tx.uploads.insert(assetUpload(8, { createdAt: at(30) }))
        await tx.uploads.insert(assetUpload(7, { createdAt: at(10), assetId: assetId(2) }))
        await move(tx, 7, 'finishing')
        for (const [index, state] of (['landed', 'failed', 'ended'] as const).entries()) {
          await tx.uploads.insert(index === 1 ? upload(index) : assetUpload(index))
          await move(tx, index, state)
        }
        await tx.uploads.insert(assetUpload(4, { ...foreign, assetId: assetId(3) }))
        await tx.uploads.insert(upload(5, { accountId: accountId(2), opaqueId: opaqueId(2), createdAt: at(1) }))
      })
      const open = (number: number, max = 9) => store.read((tx) => tx.uploads.openOfAccount(accountId(number), max))
      assert.deepEqual(await open(1), [await find(store, 9), await find(store, 8)])
      assert.deepEqual(ids(await open(1, 1)), [uploadId(9)])
      assert.deepEqual(ids(await open(2)), [uploadId(4), uploadId(5)])
      assert.deepEqual(await open(3), [])
      const finishing = (number: number) => store.read((tx) => tx.uploads.finishingOfAccount(accountId(number)))
      assert.deepEqual(await finishing(1), [await find(store, 7)])
      assert.deepEqual(await finishing(2), [])
      const page = (after: Place | undefined, max: number) =>
        store.read((tx) => tx.uploads.page(accountId(1), { after, max }))
      const first = await page(undefined, 2)
      const second = await page(first.next, 2)
      assert.deepEqual(
        [...first.rows, ...second.rows].map((each) => [each.uploadId, each.assetId, each.state]),
        [
          [uploadId(7), assetId(2), 'finishing'],
          [uploadId(9), undefined, 'open'],
          [uploadId(8), assetId(1), 'open'],
        ],
      )
      assert.deepEqual([first.rows.length, second.next], [2, undefined])
      assert.equal((await page(undefined, 3)).next, undefined)
    }),
  )

  it(
    "are counted by account while open or finishing, with guests' and without them",
    inStore(async (store) => {
      await seedWithAlbums(store)
      const count = (number: number) =>
        store.read(async (tx) => [
          (await tx.uploads.countLanding(accountId(number))).unclosed,
          await tx.uploads.countUnclosedOwn(accountId(number)),
        ])
      assert.deepEqual(await count(1), [0, 0])
      await store.write([], async (tx) => {
        for (const [index, state] of (['finishing', 'landed', 'failed', 'ended'] as const).entries()) {
          await tx.uploads.insert(assetUpload(index))
          await move(tx, index, state)
        }
        await tx.uploads.insert(assetUpload(5))
        await tx.uploads.insert(upload(6))
        await tx.uploads.insert(assetUpload(7, foreign))
      })
      assert.deepEqual(
        [await count(1), await count(2)],
        [
          [3, 2],
          [1, 1],
        ],
      )
    }),
  )
}

function describeCompany(inStore: InStore): void {
  it(
    'are found with the guests’ sessions in general, and not by link',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(assetUpload(1))
        await tx.uploads.insert(upload(2, { size: 7 }))
        await tx.uploads.insert(assetUpload(3))
        await move(tx, 3, 'finishing')
      })
      await store.read(async (tx) => {
        assert.deepEqual(ids(await tx.uploads.openOf(opaqueId(1))), [uploadId(2)])
        assert.deepEqual(await tx.uploads.finishing({ by: 'one process', at: at(9) }), [uploadId(3)])
        const given = { accountId: accountId(1), activeSince: at(0), accountBytesMax: 1000 }
        assert.equal((await tx.uploads.claims(given)).ownBytes, 107)
        const limits = { noChunkBefore: at(1), idleBefore: at(0), createdBefore: at(0), max: 9 }
        const expired = await tx.uploads.expired(limits)
        assert.deepEqual(ids(expired).toSorted(), [uploadId(1), uploadId(2)])
        assert.deepEqual(expired.find((each) => each.uploadId === uploadId(1))?.assetId, assetId(1))
      })
    }),
  )
}
