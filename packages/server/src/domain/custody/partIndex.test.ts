import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { append, bytes, newLink, openDrop, uploadRow } from '../../testing/guest.ts'
import { inKeyedWorld } from '../../testing/keyedWorld.ts'
import type { World } from '../../testing/world.ts'
import { createPartIndex } from './partIndex.ts'

const content = bytes(10)

async function landed(world: World): Promise<string> {
  const uploadId = await openDrop(world, await newLink(world), content)
  await append(world, uploadId, { offset: 0, bytes: content })
  return (await uploadRow(world, uploadId)).location
}

describe('the index of parts', () => {
  it(
    'answers what is asked at once from one transaction, each with its own parts',
    inKeyedWorld(async (world) => {
      const locations = [await landed(world), await landed(world), await landed(world)]
      let transactions = 0
      const index = createPartIndex({
        read(work) {
          transactions += 1
          return world.store.read(work)
        },
      })
      const answers = await Promise.all([...locations, locations[0] ?? '', 'unknown'].map(index.partsOf))
      assert.equal(transactions, 1)
      assert.deepEqual(
        answers.map((parts) => parts.map(({ key, length }) => [key.split('/').slice(0, 2).join('/'), length])),
        [...locations, locations[0]].map((location) => [[location, 10]] as unknown[]).concat([[]]),
      )
      assert.deepEqual(await index.partsOf(locations[1] ?? ''), answers[1])
      assert.equal(transactions, 2)
    }),
  )

  it(
    'reads again after a failure',
    inKeyedWorld(async (world) => {
      const location = await landed(world)
      let isBroken = true
      const index = createPartIndex({
        read: (work) => (isBroken ? Promise.reject(new Error('a test broke it')) : world.store.read(work)),
      })
      const failed = await Promise.allSettled([index.partsOf(location), index.partsOf(location)])
      assert.deepEqual(
        failed.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
      isBroken = false
      assert.equal((await index.partsOf(location)).length, 1)
    }),
  )
})
