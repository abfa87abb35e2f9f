import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AssetBlob, BlobPlace, HeldBlob, ObjectState, Store } from '../../ports/store.ts'
import {
  accountId,
  albumId,
  asset,
  assetBlob,
  assetId,
  at,
  deviceId,
  envelope,
  hash,
  type InStore,
  object,
  seedWithAlbums,
} from './world.ts'

export function describeAssetBlobs(inStore: InStore): void {
  describeRows(inStore)
  describeRoles(inStore)
  describeVerdicts(inStore)
  describeAccounts(inStore)
}

function describeAccounts(inStore: InStore): void {
  it(
    'answers the latest retention of an account’s blobs, and some assets that have blobs',
    inStore(async (store) => {
      await seedAssets(store)
      const retainedUntil = (number: number) => store.read((tx) => tx.assets.retainedUntil(accountId(number)))
      assert.equal(await retainedUntil(1), undefined)
      await land(store, 1, { retainedUntil: at(9) })
      await land(store, 2, { assetId: assetId(2), retainedUntil: at(20) })
      await land(store, 3, { envelope: envelope(1, { retention_until: '2999-01-01T00:00:00Z' }) })
      await land(store, 4)
      await land(store, 5, { assetId: assetId(3) })
      assert.deepEqual([await retainedUntil(1), await retainedUntil(2)], [at(20), undefined])
      const holding = (max: number) => store.read((tx) => tx.assets.someWithBlobs(accountId(1), max))
      assert.deepEqual((await holding(9)).toSorted(), [assetId(1), assetId(2)])
      assert.equal((await holding(1)).length, 1)
      await store.write([], (tx) => tx.assets.removeBlob(object(2).location))
      assert.deepEqual([await retainedUntil(1), await holding(9)], [at(9), [assetId(1)]])
    }),
  )

  it(
    'answers in pages by which devices an account’s blobs are signed',
    inStore(async (store) => {
      await seedAssets(store)
      const by = (number: number) => envelope(1, { created_by_device: deviceId(number) })
      await land(store, 1, { envelope: by(1) })
      await land(store, 2, { envelope: by(2) })
      await land(store, 3, { envelope: by(1) })
      await land(store, 5, { assetId: assetId(3), envelope: by(9) })
      const page = (after: BlobPlace | undefined, max: number) =>
        store.read((tx) => tx.devices.signersOf(accountId(1), { after, max }))
      const first = await page(undefined, 2)
      assert.deepEqual(first.signers, [deviceId(1), deviceId(2)])
      assert.deepEqual(await page(first.next, 2), { signers: [deviceId(1)], next: undefined })
    }),
  )
}

const blobsOf = (store: Store, number: number) => store.read((tx) => tx.assets.blobsOf(assetId(number)))
const liveBlobsOf = (store: Store, account: number, number: number) =>
  store.read((tx) => tx.assets.liveBlobsOf(accountId(account), assetId(number)))
const objectsOf = (store: Store, account: number, content: number) =>
  store.read((tx) => tx.assets.objectsOf(accountId(account), hash(content)))

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
    'removes one blob, and no other',
    inStore(async (store) => {
      await seedAssets(store)
      for (const number of [1, 2, 3]) await land(store, number)
      await store.write([], (tx) => tx.assets.removeBlob(assetBlob(2).location))
      assert.deepEqual(await blobsOf(store, 1), [assetBlob(1), assetBlob(3)])
      assert.deepEqual(await store.read((tx) => tx.objects.find(object(2).location)), object(2, { state: 'kept' }))
      await assert.rejects(store.write([], (tx) => tx.assets.removeBlob(assetBlob(2).location)))
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

function describeRoles(inStore: InStore): void {
  it(
    'accepts one blob of each role, and any number of derivatives',
    inStore(async (store) => {
      await seedAssets(store)
      for (const [index, role] of (['original', 'metadata', 'provenance'] as const).entries()) {
        await land(store, index, { role })
        await assert.rejects(land(store, 10 + index, { role }))
        await land(store, 20 + index, { role, assetId: assetId(2) })
      }
      for (const number of [30, 31, 32]) await land(store, number)
      assert.equal((await blobsOf(store, 1)).length, 6)
    }),
  )

  it(
    'accepts another blob of a role after the first one was removed',
    inStore(async (store) => {
      await seedAssets(store)
      await land(store, 1, { role: 'original' })
      await store.write([], async (tx) => {
        await tx.assets.removeBlob(assetBlob(1).location)
        await tx.assets.addBlob(assetBlob(2, { role: 'original' }))
      })
      assert.deepEqual(await blobsOf(store, 1), [assetBlob(2, { role: 'original' })])
    }),
  )

  it(
    'accepts the same content once as a derivative, and again in another role or asset',
    inStore(async (store) => {
      await seedAssets(store)
      const ciphertextHash = hash(1)
      await land(store, 1)
      await assert.rejects(land(store, 2, { ciphertextHash }))
      await land(store, 3, { ciphertextHash, role: 'original' })
      await land(store, 4, { ciphertextHash, assetId: assetId(2) })
      assert.equal((await blobsOf(store, 1)).length, 2)
    }),
  )

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

  it(
    'lists no blobs to another account, and none for unknown, empty and buried assets',
    inStore(async (store) => {
      await seedAssets(store)
      await land(store, 1)
      await land(store, 2, { assetId: assetId(3) })
      assert.deepEqual(await liveBlobsOf(store, 2, 1), [])
      assert.deepEqual(await liveBlobsOf(store, 1, 3), [])
      assert.deepEqual(await liveBlobsOf(store, 2, 3), [held(2)])
      assert.deepEqual(await liveBlobsOf(store, 1, 2), [])
      assert.deepEqual(await liveBlobsOf(store, 1, 9), [])
      await store.write([], async (tx) => {
        await tx.assets.touch(assetId(1), at(5))
        await tx.assets.removeBlob(assetBlob(1).location)
        await tx.assets.bury(assetId(1), at(6))
      })
      assert.deepEqual(await liveBlobsOf(store, 1, 1), [])
    }),
  )

  it(
    "finds every blob with a content in the account's assets, and none of another account",
    inStore(async (store) => {
      await seedAssets(store)
      const ciphertextHash = hash(77)
      await land(store, 3, { ciphertextHash })
      await land(store, 1, { ciphertextHash, role: 'original', assetId: assetId(2) })
      await land(store, 2, { ciphertextHash, assetId: assetId(3) })
      await land(store, 4)
      assert.deepEqual(await objectsOf(store, 1, 77), [
        held(3, { ciphertextHash }),
        held(1, { ciphertextHash, role: 'original' }),
      ])
      assert.deepEqual(await objectsOf(store, 2, 77), [held(2, { ciphertextHash })])
      assert.deepEqual(await objectsOf(store, 1, 78), [])
      await store.write([], async (tx) => {
        await tx.assets.removeBlob(assetBlob(3).location)
        await tx.objects.move(object(1).location, { from: 'kept', to: 'orphaned', at: at(9) })
      })
      assert.deepEqual(await objectsOf(store, 1, 77), [
        held(1, { ciphertextHash, role: 'original', objectState: 'orphaned' }),
      ])
    }),
  )
}
