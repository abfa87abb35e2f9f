import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { NewShare, Share, ShareVisits, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, bytes, countTrue, hash, type InStore, opaqueId, seed } from './world.ts'

export function share(number: number, given: Partial<NewShare> = {}): NewShare {
  return {
    opaqueId: opaqueId(number),
    accountId: accountId(1),
    sealedIndex: bytes(90, number),
    blobHashes: [hash(number)],
    createdAt: at(number),
    expiresAt: undefined,
    sealedName: undefined,
    sealedRecord: undefined,
    verifierHash: undefined,
    ...given,
  }
}

export function visits(given: Partial<ShareVisits> = {}): ShareVisits {
  return {
    opened: 3,
    downloaded: 2,
    lastAt: at(7),
    maxDownloads: 5,
    openers: bytes(48),
    downloaders: bytes(32),
    ...given,
  }
}

export function describeShares(inStore: InStore): void {
  describe('shares', () => {
    describeRows(inStore)
    describeNotes(inStore)
    describeNaming(inStore)
    describeContents(inStore)
    describeVisits(inStore)
    describeEnding(inStore)
  })
}

const insert = (store: Store, ...shares: readonly NewShare[]) =>
  store.write([], async (tx) => {
    const answers: boolean[] = []
    for (const each of shares) answers.push(await tx.shares.insert(each))
    return answers
  })
const find = (store: Store, number: number) => store.read((tx) => tx.shares.find(opaqueId(number)))
const contentsOf = (store: Store, number: number) => store.read((tx) => tx.shares.contentsOf(opaqueId(number)))
const listed = async (store: Store, account = 1) => {
  const ids = (await store.read((tx) => tx.shares.page(accountId(account), { max: 10 }))).rows.map(
    (each) => each.opaqueId,
  )
  assert.equal(await store.read((tx) => tx.shares.count(accountId(account))), ids.length)
  return ids
}

function rowOf({ sealedIndex: _, blobHashes: __, sealedName: ___, sealedRecord: ____, ...row }: NewShare): Share {
  return { ...row, endedAt: undefined }
}

function describeContents(inStore: InStore): void {
  it(
    'replaces what a share shows, and the record of it, and nothing else of it, until it ends',
    inStore(async (store) => {
      await seed(store)
      await insert(store, share(3, { sealedName: bytes(20), sealedRecord: bytes(21) }), share(4))
      const change = (number: number, blobHashes: readonly Sha256Hex[]) =>
        store.write([], (tx) =>
          tx.shares.setContents(opaqueId(number), { sealedIndex: bytes(70), blobHashes, sealedRecord: bytes(22) }),
        )
      const before = await find(store, 3)
      await change(3, [hash(8), hash(9)])
      const names = (number: number) => store.read((tx) => tx.shares.names(opaqueId(3), hash(number)))
      assert.deepEqual([await names(3), await names(8), await names(9)], [false, true, true])
      assert.deepEqual(await contentsOf(store, 3), { sealedIndex: bytes(70), blobHashes: [hash(8), hash(9)] })
      assert.deepEqual(await find(store, 3), before)
      const notesOf = (number: number) => store.read((tx) => tx.shares.notesOf(opaqueId(number)))
      assert.deepEqual(await notesOf(3), { sealedName: bytes(20), sealedRecord: bytes(22) })
      await change(4, [])
      assert.deepEqual((await contentsOf(store, 4))?.blobHashes, [])
      assert.deepEqual(await notesOf(4), { sealedName: undefined, sealedRecord: bytes(22) })
      assert.equal(await store.read((tx) => tx.shares.bytesOf(accountId(1))), 70 + 64 + 70)
      await store.write([], (tx) => tx.shares.end(opaqueId(3), accountId(1), at(9)))
      await assert.rejects(change(3, []), /has ended/)
      assert.equal(await contentsOf(store, 3), undefined)
    }),
  )
}

