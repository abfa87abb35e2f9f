import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Change, NotedEvent, Store, WriteTx } from '../../ports/store.ts'
import {
  accountId,
  albumId,
  asset,
  assetBlob,
  assetId,
  at,
  atOnce,
  dropId,
  event,
  type InStore,
  opaqueId,
  seedWithAlbums,
} from './world.ts'

export function describeChangeNumbers(inStore: InStore): void {
  describe('changes', () => {
    describeNumbers(inStore)
    describeChangedAssets(inStore)
    describeEvents(inStore)
  })
}

const after = (changeSeq: number, max = 10, account = 1) => ({ accountId: accountId(account), changeSeq, max })
const eventsOf = (numbers: readonly number[]) => numbers.map((number) => event(number))
const lastSeq = (store: Store, account = 1) => store.read((tx) => tx.changes.lastSeq(accountId(account)))

function describeNumbers(inStore: InStore): void {
  it(
    'has no number for an unknown account, and refuses to make one',
    inStore(async (store) => {
      await seedWithAlbums(store)
      assert.equal(await lastSeq(store, 9), undefined)
      await assert.rejects(store.write([], (tx) => tx.changes.nextSeq(accountId(9))))
      for (const events of [[event(9)], [event(9), event(9)]])
        await assert.rejects(
          store.write([], (tx) =>
            tx.changes.insertNextEvents(events.map((each) => ({ ...each, accountId: accountId(9) }))),
          ),
        )
    }),
  )

  it(
    'gives events their numbers, also several that do not wait for each other',
    inStore(async (store) => {
      await seedWithAlbums(store)
      const insert = (tx: WriteTx, ...numbers: readonly number[]) => tx.changes.insertNextEvents(eventsOf(numbers))
      await store.write([], async (tx) => {
        await Promise.all([insert(tx, 1), insert(tx, 2, 3), insert(tx)])
        assert.equal(await tx.changes.nextSeq(accountId(1)), 4)
        const others = { ...event(1), accountId: accountId(2) }
        await tx.changes.insertNextEvents([others, ...eventsOf([5, 6]), others, ...eventsOf([7, 8, 9])])
      })
      const expected = eventsOf([1, 2, 3, 5, 6, 7, 8, 9])
      assert.deepEqual(await store.read((tx) => tx.changes.eventsAfter(after(0))), expected)
      assert.equal(await lastSeq(store, 2), 2)
    }),
  )

  it(
    'gives each number once and leaves none out, despite simultaneous and undone transactions',
    inStore(async (store) => {
      await seedWithAlbums(store)
      const answers = await atOnce(store, 64, async (tx, index) => {
        const seq = await tx.changes.nextSeq(accountId(1))
        return index % 4 === 0 ? { refused: 'undone' } : seq
      })
      const given = answers.filter((answer) => typeof answer === 'number').toSorted((a, b) => a - b)
      assert.deepEqual(
        given,
        Array.from({ length: 48 }, (_, index) => index + 1),
      )
    }),
  )
}

/** Inserts an asset with a blob of the same number, and records a change with this number. */
async function change(tx: WriteTx, number: number, changeSeq: number): Promise<void> {
  if ((await tx.assets.find(assetId(number))) === undefined) await tx.assets.reserve(asset(number))
  await tx.assets.addBlob(assetBlob(changeSeq, { assetId: assetId(number) }))
  await tx.assets.touch(assetId(number), at(changeSeq))
  await tx.changes.numberAsset(assetId(number), changeSeq)
}

async function feedAfter(store: Store, changeSeq: number, max = 10): Promise<readonly (readonly [number, string])[]> {
  const found = await store.read((tx) => tx.changes.assetsAfter(after(changeSeq, max)))
  return found.map((each) => [each.changeSeq, each.asset.assetId] as const)
}

