import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { Drop } from '../../ports/store.ts'
import { assertBooks, assetRow, replacing } from '../../testing/assetSessions.ts'
import {
  adopt,
  assetOf,
  declaredFor,
  type Keeper,
  landBlob,
  newAssetId,
  newDrop,
  newKeeper,
} from '../../testing/assets.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { admitted, bytes } from '../../testing/guest.ts'
import { createMortal } from '../../testing/mortal.ts'
import { inWorld, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

const content = bytes(100)
const NOT_FOUND = { refused: 'drop_not_found' }

/** A drop that waits, and the asset whose original it is to replace. */
async function scene(world: World, keeper: Keeper) {
  const assetId = newAssetId()
  await landBlob(world, keeper, bytes(30), { assetId })
  const drop = await newDrop(world, keeper, content)
  return { assetId, drop, declared: declaredFor(world, keeper, content, { assetId, envelope: replacing(content) }) }
}

/** It is done, and was done once: the client finds the drop in its asset, whatever it was answered. */
async function assertAdopted(world: World, keeper: Keeper, { assetId, drop }: { assetId: AssetId; drop: Drop }) {
  const { asset, blobs } = await assetOf(world, keeper, assetId)
  assert.deepEqual([asset.drop?.dropId, blobs.map(({ location }) => location)], [drop.dropId, [drop.location]])
  const receipts = admitted(await world.rules.assets.receipts(keeper.accountId, assetId))
  assert.equal(receipts.filter(({ uploadId }) => uploadId === drop.uploadId).length, 2, 'of landing and of adoption')
  assert.deepEqual(await world.rules.inbox.list(keeper.accountId), [])
}

describe('an adoption', () => {
  it('whose process dies at any call is done by the same request again, at once, and once', async () => {
    const mortal = createMortal()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const assetIds: AssetId[] = []
        for (let calls = 0; ; calls += 1) {
          const before = { ...world, rules: world.restarted() }
          const { assetId, drop, declared } = await scene(before, keeper)
          assetIds.push(assetId)
          mortal.dieAfter(calls)
          await adopt(before, keeper, drop, declared).catch(() => undefined)
          const hasDied = mortal.revive()
          const next = { ...world, rules: world.restarted() }
          const answer = await adopt(next, keeper, drop, declared)
          if (isRefusal(answer)) assert.deepEqual(answer, NOT_FOUND)
          await assertAdopted(next, keeper, { assetId, drop })
          if (!hasDied) break
        }
        assert.ok(assetIds.length > 4)
        await assertBooks(world, [keeper.accountId], assetIds)
      },
      { around: mortal.around },
    )()
  })

  it('whose process dies at any call holds the drop no longer than its lease', async () => {
    const mortal = createMortal()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const assetIds: AssetId[] = []
        const outcomes = new Set<boolean>()
        for (let calls = 0; ; calls += 1) {
          const before = { ...world, rules: world.restarted() }
          const { assetId, drop, declared } = await scene(before, keeper)
          assetIds.push(assetId)
          mortal.dieAfter(calls)
          await adopt(before, keeper, drop, declared).catch(() => undefined)
          const hasDied = mortal.revive()
          world.clock.advance(60)
          const { inbox } = world.restarted()
          const discarded = await inbox.discard(keeper.accountId, drop.dropId)
          outcomes.add(isRefusal(discarded))
          assert.equal((await assetRow(world, assetId))?.drop?.dropId === drop.dropId, isRefusal(discarded))
          assert.deepEqual(await inbox.list(keeper.accountId), [])
          if (!hasDied) break
        }
        assert.equal(outcomes.size, 2)
        await assertBooks(world, [keeper.accountId], assetIds)
      },
      { around: mortal.around },
    )()
  })

  it('whose writes fail, done or not, is done by the same request again, in the same process and in another', async () => {
    for (const isApplied of [false, true])
      for (const after of [0, 1])
        for (const times of [1, 2]) {
          const faults = createFaults()
          await inWorld(
            async (world) => {
              const keeper = await newKeeper(world)
              const assetIds: AssetId[] = []
              for (const rules of [world.rules, world.restarted()]) {
                const { assetId, drop, declared } = await scene(world, keeper)
                assetIds.push(assetId)
                faults.arm('storeWrite', { after, times, isApplied })
                await assert.rejects(adopt(world, keeper, drop, declared), /a test broke it/)
                faults.disarm()
                const answer = await adopt({ rules }, keeper, drop, declared)
                if (isRefusal(answer)) assert.deepEqual(answer, NOT_FOUND)
                await assertAdopted({ ...world, rules }, keeper, { assetId, drop })
              }
              await assertBooks(world, [keeper.accountId], assetIds)
            },
            { around: faults.around },
          )()
        }
  })

  it(
    'of a drop whose bytes are gone or cut is refused before it claims, and the drop can be discarded',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      for (const damage of [rm, (file: string) => truncate(file, 99)]) {
        const { assetId, drop, declared } = await scene(world, keeper)
        await damage(join(world.blobsDirectory, drop.location))
        assert.deepEqual(await adopt(world, keeper, drop, declared), { refused: 'storage_unavailable' })
        assert.deepEqual(await world.rules.inbox.list(keeper.accountId), [drop])
        assert.equal(await world.rules.inbox.discard(keeper.accountId, drop.dropId), undefined)
        admitted(await world.rules.assets.remove(keeper.accountId, assetId))
        await assertBooks(world, [keeper.accountId], [assetId])
      }
    }),
  )

  it(
    'done before, or of a drop that was discarded, finds no drop, whatever else is wrong with it',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { drop, declared } = await scene(world, keeper)
      admitted(await adopt(world, keeper, drop, declared))
      const other = await newDrop(world, keeper, content)
      await world.rules.inbox.discard(keeper.accountId, other.dropId)
      for (const gone of [drop, other]) {
        assert.deepEqual(await adopt(world, keeper, gone, declared), NOT_FOUND)
        const faulty = declaredFor(world, keeper, content, { suiteId: 2, contentType: 'text/html' })
        assert.deepEqual(await adopt(world, keeper, gone, faulty), NOT_FOUND)
      }
    }),
  )
})

