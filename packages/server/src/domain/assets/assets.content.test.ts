import assert from 'node:assert/strict'
import { truncate, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blobRow, openBlob, replacing } from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
} from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'

const content = bytes(100)

describe('the content of an asset', () => {
  const contentOf = (world: World, { accountId }: AlbumOwner) => world.rules.assets.content(accountId, sha256(content))

  it(
    'is the first object with its full size, of this account only',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const locations: string[] = []
      for (const role of ['original', 'derivative', 'metadata'] as const)
        locations.push((await blobRow(world, await landBlob(world, albumOwner, content, { role }))).location)
      const file = (at: number) => join(world.blobsDirectory, defined(locations[at]))
      assert.equal(notRefused(await contentOf(world, albumOwner)).location, locations[0])
      await truncate(file(0), 99)
      assert.equal(notRefused(await contentOf(world, albumOwner)).location, locations[1])
      await unlink(file(1))
      assert.equal(notRefused(await contentOf(world, albumOwner)).location, locations[2])
      await truncate(file(2), 101)
      assert.deepEqual(await contentOf(world, albumOwner), { refused: 'storage_unavailable' })
      assert.deepEqual(await contentOf(world, stranger), { refused: 'blob_not_found' })
    }),
  )

  it(
    'is not found before it lands, in the inbox only, or after its asset was deleted or replaced',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [assetId, other] = [newAssetId(), newAssetId()]
      await openBlob(world, albumOwner, content, { assetId: other })
      const drop = await newDrop(world, albumOwner, content)
      assert.deepEqual(await contentOf(world, albumOwner), { refused: 'blob_not_found' })
      notRefused(await adopt(world, albumOwner, drop, declaredFor(world, albumOwner, content, { assetId })))
      assert.equal(notRefused(await contentOf(world, albumOwner)).location, drop.location)
      const next = bytes(50)
      await landBlob(world, albumOwner, next, { assetId, envelope: replacing(next) })
      assert.deepEqual(await contentOf(world, albumOwner), { refused: 'blob_not_found' })
      await landBlob(world, albumOwner, content, { assetId: other })
      notRefused(await contentOf(world, albumOwner))
      await world.rules.assets.remove(albumOwner.accountId, other)
      assert.deepEqual(await contentOf(world, albumOwner), { refused: 'blob_not_found' })
    }),
  )
})