function describeVisits(inStore: InStore): void {
  it(
    'counts the visits of a share from its beginning to its end, and shows the counts in the list',
    inStore(async (store) => {
      await seed(store)
      await insert(store, share(1, { maxDownloads: 5 }), share(2))
      const visitsOf = (number: number) => store.read((tx) => tx.shares.visitsOf(opaqueId(number)))
      const none = { opened: 0, downloaded: 0, lastAt: undefined, openers: undefined, downloaders: undefined }
      assert.deepEqual(await visitsOf(1), { ...none, maxDownloads: 5 })
      assert.deepEqual(await visitsOf(2), { ...none, maxDownloads: undefined })
      const set = (number: number, value = visits()) =>
        store.write([], (tx) => tx.shares.setVisits(opaqueId(number), value))
      await set(2)
      assert.deepEqual(await visitsOf(2), visits())
      const { rows } = await store.read((tx) => tx.shares.page(accountId(1), { max: 10 }))
      assert.deepEqual(
        rows.map(({ opened, downloaded, lastAt, maxDownloads }) => [opened, downloaded, lastAt, maxDownloads]),
        [
          [0, 0, undefined, 5],
          [3, 2, at(7), 5],
        ],
      )
      await set(2, visits({ maxDownloads: undefined, lastAt: undefined }))
      assert.deepEqual(await visitsOf(2), visits({ maxDownloads: undefined, lastAt: undefined }))
      await store.write([], (tx) => tx.shares.end(opaqueId(2), accountId(1), at(9)))
      assert.equal(await visitsOf(2), undefined)
      await assert.rejects(set(2), /has ended/)
    }),
  )
}

function describeRows(inStore: InStore): void {
  it(
    'accepts a hash twice, and names only its own hashes',
    inStore(async (store) => {
      await seed(store)
      await insert(store, share(3, { blobHashes: [hash(1), hash(2), hash(1)] }), share(4, { blobHashes: [hash(3)] }))
      const names = (number: number) => store.read((tx) => tx.shares.names(opaqueId(3), hash(number)))
      assert.deepEqual([await names(1), await names(2), await names(3)], [true, true, false])
      assert.deepEqual((await contentsOf(store, 3))?.blobHashes, [hash(1), hash(2), hash(1)])
    }),
  )

  it(
    'does not name a hash that is only in the middle of two',
    inStore(async (store) => {
      await seed(store)
      const halves = [hash(1), hash(2)]
      await insert(store, share(3, { blobHashes: halves }))
      const across = parseSha256Hex(halves.join('').slice(32, 96))
      assert.ok(across !== undefined)
      assert.equal(await store.read((tx) => tx.shares.names(opaqueId(3), across)), false)
    }),
  )

  it(
    'gives an id to one of several simultaneous shares, and never overwrites',
    inStore(async (store) => {
      await seed(store)
      const taken = await atOnce(store, 16, (tx, index) => tx.shares.insert(share(3, { createdAt: at(index) })))
      assert.equal(countTrue(taken), 1)
      const first = await find(store, 3)
      assert.deepEqual(await insert(store, share(3, { accountId: accountId(2), blobHashes: [hash(8)] })), [false])
      assert.deepEqual(await find(store, 3), first)
      assert.deepEqual((await contentsOf(store, 3))?.blobHashes, [hash(3)])
    }),
  )

  it(
    "lists and counts an account's own shares, oldest first",
    inStore(async (store) => {
      await seed(store)
      const times = [
        [5, 30],
        [4, 30],
        [3, 20],
      ] as const
      await insert(store, ...times.map(([number, seconds]) => share(number, { createdAt: at(seconds) })))
      await insert(store, share(6, { accountId: accountId(2), expiresAt: at(1) }))
      assert.deepEqual(await listed(store), [opaqueId(3), opaqueId(5), opaqueId(4)])
      assert.deepEqual(await listed(store, 2), [opaqueId(6)])
    }),
  )
}

function describeNotes(inStore: InStore): void {
  const none = { sealedName: undefined, sealedRecord: undefined }
  const notesOf = (store: Store, number: number) => store.read((tx) => tx.shares.notesOf(opaqueId(number)))

  it(
    'returns the notes of a share with it in the list and alone, and none after its end',
    inStore(async (store) => {
      await seed(store)
      const all = [
        none,
        { sealedName: bytes(20), sealedRecord: undefined },
        { sealedName: undefined, sealedRecord: bytes(21) },
        { sealedName: bytes(22), sealedRecord: bytes(23) },
      ]
      await insert(store, ...all.map((notes, index) => share(3 + index, notes)))
      const listedNotes = async () =>
        (await store.read((tx) => tx.shares.page(accountId(1), { max: 10 }))).rows.map(
          ({ sealedName, sealedRecord }) => ({
            sealedName,
            sealedRecord,
          }),
        )
      assert.deepEqual(await listedNotes(), all)
      for (const [index, notes] of all.entries()) assert.deepEqual(await notesOf(store, 3 + index), notes)
      assert.deepEqual(await insert(store, share(6, { sealedName: bytes(30) })), [false])
      assert.deepEqual(await notesOf(store, 6), all[3])
      await store.write([], (tx) => tx.shares.end(opaqueId(6), accountId(1), at(20)))
      assert.deepEqual([await notesOf(store, 6), await notesOf(store, 99)], [none, none])
      assert.deepEqual(await listedNotes(), all.slice(0, 3))
    }),
  )
}

