import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { newKeeper } from '../../testing/assets.ts'
import { bytes } from '../../testing/guest.ts'
import { askOne, flipBit, keep, saidOf, verifyOver } from '../../testing/verify.ts'
import { inWorld, type World } from '../../testing/world.ts'

const content = bytes(100)

async function hold({ store, clock }: World, ciphertextHash: Sha256Hex): Promise<void> {
  await store.write((tx) => tx.holds.add({ ciphertextHash, reason: 'a court asked', createdAt: clock.now() }))
}

describe('a content on hold', () => {
  it(
    'is not served to any account from any object until the hold ends',
    inWorld(async (world) => {
      const [one, other] = [await newKeeper(world), await newKeeper(world)]
      const blobs = [
        await keep(world, one, content),
        await keep(world, one, content),
        await keep(world, other, content),
      ]
      const [blob] = blobs
      if (blob === undefined) assert.fail()
      const { ciphertextHash } = blob
      await hold(world, ciphertextHash)
      const { assets } = world.rules
      for (const { accountId } of [one, other])
        assert.deepEqual(await assets.content(accountId, ciphertextHash), { refused: 'blob_withheld' })
      for (const [each, keeper] of [
        [blobs[0], one],
        [blobs[1], one],
        [blobs[2], other],
      ] as const)
        for (const deep of [false, true]) {
          const answer = saidOf(await askOne(verifyOver(world), keeper.accountId, each ?? blob, deep))
          assert.equal(answer, deep ? 'stored indexed original intact' : 'stored indexed original')
        }
      await world.store.write((tx) => tx.holds.remove(ciphertextHash))
      assert.ok(!('refused' in (await assets.content(one.accountId, ciphertextHash))))
      assert.ok((await askOne(verifyOver(world), one.accountId, blob)).durable)
    }),
  )

  it(
    'is still reported as corrupt by a deep verdict',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const blob = await keep(world, keeper, content)
      await flipBit(world, blob)
      await hold(world, blob.ciphertextHash)
      assert.equal(
        saidOf(await askOne(verifyOver(world), keeper.accountId, blob, true)),
        'stored indexed original corrupt',
      )
    }),
  )
})
