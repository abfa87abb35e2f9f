import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AssetBlob, HeldBlob, ObjectState, Store } from '../../ports/store.ts'
import {
  accountId,
  albumId,
  asset,
  assetBlob,
  assetId,
  at,
  envelope,
  type InStore,
  object,
  seedWithAlbums,
} from './world.ts'

export function describeAssetBlobs(inStore: InStore): void {
  describeRows(inStore)
  describeRetention(inStore)
  describeRoles(inStore)
  describePending(inStore)
  describeVerdicts(inStore)
}

const blobsOf = (store: Store, number: number) => store.read((tx) => tx.assets.blobsOf(assetId(number)))
const liveBlobsOf = (store: Store, account: number, number: number) =>
  store.read((tx) => tx.assets.liveBlobsOf(accountId(account), assetId(number)))

/** Assets 1 and 2 of account 1, asset 3 of account 2. */
async function seedAssets(store: Store): Promise<void> {
  await seedWithAlbums(store)
  await store.write([], async (tx) => {
    await tx.assets.reserve(asset(1))
    await tx.assets.reserve(asset(2))
    await tx.assets.reserve(asset(3, { accountId: accountId(2), albumId: albumId(2) }))
  })
}

/** Inserts the blob and a kept object for it. */
async function land(store: Store, number: number, given: Partial<AssetBlob> = {}): Promise<void> {
  await store.write([], async (tx) => {
    await tx.objects.insert(object(number, { state: 'kept' }))
    await tx.assets.addBlob(assetBlob(number, given))
  })
}

function held(number: number, given: Partial<HeldBlob> = {}): HeldBlob {
  const { role, ciphertextHash, size, location } = assetBlob(number)
  return {
    role,
    ciphertextHash,
    size,
    location,
    objectState: 'kept',
    damagedAt: undefined,
    isSuspected: false,
    isOnHold: false,
    ...given,
  }
}

function describeRows(inStore: InStore): void {
  it(
    'returns the blobs of an asset as they were added, in the order of landing',
    inStore(async (store) => {
      await seedAssets(store)
      const blobs = [
        assetBlob(9, { role: 'provenance', landedAt: at(30), size: Number.MAX_SAFE_INTEGER }),
        assetBlob(4, { role: 'derivative', landedAt: at(30), contentType: 'image/png' }),
        assetBlob(6, { role: 'original', landedAt: at(31) }),
        assetBlob(2, { role: 'derivative', landedAt: at(31) }),
      ]
      for (const blob of blobs) await store.write([], (tx) => tx.assets.addBlob(blob))
      await store.write([], (tx) => tx.assets.addBlob(assetBlob(5, { assetId: assetId(2) })))
      assert.deepEqual(await blobsOf(store, 1), blobs)
      assert.deepEqual(await blobsOf(store, 2), [assetBlob(5, { assetId: assetId(2) })])
      assert.deepEqual(await blobsOf(store, 9), [])
    }),
  )

  it(
    'keeps an envelope verbatim: null and absent members, and their order',
    inStore(async (store) => {
      await seedAssets(store)
      const { action, client_version: clientVersion, ...rest } = envelope(1)
      const declared = { retention_until: null, action, ...rest, client_version: `${clientVersion} "ü\\ \u2028😀` }
      await store.write([], (tx) => tx.assets.addBlob(assetBlob(1, { envelope: declared })))
      const [blob] = await blobsOf(store, 1)
      assert.deepEqual(blob?.envelope, declared)
      assert.equal(JSON.stringify(blob?.envelope), JSON.stringify(declared))
    }),
  )

  it(
    'keeps the order of landing if the last blob was removed in between',
    inStore(async (store) => {
      await seedAssets(store)
      for (const number of [3, 2]) await land(store, number)
      await store.write([], (tx) => tx.assets.removeBlob(assetBlob(2).location))
      await land(store, 1)
      assert.deepEqual(await blobsOf(store, 1), [assetBlob(3), assetBlob(1)])
    }),
  )
}

