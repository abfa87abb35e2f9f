import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import type { LinkRow, NewLink, PageQuestion, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, bytes, countTrue, drop, type InStore, link, opaqueId, seed, uploadId } from './world.ts'

export function describeLinks(inStore: InStore): void {
  describe('links', () => {
    describeRows(inStore)
    describeLists(inStore)
    describeClaims(inStore)
    describeTerms(inStore)
    describeRevoking(inStore)
  })
}

const find = (store: Store, number: number) => store.read((tx) => tx.links.find(opaqueId(number)))

function fresh(inserted: NewLink): LinkRow {
  return {
    ...inserted,
    revokedAt: undefined,
    spentAt: undefined,
    claimedBy: undefined,
    landedFiles: 0,
    landedBytes: 0,
    openSessions: 0,
    openBytes: 0,
    refusals: undefined,
  }
}

function describeRows(inStore: InStore): void {
  it(
    'never overwrites a link, for any account',
    inStore(async (store) => {
      await seed(store)
      const again = link(1, { accountId: accountId(2), maxFileCount: 5 })
      assert.equal(await store.write([], (tx) => tx.links.insert(again)), false)
      assert.deepEqual(await find(store, 1), fresh(link(1)))
    }),
  )
}

function describeLists(inStore: InStore): void {
  it(
    "lists an account's own links, oldest first, each with its pending drops",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.links.insert(link(5, { createdAt: at(30) }))
        await tx.links.insert(link(4, { createdAt: at(30) }))
        await tx.links.insert(link(3, { createdAt: at(20) }))
        await tx.drops.insert(drop(1))
        await tx.drops.insert(drop(2))
        await tx.drops.insert(drop(3, { opaqueId: opaqueId(4) }))
        await tx.drops.insert(drop(4, { opaqueId: opaqueId(2), accountId: accountId(2) }))
      })
      const pageOf = (number: number, from: PageQuestion) => store.read((tx) => tx.links.page(accountId(number), from))
      const first = await pageOf(1, { max: 3 })
      const second = await pageOf(1, { after: first.next, max: 1 })
      assert.equal(second.next, undefined)
      const listed = [...first.rows, ...second.rows]
      assert.deepEqual(
        listed.map((each) => [each.opaqueId, each.pending]),
        [
          [opaqueId(1), 2],
          [opaqueId(3), 0],
          [opaqueId(5), 0],
          [opaqueId(4), 1],
        ],
      )
      assert.deepEqual(listed[0], { ...fresh(link(1)), pending: 2 })
      assert.deepEqual(await pageOf(9, { max: 3 }), { rows: [], next: undefined })
    }),
  )

  it(
    'counts the links that are neither revoked nor spent nor expired',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.links.insert(link(3, { expiresAt: at(100) }))
        await tx.links.insert(link(4, { expiresAt: at(101) }))
        await tx.links.insert(link(5))
        await tx.links.revoke(opaqueId(5), accountId(1), at(1))
        await tx.links.insert(link(6, { singleUse: true }))
        await tx.links.insert(link(7, { singleUse: true }))
        await tx.links.reserve(opaqueId(7), { size: 1, at: at(1), maxOpenSessions: 1 })
        await tx.links.land([{ opaqueId: opaqueId(7), files: 1, bytes: 1 }], at(1))
      })
      const live = (seconds: number) => store.read((tx) => tx.links.countLive(accountId(1), at(seconds)))
      assert.deepEqual([await live(99), await live(100), await live(101)], [4, 3, 2])
      await store.write([], async (tx) => {
        await tx.links.reserve(opaqueId(6), { size: 1, at: at(1), maxOpenSessions: 1 })
        for (const number of [1, 2]) await tx.drops.insert(drop(number, { opaqueId: opaqueId(6) }))
      })
      const held = await store.read((tx) => tx.links.heldPlaces(accountId(1), at(100)))
      const sorted = held.toSorted((one, other) => (one.opaqueId < other.opaqueId ? -1 : 1))
      assert.deepEqual(
        sorted,
        [1, 4, 6].map((number) => ({ opaqueId: opaqueId(number), held: number === 6 ? 3 : 0 })),
      )
    }),
  )
}

function describeClaims(inStore: InStore): void {
  it(
    'grants one of several simultaneous claims of a single-use link',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.links.insert(link(3, { singleUse: true })))
      const claimed = await atOnce(store, 16, (tx, index) => tx.links.claim(opaqueId(3), uploadId(index)))
      assert.equal(countTrue(claimed), 1)
      assert.equal((await find(store, 3))?.claimedBy, uploadId(claimed.indexOf(true)))
    }),
  )

  it(
    'refuses a claim of a spent link, of a multiple-use link, and of an unknown one',
    inStore(async (store) => {
      await seed(store)
      const answers = await store.write([], async (tx) => {
        await tx.links.insert(link(3, { singleUse: true }))
        await tx.links.reserve(opaqueId(3), { size: 1, at: at(1), maxOpenSessions: 1 })
        await tx.links.claim(opaqueId(3), uploadId(1))
        await tx.links.land([{ opaqueId: opaqueId(3), files: 1, bytes: 1 }], at(1))
        return [
          await tx.links.claim(opaqueId(3), uploadId(1)),
          await tx.links.claim(opaqueId(1), uploadId(1)),
          await tx.links.claim(opaqueId(9), uploadId(1)),
        ]
      })
      assert.deepEqual(answers, [false, false, false])
    }),
  )
}

function describeTerms(inStore: InStore): void {
  it(
    'sets and removes all terms of one link, and nothing else of it',
    inStore(async (store) => {
      await seed(store)
      const terms = {
        expiresAt: at(9),
        sealedLabel: bytes(39),
        sealedTitle: bytes(40),
        maxTotalBytes: 0,
        maxFileCount: 3,
        maxFileSize: Number.MAX_SAFE_INTEGER,
      }
      await store.write([], (tx) => tx.links.setTerms(opaqueId(1), terms))
      assert.deepEqual(await find(store, 1), fresh(link(1, terms)))
      assert.deepEqual(await find(store, 2), fresh(link(2, { accountId: accountId(2) })))
      const none = { expiresAt: undefined, sealedLabel: undefined, sealedTitle: undefined, ...linkCapsOf({}) }
      await store.write([], (tx) => tx.links.setTerms(opaqueId(1), none))
      assert.deepEqual(await find(store, 1), fresh(link(1)))
    }),
  )
}

function describeRevoking(inStore: InStore): void {
  it(
    "revokes a link once, and only the account's own",
    inStore(async (store) => {
      await seed(store)
      const revoke = (number: number, seconds: number) =>
        store.write([], (tx) => tx.links.revoke(opaqueId(number), accountId(1), at(seconds)))
      assert.equal(await revoke(2, 10), false)
      assert.equal((await find(store, 2))?.revokedAt, undefined)
      assert.equal(await revoke(1, 10), true)
      assert.equal(await revoke(1, 20), false)
      assert.equal((await find(store, 1))?.revokedAt, at(10))
      assert.equal(await revoke(9, 10), false)
    }),
  )
}