describe('an adoption that waits for its receipt', () => {
  /** It holds the drop, and nothing is signed before `release`. */
  async function waitingOne(world: World, keeper: Keeper) {
    const { assetId, drop, declared } = await scene(world, keeper)
    const [isHeld, gate] = [createGate(), createGate()]
    const log = world.store.withReceiptLogLock(async () => {
      isHeld.open()
      await gate.passed
    })
    await isHeld.passed
    const answer = adopt(world, keeper, drop, declared)
    const lease = async () => (await world.rules.inbox.list(keeper.accountId))[0]?.leasedUntil
    while ((await lease()) === undefined) await new Promise(setImmediate)
    const release = async () => {
      gate.open()
      await log
    }
    return { assetId, drop, declared, answer, release }
  }

  it(
    'is none when the drop was discarded after its lease: nothing changes, and no receipt says otherwise',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, drop, answer, release } = await waitingOne(world, keeper)
      const head = await world.store.read((tx) => tx.receipts.head())
      world.clock.advance(59)
      assert.deepEqual(await world.rules.inbox.discard(keeper.accountId, drop.dropId), NOT_FOUND)
      world.clock.advance(1)
      assert.equal(await world.rules.inbox.discard(keeper.accountId, drop.dropId), undefined)
      await release()
      assert.deepEqual(await answer, NOT_FOUND)
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
      assert.equal((await assetOf(world, keeper, assetId)).asset.drop, undefined)
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )

  it(
    'is done once when the same request comes to another process as well, and that one is told so',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, drop, declared, answer, release } = await waitingOne(world, keeper)
      const again = adopt({ rules: world.restarted() }, keeper, drop, declared)
      for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
      await release()
      assert.equal(await again, assetId)
      // The one whose claim was taken over looks whether it is done, which may be too soon: its client finds the drop in the asset.
      const first = await answer
      if (isRefusal(first)) assert.deepEqual(first, NOT_FOUND)
      await assertAdopted(world, keeper, { assetId, drop })
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )

  it(
    'lets go of the drop at once when there is no place for it any more',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, drop, answer, release } = await waitingOne(world, keeper)
      assert.equal(await world.rules.assets.remove(keeper.accountId, assetId), undefined)
      await release()
      assert.deepEqual(await answer, { refused: 'asset_id_taken' })
      assert.deepEqual(await world.rules.inbox.list(keeper.accountId), [drop])
      const elsewhere = declaredFor(world, keeper, content)
      assert.equal(await adopt(world, keeper, drop, elsewhere), elsewhere.assetId)
      await assertBooks(world, [keeper.accountId], [assetId, elsewhere.assetId])
    }),
  )
})