function describeRetention(inStore: InStore): void {
  it(
    'retains an asset for longer, never for less, and only one that has the blob',
    inStore(async (store) => {
      await seedAssets(store)
      await land(store, 1)
      const retain = (number: number, until: number) =>
        store.write([], (tx) => tx.assets.retain(assetBlob(number).location, at(until)))
      for (const until of [20, 21]) await retain(1, until)
      for (const until of [21, 20]) await assert.rejects(retain(1, until), /for longer/)
      await assert.rejects(retain(2, 30), /No asset/)
      assert.deepEqual(await blobsOf(store, 1), [assetBlob(1, { retainedUntil: at(21) })])
      assert.equal(await store.read((tx) => tx.assets.retainedUntil(accountId(1))), at(21))
    }),
  )
}

function describeRoles(inStore: InStore): void {
  it(
    'refuses two blobs with one object, and a blob of an unknown asset',
    inStore(async (store) => {
      await seedAssets(store)
      await land(store, 1)
      const { location } = assetBlob(1)
      await assert.rejects(store.write([], (tx) => tx.assets.addBlob(assetBlob(2, { location, assetId: assetId(2) }))))
      await assert.rejects(store.write([], (tx) => tx.assets.addBlob(assetBlob(3, { assetId: assetId(9) }))))
      assert.deepEqual([...(await blobsOf(store, 2)), ...(await blobsOf(store, 9))], [])
    }),
  )
}

function describePending(inStore: InStore): void {
  it(
    'shows metadata that waited, once the former ones are removed, and finds those that still wait',
    inStore(async (store) => {
      await seedAssets(store)
      const pendingBefore = (seconds: number) => store.read((tx) => tx.assets.pendingBefore(at(seconds), 5))
      const waiting = { role: 'metadata', pendingAfter: assetBlob(3).ciphertextHash, landedAt: at(5) } as const
      await land(store, 1, { role: 'metadata' })
      await land(store, 2, waiting)
      await land(store, 3, { role: 'provenance' })
      await assert.rejects(land(store, 4, waiting), 'one of each asset')
      assert.deepEqual(
        (await liveBlobsOf(store, 1, 1)).map(({ location }) => location),
        [assetBlob(1).location, assetBlob(3).location],
      )
      assert.deepEqual(
        [await pendingBefore(5), await pendingBefore(6)],
        [[], [{ accountId: accountId(1), assetId: assetId(1) }]],
      )
      const show = (number: number) => store.write([], (tx) => tx.assets.showPending(assetBlob(number).location))
      await assert.rejects(show(2), 'the former ones are there')
      await store.write([], (tx) => tx.assets.removeBlob(assetBlob(1).location))
      await show(2)
      await assert.rejects(show(2))
      assert.deepEqual(await pendingBefore(6), [])
      assert.deepEqual((await blobsOf(store, 1))[0], assetBlob(2, { role: 'metadata', landedAt: at(5) }))
    }),
  )
}

function describeVerdicts(inStore: InStore): void {
  it(
    'lists an asset’s blobs with the status of each object, in the order of landing',
    inStore(async (store) => {
      await seedAssets(store)
      await land(store, 9, { role: 'metadata', size: 5 })
      await land(store, 4)
      await land(store, 6, { role: 'original' })
      await land(store, 1, { assetId: assetId(2) })
      assert.deepEqual(await liveBlobsOf(store, 1, 1), [
        held(9, { role: 'metadata', size: 5 }),
        held(4),
        held(6, { role: 'original' }),
      ])
      for (const objectState of ['orphaned', 'deleting', 'staged'] as const satisfies readonly ObjectState[]) {
        await store.write([], async (tx) => {
          const from = (await tx.objects.find(object(4).location))?.state ?? 'kept'
          await tx.objects.move(object(4).location, { from, to: objectState, at: at(9) })
        })
        assert.deepEqual((await liveBlobsOf(store, 1, 1))[1], held(4, { objectState }))
      }
    }),
  )
}
