import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds, parseDropId } from '@blindkeep/protocol/ids'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Drop } from '../../ports/store.ts'
import { createFaults } from '../../testing/faults.ts'
import { accountRow, bytes, land, linkRow, newLink, notRefused, ownerOf } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, newOpaqueId, type World } from '../../testing/world.ts'
import { MAX_DISCARDED_AT_ONCE } from './discarding.ts'

const NOT_FOUND = { refused: 'drop_not_found' }

/** A drop of a hundred bytes. */
async function landedDrop(world: World): Promise<Drop> {
  const opaqueId = await newLink(world)
  await land(world, opaqueId, bytes(100))
  return defined((await world.rules.inbox.list(await ownerOf(world, opaqueId)))[0])
}

const objectState = async ({ store }: World, { location }: Drop) =>
  (await store.read((tx) => tx.objects.find(location)))?.state

describe('the inbox', () => {
  it(
    'gives them in pages, after a drop that is pending',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      for (const size of [3, 4, 5]) await land(world, opaqueId, bytes(size))
      const [one, two, three] = await world.rules.inbox.list(owner)
      const page = (after: Drop | undefined, max: number) =>
        world.rules.inbox.list(owner, { after: after?.dropId, max })
      assert.deepEqual(await page(undefined, 2), [one, two])
      assert.deepEqual(await page(two, 2), [three])
      assert.deepEqual(await page(three, 2), [])
      const newest = (after: Drop | undefined) =>
        world.rules.inbox.list(owner, { after: after?.dropId, max: 2, order: 'newest' })
      assert.deepEqual([await newest(undefined), await newest(two), await newest(one)], [[three, two], [one], []])
      const stranger = await newAccount(world)
      assert.deepEqual(await world.rules.inbox.list(stranger, { after: defined(one).dropId, max: 2 }), NOT_FOUND)
      notRefused(await world.rules.inbox.discard(owner, defined(two).dropId))
      assert.deepEqual(await page(two, 2), NOT_FOUND)
      assert.deepEqual(await page(one, 2), [three])
    }),
  )

  it(
    'says in the whole list and in pages which drops are damaged or on hold, as long as they are',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      for (const size of [3, 4, 5]) await land(world, opaqueId, bytes(size))
      const { inbox, scrub } = world.rules
      const [, wrong, held] = await inbox.list(owner)
      const standings = async () => {
        const pages = notRefused(await inbox.list(owner, { after: undefined, max: 9, order: 'newest' }))
        const all = (await inbox.list(owner)).map(({ dropId, withheld }) => [dropId, withheld])
        assert.deepEqual(pages.map(({ dropId, withheld }) => [dropId, withheld]).toReversed(), all)
        return all.map(([, withheld]) => withheld)
      }
      assert.deepEqual(await standings(), [undefined, undefined, undefined])
      await scrub.suspect(defined(wrong).location)
      const createdAt = world.clock.now()
      await world.store.write([], async (tx) => {
        for (const drop of [held, wrong])
          await tx.holds.add({ ciphertextHash: defined(drop).ciphertextHash, reason: 'court order', createdAt })
      })
      assert.deepEqual(await standings(), [undefined, 'held', 'held'])
      await world.store.write([], (tx) => tx.holds.remove(defined(wrong).ciphertextHash))
      assert.deepEqual(await standings(), [undefined, 'damaged', 'held'])
    }),
  )

  it(
    'lists the pending drops of its owner only, oldest first',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const links = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
      await landedDrop(world)
      for (let count = 0; count < 6; count += 1) {
        // Three at a time land in the same millisecond.
        if (count % 3 === 0) world.clock.advance(1)
        await land(world, defined(links[count % 2]), bytes(count + 1))
      }
      const drops = await world.rules.inbox.list(owner)
      assert.deepEqual(
        drops.map(({ size }) => size),
        [1, 2, 3, 4, 5, 6],
      )
    }),
  )
})

