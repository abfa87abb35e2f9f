import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, PageQuestion, Place, ReadTx, WriteTx } from '../../ports/store.ts'
import { capability, jti } from './discovery.ts'
import { share } from './shares.ts'
import {
  accountId,
  album,
  albumId,
  assetUpload,
  at,
  device,
  deviceId,
  drop,
  dropId,
  type InStore,
  link,
  opaqueId,
  seedWithAlbums,
  uploadId,
} from './world.ts'

interface List {
  readonly insert: (tx: WriteTx, number: number, account: number) => Promise<unknown>
  readonly page: (tx: ReadTx, question: PageQuestion) => Promise<Page<object>>
  /** Of the first account. */
  readonly placeOf: (tx: ReadTx, number: number) => Promise<Place | undefined>
  /** The member that has the id, and the id of a number. */
  readonly id: readonly [name: string, of: (number: number) => string]
  /** Takes an entry out of the list; its row stays. */
  readonly leave?: (tx: WriteTx, number: number) => Promise<unknown>
}

/** Entries 10, 11, 12 of one moment and 13 a second later. */
const createdAt = (number: number) => at(number === 13 ? 2 : 1)
const owner = accountId(1)
const live = { albumId: albumId(1), at: at(5) }

const LISTS: Readonly<Record<string, List>> = {
  links: {
    insert: (tx, number, account) =>
      tx.links.insert(link(number, { createdAt: createdAt(number), accountId: accountId(account), expiresAt: at(3) })),
    page: (tx, question) => tx.links.page(owner, question),
    placeOf: (tx, number) => tx.links.placeOf(owner, opaqueId(number)),
    id: ['opaqueId', opaqueId],
  },
  devices: {
    insert: (tx, number, account) =>
      tx.devices.insert(device(number, { createdAt: createdAt(number), accountId: accountId(account) })),
    page: (tx, question) => tx.devices.page(owner, question),
    placeOf: (tx, number) => tx.devices.placeOf(owner, deviceId(number)),
    id: ['deviceId', deviceId],
  },
  albums: {
    insert: (tx, number, account) =>
      tx.albums.insert(album(number, { createdAt: createdAt(number), accountId: accountId(account) })),
    page: (tx, question) => tx.albums.page(owner, question),
    placeOf: (tx, number) => tx.albums.placeOf(owner, albumId(number)),
    id: ['albumId', albumId],
    leave: (tx, number) => tx.albums.end(albumId(number), at(4)),
  },
  shares: {
    insert: (tx, number, account) =>
      tx.shares.insert(share(number, { createdAt: createdAt(number), accountId: accountId(account) })),
    page: (tx, question) => tx.shares.page(owner, question),
    placeOf: (tx, number) => tx.shares.placeOf(owner, opaqueId(number)),
    id: ['opaqueId', opaqueId],
    leave: (tx, number) => tx.shares.end(opaqueId(number), owner, at(4)),
  },
  capabilities: {
    insert: (tx, number, account) =>
      tx.capabilities.insert(capability(number, { accountId: accountId(account), albumId: albumId(account) })),
    page: (tx, question) => tx.capabilities.page(live, question),
    placeOf: (tx, number) => tx.capabilities.placeOf(live, jti(number)),
    id: ['jti', jti],
    leave: (tx, number) => tx.capabilities.revoke(jti(number), albumId(1), at(4)),
  },
  uploads: {
    insert: (tx, number, account) =>
      tx.uploads.insert(assetUpload(number, { createdAt: createdAt(number), accountId: accountId(account) })),
    page: (tx, question) => tx.uploads.page(owner, question),
    placeOf: (tx, number) => tx.uploads.placeOf(owner, uploadId(number)),
    id: ['uploadId', uploadId],
    leave: (tx, number) =>
      tx.uploads.move(uploadId(number), { from: 'open', to: 'ended', at: at(4), receivedBytes: 0 }),
  },
  drops: {
    insert: (tx, number, account) =>
      tx.drops.insert(
        drop(number, {
          receivedAt: createdAt(number),
          accountId: accountId(account),
          opaqueId: opaqueId(account),
        }),
      ),
    page: (tx, question) => tx.drops.page(owner, question),
    placeOf: (tx, number) => tx.drops.placeOf(owner, dropId(number)),
    id: ['dropId', dropId],
  },
}

export function describePages(inStore: InStore): void {
  describe('lists in pages', () => {
    for (const [noun, { insert, page, placeOf, id, leave }] of Object.entries(LISTS))
      it(
        `have each entry once in both orders, and keep the place of one that leaves, for ${noun}`,
        inStore(async (store) => {
          await seedWithAlbums(store)
          const [name, idOf] = id
          const read = async (question: PageQuestion) => {
            const { rows, next } = await store.ask((tx) => page(tx, question))
            return { ids: rows.map((row) => String(Reflect.get(row, name))), next }
          }
          const before = (await read({ max: 9 })).ids
          await store.write([], async (tx) => {
            for (const number of [10, 11, 12, 13]) await insert(tx, number, 1)
            await insert(tx, 14, 2)
          })
          const { ids, next } = await read({ max: 9 })
          assert.equal(next, undefined)
          assert.deepEqual(
            ids.filter((each) => !before.includes(each)),
            [10, 11, 12, 13].map(idOf),
          )
          for (const [order, whole] of [
            ['oldest', ids],
            ['newest', ids.toReversed()],
          ] as const) {
            const listed: string[] = []
            let after: Place | undefined
            do {
              const found = await read({ after, max: 2, order })
              assert.ok(found.ids.length <= 2)
              listed.push(...found.ids)
              after = found.next
            } while (after !== undefined)
            assert.deepEqual(listed, whole, order)
          }
          const place = await store.ask((tx) => placeOf(tx, 11))
          if (leave !== undefined) await store.write([], (tx) => leave(tx, 11))
          assert.deepEqual(await store.ask((tx) => placeOf(tx, 11)), place)
          const rest = ids.slice(ids.indexOf(idOf(11)) + 1)
          assert.deepEqual((await read({ after: place, max: 9 })).ids, rest)
          for (const number of [14, 15]) assert.equal(await store.ask((tx) => placeOf(tx, number)), undefined)
        }),
      )
  })
}
