import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import type { Store } from '../../ports/store.ts'
import { adopt, assetOf, chargedRows, declaredFor, declaredForDrop, newDrop, newKeeper } from '../../testing/assets.ts'
import { accountRow, admitted, bytes } from '../../testing/guest.ts'
import { inWorld, known, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

const content = bytes(1000)
const NOT_FOUND = { refused: 'drop_not_found' }
const pending = (world: World, accountId: AccountId) => world.rules.inbox.list(accountId)

describe('adopting a drop', () => {
  it(
    'makes it the original of an asset, with a receipt besides that of its landing',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const drop = await newDrop(world, keeper, content)
      const declared = declaredFor(world, keeper, content, { keyMode: 'wrapped', contentType: 'image/png' })
      const before = await accountRow(world, keeper.accountId)
      assert.equal(await adopt(world, keeper, drop, declared), declared.assetId)
      const { asset, blobs } = await assetOf(world, keeper, declared.assetId)
      const { dropId, opaqueId, kemCt, receivedAt, uploadId, location } = drop
      assert.deepEqual(asset.drop, { dropId, opaqueId, kemCt, receivedAt })
      assert.deepEqual(
        blobs.map((blob) => [blob.role, blob.location, blob.contentType, blob.envelope]),
        [['original', location, 'image/png', declared.envelope]],
      )
      assert.deepEqual(await pending(world, keeper.accountId), [])
      assert.equal((await accountRow(world, keeper.accountId)).usedBytes, before.usedBytes)
      const receipts = admitted(await world.rules.assets.receipts(keeper.accountId, declared.assetId))
      assert.deepEqual(
        receipts.map((row) => [row.uploadId, row.dropId, row.assetId]),
        [
          [uploadId, dropId, undefined],
          [uploadId, undefined, declared.assetId],
        ],
      )
      assert.equal(readReceipt(known(receipts[1]).receiptCbor).ciphertext_hash, drop.ciphertextHash)
    }),
  )

  it(
    'succeeds for one of 64 assets at once; 64 repeats of one request are one adoption',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const drop = await newDrop(world, keeper, content)
      const requests = Array.from({ length: 64 }, () => declaredFor(world, keeper, content))
      const answers = await Promise.all(requests.map((declared) => adopt(world, keeper, drop, declared)))
      const won = answers.filter((answer) => !isRefusal(answer))
      assert.equal(won.length, 1)
      assert.ok(answers.every((answer) => !isRefusal(answer) || answer.refused === 'drop_not_found'))
      const again = await newDrop(world, keeper, bytes(10))
      const same = declaredForDrop(world, keeper, again)
      const repeats = await Promise.all(Array.from({ length: 64 }, () => adopt(world, keeper, again, same)))
      assert.deepEqual([...new Set(repeats.map(String))], [same.assetId])
      const assets = [...requests.map(({ assetId }) => assetId), same.assetId]
      assert.equal(
        (await accountRow(world, keeper.accountId)).usedBytes,
        await chargedRows(world, keeper.accountId, assets),
      )
      assert.equal((await accountRow(world, keeper.accountId)).usedBytes, 1010)
    }),
  )

  it(
    'and discarding it at the same time has one winner, 40 times over',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      for (let round = 0; round < 40; round++) {
        const drop = await newDrop(world, keeper, bytes(10))
        const declared = declaredForDrop(world, keeper, drop)
        const [adopted, discarded] = await Promise.all([
          adopt(world, keeper, drop, declared),
          world.rules.inbox.discard(keeper.accountId, drop.dropId),
        ])
        assert.notEqual(isRefusal(adopted), isRefusal(discarded), 'exactly one of the two succeeds')
        const used = (await accountRow(world, keeper.accountId)).usedBytes
        assert.equal(used, isRefusal(adopted) ? 0 : 10)
        if (!isRefusal(adopted)) admitted(await world.rules.assets.remove(keeper.accountId, declared.assetId))
      }
    }),
  )
})

/** A process that dies after some writes: later writes fail and change nothing. */
function dying(real: Store): { readonly store: Store; dieAfterWrites(count: number): void } {
  let left = Number.POSITIVE_INFINITY
  return {
    store: { ...real, write: async (work) => (left-- > 0 ? real.write(work) : Promise.reject(new Error('dead'))) },
    dieAfterWrites: (count) => {
      left = count
    },
  }
}

describe('an adoption whose process died after it claimed', () => {
  let process: ReturnType<typeof dying> | undefined
  const around = {
    store(real: Store) {
      process = dying(real)
      return process.store
    },
  }

  /** A drop that was claimed and never settled. */
  async function leaveClaimed(world: World) {
    const keeper = await newKeeper(world)
    const drop = await newDrop(world, keeper, content)
    const declared = declaredFor(world, keeper, content)
    known(process).dieAfterWrites(1)
    await assert.rejects(adopt(world, keeper, drop, declared), /dead/)
    assert.notEqual((await pending(world, keeper.accountId))[0]?.leasedUntil, undefined)
    known(process).dieAfterWrites(Number.POSITIVE_INFINITY)
    return { keeper, drop, declared, rules: { rules: world.restarted() } }
  }

  it(
    'shows as adopting, and keeps other requests from the drop until the lease has expired',
    inWorld(
      async (world) => {
        const { keeper, drop, rules } = await leaveClaimed(world)
        const other = declaredFor(world, keeper, content)
        const before = await accountRow(world, keeper.accountId)
        assert.deepEqual(await adopt(rules, keeper, drop, other), NOT_FOUND)
        assert.deepEqual(await rules.rules.inbox.discard(keeper.accountId, drop.dropId), NOT_FOUND)
        world.clock.advance(60)
        assert.equal((await pending(world, keeper.accountId))[0]?.leasedUntil !== undefined, true)
        assert.equal(await adopt(rules, keeper, drop, other), other.assetId)
        assert.deepEqual(await accountRow(world, keeper.accountId), before)
        assert.equal(admitted(await rules.rules.assets.receipts(keeper.accountId, other.assetId)).length, 2)
      },
      { around },
    ),
  )

  it(
    'is completed by the same request at once, and gives way to a discard after the lease',
    inWorld(
      async (world) => {
        const first = await leaveClaimed(world)
        assert.equal(await adopt(first.rules, first.keeper, first.drop, first.declared), first.declared.assetId)
        const second = await leaveClaimed(world)
        world.clock.advance(61)
        admitted(await second.rules.rules.inbox.discard(second.keeper.accountId, second.drop.dropId))
        assert.equal((await accountRow(world, second.keeper.accountId)).usedBytes, 0)
      },
      { around },
    ),
  )
})