function describeNaming(inStore: InStore): void {
  it(
    'replaces and removes the name of its own share, also of one without notes, and of none that has ended',
    inStore(async (store) => {
      await seed(store)
      await insert(store, share(3, { sealedRecord: bytes(21), verifierHash: bytes(32) }), share(4))
      const setName = (number: number, account: number, name: Uint8Array | undefined) =>
        store.write([], (tx) => tx.shares.setName(opaqueId(number), accountId(account), name))
      const notesOf = (number: number) => store.read((tx) => tx.shares.notesOf(opaqueId(number)))
      for (const name of [bytes(30), bytes(31), undefined, bytes(32)]) {
        assert.deepEqual([await setName(3, 1, name), await setName(4, 1, name)], [true, true])
        assert.deepEqual(await notesOf(3), { sealedName: name, sealedRecord: bytes(21) })
        assert.deepEqual(await notesOf(4), { sealedName: name, sealedRecord: undefined })
      }
      assert.deepEqual([await setName(3, 2, bytes(33)), await setName(9, 1, bytes(33))], [false, false])
      assert.deepEqual((await notesOf(3)).sealedName, bytes(32))
      assert.deepEqual((await find(store, 3))?.verifierHash, bytes(32), 'a name opens no share')
      await store.write([], (tx) => tx.shares.end(opaqueId(3), accountId(1), at(20)))
      assert.equal(await setName(3, 1, bytes(33)), false)
      assert.deepEqual(await notesOf(3), { sealedName: undefined, sealedRecord: undefined })
    }),
  )
}

function describeEnding(inStore: InStore): void {
  it(
    "ends only the account's own share, removes its contents, and keeps its id",
    inStore(async (store) => {
      await seed(store)
      await insert(store, share(3, { verifierHash: bytes(32) }), share(4))
      const end = (number: number, account: number, seconds: number) =>
        store.write([], (tx) => tx.shares.end(opaqueId(number), accountId(account), at(seconds)))
      await end(3, 2, 10)
      await end(9, 1, 10)
      assert.deepEqual(await listed(store), [opaqueId(3), opaqueId(4)])
      await end(3, 1, 20)
      await end(3, 1, 30)
      assert.deepEqual(await find(store, 3), { ...rowOf(share(3)), endedAt: at(20) })
      assert.equal(await contentsOf(store, 3), undefined)
      assert.equal(await store.read((tx) => tx.shares.names(opaqueId(3), hash(3))), false)
      assert.deepEqual(await listed(store), [opaqueId(4)])
      assert.deepEqual(await insert(store, share(3, { accountId: accountId(2) })), [false])
      assert.notEqual(await contentsOf(store, 4), undefined)
    }),
  )

  it(
    'ends shares that expired before an instant, and all of an account, some at a time',
    inStore(async (store) => {
      await seed(store)
      await insert(
        store,
        ...[50, 20, 40, 30].map((seconds, index) => share(3 + index, { expiresAt: at(seconds) })),
        share(7),
        share(8, { accountId: accountId(2), expiresAt: at(10) }),
      )
      const endExpired = (max: number) => store.write([], (tx) => tx.shares.endExpired(at(40), at(90), max))
      assert.deepEqual([await endExpired(2), await endExpired(2), await endExpired(2)], [2, 1, 0])
      assert.deepEqual(await listed(store), [opaqueId(3), opaqueId(5), opaqueId(7)])
      const endSome = () => store.write([], (tx) => tx.shares.endSomeOf(accountId(1), at(90), 2))
      await insert(store, share(9, { accountId: accountId(2) }))
      assert.deepEqual([await endSome(), await endSome(), await endSome()], [2, 1, 0])
      assert.deepEqual([await listed(store), await listed(store, 2)], [[], [opaqueId(9)]])
    }),
  )
}
