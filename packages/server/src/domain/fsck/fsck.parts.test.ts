import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { append, bytes, never, newLink, openDrop, uploadRow } from '../../testing/guest.ts'
import { inKeyedWorld } from '../../testing/keyedWorld.ts'
import { defined, type World } from '../../testing/world.ts'
import { examine } from './fsck.ts'
import { newCounts } from './options.ts'
import { createVerifiers } from './verifiers.ts'

const content = bytes(100)

async function kindsIn({ store, objects, clock }: World): Promise<readonly string[]> {
  const ports = { store, objects, clock, verify: createVerifiers() }
  const kinds: string[] = []
  const examination = { deep: true, isUnpruned: true, signal: never, counts: newCounts() }
  for await (const { kind } of examine(ports, examination)) kinds.push(kind)
  return kinds
}

/** Two sessions in two chunks each: a landed one, and one that has half its bytes. */
async function seed(world: World) {
  const opaqueId = await newLink(world)
  const [landed, open] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, bytes(100))]
  for (const [uploadId, size] of [
    [landed, 50],
    [open, 25],
  ] as const)
    for (const offset of [0, size])
      await append(world, uploadId, { offset, bytes: content.subarray(offset, offset + size) })
  return { landed, open }
}

describe('fsck of a store with keys', () => {
  it(
    'finds nothing in sound data, also while keys wait for their removal',
    inKeyedWorld(async (world) => {
      const { open } = await seed(world)
      assert.deepEqual(await kindsIn(world), [])
      await world.rules.ending.cancel(await uploadRow(world, open))
      await world.rules.sweep.removeDeleting()
      assert.deepEqual(await kindsIn(world), [])
    }),
  )

  it(
    'finds parts that do not cover their object, and parts of no object',
    inKeyedWorld(async (world) => {
      const { landed, open } = await seed(world)
      const now = instantOf(world.clock.now())
      // The row of a part is lost: so is a part of the file.
      await world.store.write([], (tx) => tx.parts.releaseKept(open, now))
      assert.deepEqual(await kindsIn(world), ['file_size_wrong', 'chunk_wrong', 'chunk_wrong'])
      const [first] = await world.store.read((tx) => tx.parts.keptOf(landed))
      const { location } = await uploadRow(world, landed)
      const key = defined(world.staging.newKey(location))
      await world.store.write([], async (tx) => {
        await tx.parts.beginJoining({ key, uploadId: landed, location, until: now })
        const joined = { ...defined(first), key, length: 40 }
        await tx.parts.join({ uploadId: landed, joined, replaced: [defined(first).key], removeFrom: now })
      })
      assert.ok((await kindsIn(world)).includes('parts_wrong'))
      await world.store.write([], (tx) => tx.objects.remove(location))
      assert.equal((await kindsIn(world)).filter((kind) => kind === 'parts_wrong').length, 2)
    }),
  )
})
