import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provenanceFor } from '../../testing/assetSessions.ts'
import { declaredFor, type Keeper, landBlob, newAssetId, newKeeper, uploadBlob } from '../../testing/assets.ts'
import { accountRow, admitted, append, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import type { Declared } from '../assets/manifest.ts'
import { isRefusal } from '../refusals.ts'

const content = bytes(100)

const create = async (world: World, keeper: Keeper, declared: Declared) =>
  world.rules.uploads.create(await accountRow(world, keeper.accountId), declared)

const reasonOf = async (answer: ReturnType<typeof create>) => {
  const settled = await answer
  return isRefusal(settled) ? settled.refused : 'done'
}

describe('creating a session again', () => {
  it(
    'continues at its offset under the latest declaration',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const declared = declaredFor(world, keeper, content)
      const { uploadId } = admitted(await create(world, keeper, declared))
      admitted(await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 40) }))
      const redeclared = { ...declared, envelope: { ...declared.envelope, retention_until: '2027-01-01T00:00:00Z' } }
      assert.deepEqual(await create(world, keeper, redeclared), { uploadId, offset: 40 })
      admitted(await append(world, uploadId, { offset: 40, bytes: content.subarray(40) }))
      const { blobs } = admitted(await world.rules.assets.get(keeper.accountId, declared.assetId))
      assert.deepEqual(known(blobs[0]).envelope, redeclared.envelope)
      assert.equal((await accountRow(world, keeper.accountId)).usedBytes, 100)
    }),
  )

  it(
    'is refused without a slot for the new declaration or with another size, and keeps its declaration',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const declared = declaredFor(world, keeper, content)
      admitted(await create(world, keeper, declared))
      const replace = { ...declared.envelope, action: 'replace', original_blob_hash: sha256(content) } as const
      assert.equal(await reasonOf(create(world, keeper, { ...declared, envelope: replace })), 'manifest_stale')
      assert.equal(await reasonOf(create(world, keeper, { ...declared, size: 99 })), 'asset_id_taken')
      const [session] = await world.rules.uploads.list(keeper.accountId)
      assert.deepEqual(session?.assetId !== undefined && session.envelope, declared.envelope)
    }),
  )
})

describe('the metadata of a bundle', () => {
  it(
    'is the one that the signed manifest names, whichever lands first',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const [named, other] = [bytes(10), bytes(10)]
      for (const order of ['metadata first', 'provenance first'] as const) {
        const assetId = newAssetId()
        await landBlob(world, keeper, content, { assetId })
        const metadata = declaredFor(world, keeper, other, { assetId, role: 'metadata' })
        const proof = provenanceFor(world, keeper, content, {
          assetId,
          envelope: { metadata_blob_hash: sha256(named) },
        })
        const steps = [
          () => uploadBlob(world, metadata, other, keeper),
          () => uploadBlob(world, proof.declared, proof.content, keeper),
        ]
        const [first, second] = order === 'metadata first' ? steps : steps.toReversed()
        admitted((await known(first)()).answer)
        await assert.rejects(known(second)(), /manifest_stale/, order)
      }
    }),
  )
})
