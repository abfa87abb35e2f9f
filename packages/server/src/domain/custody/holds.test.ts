import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseOpaqueId, type Sha256Hex } from '@blindkeep/protocol/ids'
import { pendingDrops } from '../../contracts/store/world.ts'
import type { Drop } from '../../ports/store.ts'
import { adopt, assetOf, declaredFor, declaredForDrop, newAlbumOwner, newDrop } from '../../testing/assets.ts'
import { bytes, land, newLink, notRefused, openDrop } from '../../testing/guest.ts'
import { askOne, flipBit, keep, saidOf, verifyOver } from '../../testing/verify.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { holdSource, releaseSource } from './sourceHolds.ts'

const content = bytes(100)
const otherId = defined(parseOpaqueId('0f'.repeat(16)))

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

  it(
    'is all that came through a link, or one drop, until it is released in the same way',
    inWorld(async (world) => {
      const { store, clock } = world
      const { inbox, assets } = world.rules
      const albumOwner = await newAlbumOwner(world)
      const { accountId } = albumOwner
      const opaqueId = await newLink(world, {}, accountId)
      for (let count = 0; count < 5; count += 1) await land(world, opaqueId, bytes(100 + count))
      const drops = await store.read((tx) => pendingDrops(tx, accountId))
      const [waiting, court, discarded, adopted, deleted] = drops
      if (!(waiting && court && discarded && adopted && deleted)) assert.fail()
      await openDrop(world, opaqueId, bytes(7))
      const other = await newDrop(world, albumOwner, bytes(50))
      assert.equal(await inbox.discard(accountId, discarded.dropId), undefined)
      const keepDrop = async (drop: Drop) =>
        notRefused(await adopt(world, albumOwner, drop, declaredForDrop(world, albumOwner, drop)))
      await keepDrop(adopted)
      assert.equal(await assets.remove(accountId, await keepDrop(deleted)), undefined)
      await hold(world, court.ciphertextHash)
      const held = async () => new Set((await store.read((tx) => tx.holds.list())).map((each) => each.ciphertextHash))

      // Each by its drop, wherever it is now.
      for (const { dropId, ciphertextHash } of drops) {
        const before = await held()
        const isHeld = before.has(ciphertextHash)
        const added = await holdSource({ store, clock }, { dropId }, 'asked')
        assert.deepEqual(added, { found: 1, added: isHeld ? 0 : 1 })
        assert.ok((await held()).has(ciphertextHash))
        assert.equal(await releaseSource(store, { dropId }), added.added)
        assert.deepEqual(await held(), before)
      }
      // Five that landed, and one on its way. What the court asked for stays.
      assert.deepEqual(await holdSource({ store, clock }, { opaqueId }, 'asked'), { found: 6, added: 5 })
      for (const { ciphertextHash } of drops) assert.ok((await held()).has(ciphertextHash))
      assert.ok(!(await held()).has(other.ciphertextHash))
      assert.deepEqual(await inbox.content(accountId, waiting.dropId), { refused: 'blob_withheld' })
      assert.equal(await inbox.discard(accountId, waiting.dropId), undefined)
      assert.equal(await releaseSource(store, { opaqueId }), 5)
      assert.deepEqual([...(await held())], [court.ciphertextHash])
      assert.deepEqual(await holdSource({ store, clock }, { opaqueId: otherId }, 'asked'), { found: 0, added: 0 })
    }),
  )
})
