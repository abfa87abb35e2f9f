import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provenanceFor } from '../../testing/assetSessions.ts'
import { type AlbumOwner, declaredFor, landBlob, newAlbumOwner, newAssetId, uploadBlob } from '../../testing/assets.ts'
import { accountRow, append, bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { Declared } from './manifest.ts'

const content = bytes(100)

const create = async (world: World, albumOwner: AlbumOwner, declared: Declared) =>
  world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared)

const reasonOf = async (answer: ReturnType<typeof create>) => {
  const settled = await answer
  return isRefusal(settled) ? settled.refused : 'done'
}

describe('creating a session again', () => {
  it(
    'continues at its offset under the latest declaration',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content)
      const { uploadId } = notRefused(await create(world, albumOwner, declared))
      notRefused(await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 40) }))
      const redeclared = { ...declared, envelope: { ...declared.envelope, retention_until: '2027-01-01T00:00:00Z' } }
      assert.deepEqual(await create(world, albumOwner, redeclared), { uploadId, offset: 40 })
      notRefused(await append(world, uploadId, { offset: 40, bytes: content.subarray(40) }))
      const { blobs } = notRefused(await world.rules.assets.get(albumOwner.accountId, declared.assetId))
      assert.deepEqual(defined(blobs[0]).envelope, redeclared.envelope)
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 100)
    }),
  )

  it(
    'is refused without a slot for the new declaration or with another size, and keeps its declaration',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content)
      notRefused(await create(world, albumOwner, declared))
      const replace = { ...declared.envelope, action: 'replace', original_blob_hash: sha256(content) } as const
      assert.equal(await reasonOf(create(world, albumOwner, { ...declared, envelope: replace })), 'manifest_stale')
      assert.equal(await reasonOf(create(world, albumOwner, { ...declared, size: 99 })), 'asset_id_taken')
      const [session] = await world.store.read((tx) => tx.uploads.unclosedOfAsset(declared.assetId))
      assert.deepEqual(session?.envelope, declared.envelope)
    }),
  )
})

describe('the metadata of a bundle', () => {
  it(
    'is the one that the signed manifest names, whichever lands first',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [named, other] = [bytes(10), bytes(10)]
      for (const order of ['metadata first', 'provenance first'] as const) {
        const assetId = newAssetId()
        await landBlob(world, albumOwner, content, { assetId })
        const metadata = declaredFor(world, albumOwner, other, { assetId, role: 'metadata' })
        const proof = provenanceFor(world, albumOwner, content, {
          assetId,
          envelope: { metadata_blob_hash: sha256(named) },
        })
        const steps = [
          () => uploadBlob(world, metadata, other, albumOwner),
          () => uploadBlob(world, proof.declared, proof.content, albumOwner),
        ]
        const [first, second] = order === 'metadata first' ? steps : steps.toReversed()
        notRefused((await defined(first)()).answer)
        await assert.rejects(defined(second)(), /manifest_stale/, order)
      }
    }),
  )
})
