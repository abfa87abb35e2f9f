import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { adopt, assetOf, declaredFor, newAlbumOwner, newDrop } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { askOne, flipBit, keep, saidOf, verifyOver } from '../../testing/verify.ts'
import { inWorld, type World } from '../../testing/world.ts'

const content = bytes(100)

async function hold({ store, clock }: World, ciphertextHash: Sha256Hex): Promise<void> {
  await store.write([], (tx) => tx.holds.add({ ciphertextHash, reason: 'a court asked', createdAt: clock.now() }))
}

describe('a content on hold', () => {
  it(
    'is not served to any account from any object until the hold ends',
    inWorld(async (world) => {
      const [one, other] = [await newAlbumOwner(world), await newAlbumOwner(world)]
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
      for (const [each, albumOwner] of [
        [blobs[0], one],
        [blobs[1], one],
        [blobs[2], other],
      ] as const)
        for (const deep of [false, true]) {
          const answer = saidOf(await askOne(verifyOver(world), albumOwner.accountId, each ?? blob, deep))
          assert.equal(answer, deep ? 'stored indexed original intact' : 'stored indexed original')
        }
      await world.store.write([], (tx) => tx.holds.remove(ciphertextHash))
      assert.ok(!('refused' in (await assets.content(one.accountId, ciphertextHash))))
      assert.ok((await askOne(verifyOver(world), one.accountId, blob)).durable)
    }),
  )

  it(
    'looks unknown to an account that does not have it',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const blob = await keep(world, albumOwner, content)
      const drop = await newDrop(world, albumOwner, bytes(10))
      for (const { ciphertextHash } of [blob, drop]) await hold(world, ciphertextHash)
      const { assets, inbox } = world.rules
      assert.deepEqual(await assets.content(stranger.accountId, blob.ciphertextHash), { refused: 'blob_not_found' })
      assert.deepEqual(await inbox.content(stranger.accountId, drop.dropId), { refused: 'drop_not_found' })
    }),
  )

  it(
    'can be dropped, adopted, deleted and discarded like any other',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { accountId } = albumOwner
      const [adopted, discarded] = [
        await newDrop(world, albumOwner, content),
        await newDrop(world, albumOwner, content),
      ]
      const { ciphertextHash } = adopted
      await hold(world, ciphertextHash)
      const { inbox, assets } = world.rules
      const late = await newDrop(world, albumOwner, content)
      assert.deepEqual(await inbox.content(accountId, late.dropId), { refused: 'blob_withheld' })
      const declared = declaredFor(world, albumOwner, content)
      const assetId = notRefused(await adopt(world, albumOwner, adopted, declared))
      assert.ok((await assetOf(world, albumOwner, assetId)).blobs.length === 1)
      const verdict = await askOne(verifyOver(world), accountId, { assetId, ciphertextHash })
      assert.equal(saidOf(verdict), 'stored indexed original')
      assert.equal(await inbox.discard(accountId, discarded.dropId), undefined)
      assert.equal(await assets.remove(accountId, assetId), undefined)
    }),
  )

  it(
    'is still reported as corrupt by a deep verdict',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      await flipBit(world, blob)
      await hold(world, blob.ciphertextHash)
      assert.equal(
        saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)),
        'stored indexed original corrupt',
      )
    }),
  )
})
