import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '../../ports/store.ts'
import { accountId, album, albumId, at, atOnce, bytes, countTrue, type InStore, seed } from './world.ts'

const find = (store: Store, number: number) => store.read((tx) => tx.albums.find(albumId(number)))

export function describeAlbums(inStore: InStore): void {
  describe('albums', () => {
    it(
      'never overwrites an album for any account, and inserts one of several simultaneous ones',
      inStore(async (store) => {
        await seed(store)
        const inserted = await atOnce(store, 16, (tx, index) =>
          tx.albums.insert(album(1, { sealedName: bytes(9, index) })),
        )
        assert.equal(countTrue(inserted), 1)
        const again = album(1, { accountId: accountId(2) })
        assert.equal(await store.write([], (tx) => tx.albums.insert(again)), false)
        assert.deepEqual(await find(store, 1), album(1, { sealedName: bytes(9, inserted.indexOf(true)) }))
      }),
    )

    it(
      "replaces and removes the name of the account's own album",
      inStore(async (store) => {
        await seed(store)
        await store.write([], (tx) => tx.albums.insert(album(1, { sealedName: bytes(9) })))
        const setName = (number: number, account: number, name: Uint8Array | undefined) =>
          store.write([], (tx) => tx.albums.setName(albumId(number), accountId(account), name))
        for (const sealedName of [bytes(30), bytes(30), undefined, bytes(31)]) {
          assert.equal(await setName(1, 1, sealedName), true)
          assert.deepEqual(await find(store, 1), album(1, { sealedName }))
        }
        assert.deepEqual([await setName(1, 2, bytes(32)), await setName(9, 1, bytes(32))], [false, false])
        assert.deepEqual(await find(store, 1), album(1, { sealedName: bytes(31) }))
      }),
    )

    it(
      "lists and counts an account's own albums, oldest first",
      inStore(async (store) => {
        await seed(store)
        await store.write([], async (tx) => {
          await tx.albums.insert(album(5, { createdAt: at(30) }))
          await tx.albums.insert(album(4, { createdAt: at(30) }))
          await tx.albums.insert(album(3, { createdAt: at(20) }))
          await tx.albums.insert(album(6, { accountId: accountId(2) }))
        })
        const { rows: listed } = await store.read((tx) => tx.albums.page(accountId(1), { max: 10 }))
        assert.deepEqual(
          listed.map((each) => each.albumId),
          [albumId(3), albumId(5), albumId(4)],
        )
        const count = (number: number) => store.read((tx) => tx.albums.count(accountId(number)))
        assert.deepEqual([await count(1), await count(2), await count(9)], [3, 1, 0])
      }),
    )
  })
}