function describeChangedAssets(inStore: InStore): void {
  it(
    'lists assets in the order of their last changes, each once, with its present blobs',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        for (const [number, changeSeq] of [
          [1, 1],
          [2, 2],
          [3, 4],
          [1, 7],
        ] as const)
          await change(tx, number, changeSeq)
      })
      assert.deepEqual(await feedAfter(store, 0), [
        [2, assetId(2)],
        [4, assetId(3)],
        [7, assetId(1)],
      ])
      assert.deepEqual(await feedAfter(store, 2, 1), [[4, assetId(3)]])
      assert.deepEqual(await feedAfter(store, 7), [])
      const [, , last] = await store.read((tx) => tx.changes.assetsAfter(after(0)))
      assert.deepEqual(last?.asset, await store.read((tx) => tx.assets.find(assetId(1))))
      assert.deepEqual(last?.blobs, await store.read((tx) => tx.assets.blobsOf(assetId(1))))
      assert.deepEqual(last?.blobs.length, 2)
    }),
  )

  it(
    'lists tombstones, but no reservations and no assets of another account',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.assets.reserve(asset(1))
        await tx.assets.touch(assetId(1), at(1))
        await tx.assets.bury(assetId(1), at(2))
        await tx.changes.numberAsset(assetId(1), 5)
        await tx.assets.reserve(asset(2))
        await tx.assets.reserve(asset(3, { accountId: accountId(2), albumId: albumId(2) }))
        await tx.assets.touch(assetId(3), at(3))
        await tx.changes.numberAsset(assetId(3), 5)
      })
      const [found, ...others] = await store.read((tx) => tx.changes.assetsAfter(after(0)))
      assert.deepEqual([found?.asset.assetId, found?.asset.deletedAt, found?.blobs], [assetId(1), at(2), []])
      assert.deepEqual(others, [])
    }),
  )

  it(
    'refuses one number for two assets of an account, and a number for an unknown asset',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await store.write([], async (tx) => {
        await tx.assets.reserve(asset(1))
        await tx.assets.reserve(asset(2))
        await tx.changes.numberAsset(assetId(1), 1)
      })
      await assert.rejects(store.write([], (tx) => tx.changes.numberAsset(assetId(2), 1)))
      await assert.rejects(store.write([], (tx) => tx.changes.numberAsset(assetId(9), 2)))
    }),
  )
}

function describeEvents(inStore: InStore): void {
  const insert = (store: Store, ...events: readonly NotedEvent[]) =>
    store.write([], async (tx) => {
      for (const each of events) await tx.changes.insertEvent(each)
    })
  const seqsAfter = async (store: Store, changeSeq: number, max?: number) =>
    (await store.read((tx) => tx.changes.eventsAfter(after(changeSeq, max)))).map((each) => each.changeSeq)

  it(
    'returns the account’s events as they were recorded, in their order',
    inStore(async (store) => {
      await seedWithAlbums(store)
      const changes: readonly Change[] = [
        { name: 'drop.landed', dropId: dropId(1), opaqueId: opaqueId(1) },
        { name: 'drop.adopted', dropId: dropId(1), assetId: assetId(1) },
        { name: 'drop.discarded', dropId: dropId(2) },
        { name: 'asset.changed', assetId: assetId(1), changeSeq: 5 },
        { name: 'link.changed', opaqueId: opaqueId(1) },
        { name: 'quota.changed' },
      ]
      const events = changes.map((change, index) => event(index + 1, { change }))
      await insert(store, ...events.toReversed(), event(1, { accountId: accountId(2) }))
      assert.deepEqual(await store.read((tx) => tx.changes.eventsAfter(after(0))), events)
      assert.deepEqual(await store.read((tx) => tx.changes.eventsAfter(after(0, 2))), events.slice(0, 2))
      assert.deepEqual([await seqsAfter(store, 4), await seqsAfter(store, 6)], [[5, 6], []])
      await assert.rejects(insert(store, event(3)))
    }),
  )

  it(
    'prunes the oldest events, at most as many as requested, and no later ones',
    inStore(async (store) => {
      await seedWithAlbums(store)
      await insert(store, ...[1, 2, 3, 4, 5].map((number) => event(number)), event(1, { accountId: accountId(2) }))
      const prune = (before: number, max: number) => store.write([], (tx) => tx.changes.pruneEvents(at(before), max))
      assert.equal(await prune(2, 10), 2)
      assert.deepEqual(await seqsAfter(store, 0), [2, 3, 4, 5])
      assert.equal(await prune(5, 2), 2)
      assert.deepEqual(await seqsAfter(store, 0), [4, 5])
      assert.equal(await prune(5, 2), 1)
      assert.equal(await prune(5, 2), 0)
      assert.deepEqual(await seqsAfter(store, 0), [5])
    }),
  )
}
