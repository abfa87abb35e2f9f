import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Instant } from '@blindkeep/protocol/ids'
import {
  accountId,
  adoptedDrop,
  album,
  albumId,
  asset,
  assetBlob,
  assetId,
  at,
  binnedDrop,
  bytes,
  drop,
  dropId,
  type InStore,
  link,
  opaqueId,
  seedWithAlbums,
} from './world.ts'

export function describeBin(inStore: InStore): void {
  describe('the bin', () => {
    it(
      'gives back the rows of a drop and of an asset as they were, each to its account',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const whole = { ...asset(5), createdAt: at(1), changedAt: at(2), deletedAt: undefined, drop: adoptedDrop(7) }
        const ofDrop = binnedDrop(1, { removed: { drop: drop(1, { suggestedFilename: 'ü' }) } })
        const blobs = [assetBlob(2), assetBlob(3, { retainedUntil: at(9) })]
        const ofAsset = binnedDrop(2, { entryId: assetId(5), removed: { asset: whole, blobs } })
        await store.write([], async (tx) => {
          assert.equal(await tx.bin.insert(ofDrop), true)
          assert.equal(await tx.bin.insert(ofAsset), true)
          assert.equal(await tx.bin.insert(binnedDrop(1, { size: 7 })), false)
          assert.equal(await tx.bin.insert(binnedDrop(1, { accountId: accountId(2), size: 7 })), true)
        })
        const found = await store.read((tx) => tx.bin.page(accountId(1), { max: 9 }))
        assert.deepEqual(JSON.parse(JSON.stringify(found.rows)), JSON.parse(JSON.stringify([ofDrop, ofAsset])))
        assert.deepEqual(found.rows[0]?.removed.drop?.kemCt, drop(1).kemCt)
        assert.deepEqual(found.rows[1]?.removed.asset?.drop?.kemCt, adoptedDrop(7).kemCt)
        const bytesOf = (account: number) => store.read((tx) => tx.bin.bytesOf(accountId(account)))
        assert.deepEqual([await bytesOf(1), await bytesOf(2), await bytesOf(9)], [200, 7, 0])
        assert.equal(await store.read((tx) => tx.bin.find(accountId(2), assetId(5))), undefined)
      }),
    )

    it(
      'ends the oldest entries of an account up to an instant, and names the accounts that have some',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          for (const number of [3, 1, 2]) await tx.bin.insert(binnedDrop(number))
          await tx.bin.insert(binnedDrop(1, { accountId: accountId(2) }))
        })
        const due = (until: Instant) => store.read((tx) => tx.bin.accountsWith(until, 9))
        assert.deepEqual((await due(at(2))).toSorted(), [accountId(1), accountId(2)])
        const ended = await store.write([], async (tx) => [
          await tx.bin.removeUntil(accountId(1), at(2), 1),
          await tx.bin.removeUntil(accountId(1), at(2), 9),
          await tx.bin.removeUntil(accountId(1), at(2), 9),
        ])
        assert.deepEqual(
          ended.map((entries) => entries.map(({ entryId }) => entryId)),
          [[dropId(1)], [dropId(2)], []],
        )
        const one = await store.write([], (tx) => tx.bin.remove(accountId(1), dropId(3)))
        assert.deepEqual(one, { entryId: dropId(3), size: 100, albumId: undefined })
        assert.equal(await store.write([], (tx) => tx.bin.remove(accountId(1), dropId(3))), undefined)
        assert.deepEqual(await due(at(9)), [accountId(2)])
      }),
    )

    it(
      'keeps the name of a deleted album, and its link in the list, as long as it has one of their files',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const whole = { ...asset(1, { albumId: albumId(3) }), createdAt: at(1), changedAt: at(2), deletedAt: undefined }
        await store.write([], async (tx) => {
          await tx.albums.insert(album(3, { sealedName: bytes(9) }))
          await tx.links.insert(link(3))
          await tx.links.revoke(opaqueId(3), accountId(1), at(5))
          const removed = { asset: { ...whole, drop: undefined }, blobs: [assetBlob(2)] }
          await tx.bin.insert(binnedDrop(1, { entryId: assetId(1), removed }))
          await tx.bin.insert(binnedDrop(2, { removed: { drop: drop(2, { opaqueId: opaqueId(3) }) } }))
          await tx.albums.end(albumId(3), at(6))
          await tx.albums.forgetName(albumId(3))
        })
        const bury = () => store.write([], (tx) => tx.links.bury(accountId(1), at(9), 9))
        assert.equal(await bury(), 0)
        await store.write([], (tx) => tx.bin.remove(accountId(1), dropId(2)))
        assert.equal(await bury(), 1)
        const revived = () =>
          store.write([], async (tx) => {
            await tx.albums.revive(albumId(3))
            const found = await tx.albums.find(albumId(3))
            await tx.albums.end(albumId(3), at(6))
            return found?.sealedName
          })
        assert.deepEqual(await revived(), bytes(9))
        await store.write([], async (tx) => {
          await tx.bin.remove(accountId(1), assetId(1))
          await tx.albums.forgetName(albumId(3))
        })
        assert.equal(await revived(), undefined)
      }),
    )
  })
}