describe('discarding a drop', () => {
  it(
    'gives back the quota when its time in the bin is over, never the link’s cap, and orphans the object',
    inWorld(async (world) => {
      const drop = await landedDrop(world)
      assert.equal(await world.rules.inbox.discard(drop.accountId, drop.dropId), undefined)
      const used = async () => (await accountRow(world, drop.accountId)).usedBytes
      assert.equal(await used(), 100)
      const { landedBytes, landedFiles } = await linkRow(world, drop.opaqueId)
      assert.deepEqual([landedBytes, landedFiles], [100, 1])
      assert.equal(await objectState(world, drop), 'orphaned')
      assert.equal(await world.blobs.size(drop.location), 100)
      assert.deepEqual(await world.rules.inbox.discard(drop.accountId, drop.dropId), NOT_FOUND)
      world.clock.advance(86_400 - 1)
      await world.rules.sweep.sweep()
      assert.equal(await used(), 100)
      world.clock.advance(1)
      await world.rules.sweep.sweep()
      assert.equal(await used(), 0)
      assert.deepEqual((await linkRow(world, drop.opaqueId)).landedFiles, 1)
    }),
  )

  it(
    'succeeds once when 32 requests discard it',
    inWorld(async (world) => {
      const drop = await landedDrop(world)
      const answers = await Promise.all(
        Array.from({ length: 32 }, () => world.rules.inbox.discard(drop.accountId, drop.dropId)),
      )
      assert.equal(answers.filter((answer) => answer === undefined).length, 1)
      await world.rules.bin.empty(drop.accountId)
      assert.equal((await accountRow(world, drop.accountId)).usedBytes, 0)
    }),
  )

  it(
    'finds no drop while an adoption’s lease is live',
    inWorld(async (world) => {
      const drop = await landedDrop(world)
      const leasedUntil = addSeconds(world.clock.now(), 60)
      const leased = { ...drop, dropId: defined(parseDropId(systemRandom.uuid())), leasedUntil }
      await world.store.write([], async (tx) => {
        await tx.drops.remove(drop.dropId, drop.accountId, world.clock.now())
        await tx.drops.insert(leased)
      })
      assert.deepEqual(await world.rules.inbox.discard(drop.accountId, leased.dropId), NOT_FOUND)
      await world.rules.inbox.discardOfLink(drop.accountId, drop.opaqueId)
      assert.equal((await world.rules.inbox.list(drop.accountId)).length, 1)
      world.clock.advance(60)
      assert.equal(await world.rules.inbox.discard(drop.accountId, leased.dropId), undefined)
    }),
  )

  it(
    'discards all drops of one link only',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const [pile, other] = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
      for (const opaqueId of [pile, other, pile, pile]) await land(world, opaqueId, bytes(10))
      await world.rules.inbox.discardOfLink(owner, newOpaqueId())
      assert.equal((await world.rules.inbox.list(owner)).length, 4)
      await world.rules.inbox.discardOfLink(owner, pile)
      const left = await world.rules.inbox.list(owner)
      assert.deepEqual(
        left.map(({ opaqueId }) => opaqueId),
        [other],
      )
      assert.equal((await world.rules.bin.list(owner)).length, 3)
      await world.rules.bin.empty(owner)
      assert.equal((await accountRow(world, owner)).usedBytes, 10)
    }),
  )

  it(
    'discards the drops of a link in short transactions, so that others are served in between',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const pile = await newLink(world, {}, owner)
      for (let count = 0; count <= MAX_DISCARDED_AT_ONCE; count += 1) await land(world, pile, bytes(10))
      const changeSeq = defined(await world.store.read((tx) => tx.changes.lastSeq(owner)))
      await world.rules.inbox.discardOfLink(owner, pile)
      assert.deepEqual(await world.rules.inbox.list(owner), [])
      const noted = await world.store.read((tx) => tx.changes.eventsAfter({ accountId: owner, changeSeq, max: 500 }))
      // A transaction notes each change once.
      assert.equal(noted.filter(({ change }) => change.name === 'quota.changed').length, 2)
    }),
  )

  it('changes nothing when the store fails', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const drop = await landedDrop(world)
        faults.arm('storeWrite', { times: 1 })
        await assert.rejects(world.rules.inbox.discard(drop.accountId, drop.dropId))
        assert.equal((await accountRow(world, drop.accountId)).usedBytes, 100)
        assert.equal(await objectState(world, drop), 'kept')
        assert.equal(await world.rules.inbox.discard(drop.accountId, drop.dropId), undefined)
      },
      { around: faults.around },
    )()
  })
})

describe('the content of a drop', () => {
  it(
    'can be read until the discard, and a reader that has begun reads to the end',
    inWorld(async (world) => {
      const drop = await landedDrop(world)
      const { location } = notRefused(await world.rules.inbox.content(drop.accountId, drop.dropId))
      const reading = world.blobs.read(location, { start: 0, end: 100 })[Symbol.asyncIterator]()
      await world.rules.inbox.discard(drop.accountId, drop.dropId)
      assert.deepEqual(await world.rules.inbox.content(drop.accountId, drop.dropId), NOT_FOUND)
      assert.equal((await reading.next()).value?.length, 100)
      await reading.return?.()
    }),
  )

  it(
    'is refused as storage_unavailable when its bytes are missing',
    inWorld(async (world) => {
      const drop = await landedDrop(world)
      await world.blobs.remove(drop.location)
      assert.deepEqual(await world.rules.inbox.content(drop.accountId, drop.dropId), { refused: 'storage_unavailable' })
    }),
  )
})
