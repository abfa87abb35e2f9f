import assert from 'node:assert/strict'
import { truncate, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blobRow } from '../../testing/assetSessions.ts'
import { type Keeper, landBlob, newKeeper } from '../../testing/assets.ts'
import { admitted, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'

const content = bytes(100)

describe('the content of an asset', () => {
  const contentOf = (world: World, { accountId }: Keeper) => world.rules.assets.content(accountId, sha256(content))

  it(
    'is the first object with its full size, of this account only',
    inWorld(async (world) => {
      const [keeper, stranger] = [await newKeeper(world), await newKeeper(world)]
      const locations: string[] = []
      for (const role of ['original', 'derivative', 'metadata'] as const)
        locations.push((await blobRow(world, await landBlob(world, keeper, content, { role }))).location)
      const file = (at: number) => join(world.blobsDirectory, known(locations[at]))
      assert.equal(admitted(await contentOf(world, keeper)).location, locations[0])
      await truncate(file(0), 99)
      assert.equal(admitted(await contentOf(world, keeper)).location, locations[1])
      await unlink(file(1))
      assert.equal(admitted(await contentOf(world, keeper)).location, locations[2])
      await truncate(file(2), 101)
      assert.deepEqual(await contentOf(world, keeper), { refused: 'storage_unavailable' })
      assert.deepEqual(await contentOf(world, stranger), { refused: 'blob_not_found' })
    }),
  )
})
