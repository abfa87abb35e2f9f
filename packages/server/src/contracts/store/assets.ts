import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Asset, NewAsset, Store, WriteTx } from '../../ports/store.ts'
import { describeAssetBlobs } from './assetBlobs.ts'
import {
  accountId,
  adoptedDrop,
  albumId,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  atOnce,
  countTrue,
  type InStore,
  seedWithAlbums,
  uploadId,
} from './world.ts'

export function describeAssets(inStore: InStore): void {
  describe('assets', () => {
    describeReservations(inStore)
    describeGivingUp(inStore)
    describeTombstones(inStore)
    describeAssetBlobs(inStore)
  })
}

const find = (store: Store, number: number) => store.read((tx) => tx.assets.find(assetId(number)))
const reserve = (store: Store, given: NewAsset) => store.write([], (tx) => tx.assets.reserve(given))

function reserved(number: number, given: Partial<Asset> = {}): Asset {
  const none = { drop: undefined, createdAt: undefined, changedAt: undefined, deletedAt: undefined }
  return { ...asset(number), ...none, ...given }
}

function describeReservations(inStore: InStore): void {
  it(
    'never reserves an id twice for any account, and for one of 64 simultaneous requests',
    inStore(async (store) => {
      await seedWithAlbums(store)
      const owner = (index: number) => ({ accountId: accountId(1 + (index % 2)), albumId: albumId(1 + (index % 2)) })
      const answers = await atOnce(store, 64, (tx, index) => tx.assets.reserve(asset(1, owner(index))))
      assert.equal(countTrue(answers), 1)
      const winner = reserved(1, owner(answers.indexOf(true)))
      assert.deepEqual(await find(store, 1), winner)
      for (const index of [0, 1]) assert.equal(await reserve(store, asset(1, owner(index))), false)
      assert.deepEqual(await find(store, 1), winner)
    }),
  )
}

function describeGivingUp(inStore: InStore): void {
  const kept: readonly { readonly what: string; readonly make: (tx: WriteTx) => Promise<unknown> }[] = [
    { what: 'an open session', make: (tx) => tx.uploads.insert(assetUpload(1)) },
    {
      what: 'a session that is finishing',
      async make(tx) {
        await tx.uploads.insert(assetUpload(1))
        await tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(5) })
      },
    },
    { what: 'a blob', make: (tx) => tx.assets.addBlob(assetBlob(1)) },
    { what: 'a blob that landed once', make: (tx) => tx.assets.touch(assetId(1), at(5)) },
    {
      what: 'a tombstone',
      async make(tx) {
        await tx.assets.touch(assetId(1), at(5))
        await tx.assets.bury(assetId(1), at(6))
      },
    },
  ]
  for (const { what, make } of kept) {
    it(
      `keeps a reservation with ${what}`,
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          await tx.assets.reserve(asset(1))
          await make(tx)
          await tx.assets.giveUp(assetId(1))
        })
        assert.notEqual(await find(store, 1), undefined)
        assert.equal(await reserve(store, asset(1)), false)
      }),
    )
  }
}

function describeTombstones(inStore: InStore): void {
  async function bury(store: Store): Promise<void> {
    await seedWithAlbums(store)
    await store.write([], async (tx) => {
      await tx.assets.reserve(asset(1))
      await tx.assets.setDrop(assetId(1), adoptedDrop(5))
      await tx.assets.touch(assetId(1), at(5))
      await tx.assets.bury(assetId(1), at(9))
    })
  }

  it(
    'keeps a tombstone of a buried asset, without its drop',
    inStore(async (store) => {
      await bury(store)
      const tombstone = reserved(1, { createdAt: at(5), changedAt: at(9), deletedAt: at(9) })
      assert.deepEqual(await find(store, 1), tombstone)
    }),
  )

  it(
    'never reserves the id of a buried asset again',
    inStore(async (store) => {
      await bury(store)
      assert.equal(await reserve(store, asset(1)), false)
      assert.equal(await reserve(store, asset(1, { accountId: accountId(2), albumId: albumId(2) })), false)
    }),
  )

  it(
    'refuses changes and blobs of a buried asset',
    inStore(async (store) => {
      await bury(store)
      const before = await find(store, 1)
      await assert.rejects(store.write([], (tx) => tx.assets.touch(assetId(1), at(10))))
      await assert.rejects(store.write([], (tx) => tx.assets.setDrop(assetId(1), adoptedDrop(6))))
      await assert.rejects(store.write([], (tx) => tx.assets.addBlob(assetBlob(1))))
      await assert.rejects(store.write([], (tx) => tx.assets.bury(assetId(1), at(10))))
      assert.deepEqual(await find(store, 1), before)
      assert.deepEqual(await store.read((tx) => tx.assets.blobsOf(assetId(1))), [])
    }),
  )

  it(
    'refuses to bury an asset that has a blob, never had one, or does not exist',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.assets.reserve(asset(1))
        await tx.assets.addBlob(assetBlob(1))
        await tx.assets.touch(assetId(1), at(5))
        await tx.assets.reserve(asset(2))
      })
      for (const number of [1, 2, 9]) {
        await assert.rejects(store.write([], (tx) => tx.assets.bury(assetId(number), at(9))))
      }
      assert.equal((await find(store, 1))?.deletedAt, undefined)
      await store.write([], async (tx) => {
        await tx.assets.removeBlob(assetBlob(1).location)
        await tx.assets.bury(assetId(1), at(9))
      })
      assert.equal((await find(store, 1))?.deletedAt, at(9))
    }),
  )
}
