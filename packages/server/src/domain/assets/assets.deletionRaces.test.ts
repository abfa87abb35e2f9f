import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { both, heights, inOneBatch, ROUNDS, reasonOf, used, whole } from '../../testing/assetRaces.ts'
import { assertBooks, assetRow, blobRow, openBlob, replacing } from '../../testing/assetSessions.ts'
import {
  adopt,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  replacingByDrop,
} from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { inWorld } from '../../testing/world.ts'

const content = bytes(100)

describe('deleting an asset', () => {
  it(
    'during a landing leaves no blob and no charge',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await landBlob(world, albumOwner, content, { assetId })
        const next = bytes(50)
        const overrides = round % 3 === 0 ? { envelope: replacing(next) } : ({ role: 'metadata' } as const)
        const uploadId = await openBlob(world, albumOwner, next, { assetId, ...overrides })
        const [answer, removed] = await both(
          round,
          () => whole(world, uploadId, next),
          () => world.rules.assets.remove(albumOwner.accountId, assetId),
        )
        assert.equal(removed, undefined)
        assert.ok(['done', 'asset_id_taken', 'upload_not_found'].includes(answer), answer)
        const { state } = await blobRow(world, uploadId)
        assert.equal(state, { done: 'landed', asset_id_taken: 'failed', upload_not_found: 'ended' }[answer])
        assert.notEqual((await assetRow(world, assetId))?.deletedAt, undefined)
        assert.equal(await used(world, albumOwner), 0)
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )

  it(
    'while its blobs’ receipts are signed fails those blobs, and appends no receipt for them',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, content, { assetId })
      const [metadata, derivative] = [bytes(10), bytes(20)]
      const ids = [
        await openBlob(world, albumOwner, metadata, { assetId, role: 'metadata' }),
        await openBlob(world, albumOwner, derivative, { assetId, role: 'derivative' }),
      ] as const
      const height = await heights(world)
      const answers = await inOneBatch(world, albumOwner, {
        ids,
        work: () => Promise.all([whole(world, ids[0], metadata), whole(world, ids[1], derivative)]),
        hold: async () => assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined),
      })
      assert.deepEqual(answers, ['asset_id_taken', 'asset_id_taken'])
      assert.equal((await heights(world)) - height, 1, 'the receipt of the other asset')
      assert.equal(await used(world, albumOwner), 0)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'during the adoption of a replacing drop deletes the drop with it, or leaves it pending',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await landBlob(world, albumOwner, content, { assetId })
        const drop = await newDrop(world, albumOwner, bytes(10))
        const declared = declaredForDrop(world, albumOwner, drop, { assetId, ...replacingByDrop(drop) })
        const [adopted, removed] = await both(
          round,
          () => adopt(world, albumOwner, drop, declared).then(reasonOf),
          () => world.rules.assets.remove(albumOwner.accountId, assetId),
        )
        assert.equal(removed, undefined)
        assert.ok(['done', 'asset_id_taken'].includes(adopted), adopted)
        const pending = (await world.rules.inbox.list(albumOwner.accountId)).map(({ dropId }) => dropId)
        assert.deepEqual(pending, adopted === 'done' ? [] : [drop.dropId])
        assert.equal(await used(world, albumOwner), adopted === 'done' ? 0 : 10)
        if (pending.length > 0) notRefused(await world.rules.inbox.discard(albumOwner.accountId, drop.dropId))
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )
})
