import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { accountRow } from '../testing/guest.ts'
import { inWorld, newAccount, type World } from '../testing/world.ts'
import { createQuota, type QuotaSettings } from './quota.ts'

const DAY = 86_400

/** An account, and what is said of it under limits that a test may change, as an operator does. */
async function account(world: World) {
  const accountId: AccountId = await newAccount(world)
  const under = (limits: Partial<QuotaSettings>) =>
    createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14, ...limits })
  return {
    accountId,
    charge: async (limits: Partial<QuotaSettings>, bytes: number) => {
      const row = await accountRow(world, accountId)
      return world.store.write((tx) => under(limits).charge(tx, row, bytes, world.clock.now()))
    },
    refund: async (limits: Partial<QuotaSettings>, bytes: number) =>
      world.store.write((tx) => under(limits).refund(tx, accountId, bytes, world.clock.now())),
    state: async (limits: Partial<QuotaSettings>) =>
      under(limits).snapshot(await accountRow(world, accountId), world.clock.now()).state,
    snapshot: async (limits: Partial<QuotaSettings>) =>
      under(limits).snapshot(await accountRow(world, accountId), world.clock.now()),
  }
}

describe('the quota', () => {
  const limits = { softBytes: 80, hardBytes: 100 }
  const EXCEEDED = { refused: 'quota_exceeded' }

  it(
    'goes from ok over soft_warning to hard_exceeded at the very byte, and back',
    inWorld(async (world) => {
      const { charge, refund, state } = await account(world)
      assert.equal(await state(limits), 'ok')
      await charge(limits, 79)
      assert.equal(await state(limits), 'ok')
      await charge(limits, 1)
      assert.equal(await state(limits), 'soft_warning')
      await charge(limits, 19)
      assert.equal(await state(limits), 'soft_warning')
      await charge(limits, 1)
      assert.equal(await state(limits), 'hard_exceeded')
      await refund(limits, 1)
      assert.equal(await state(limits), 'soft_warning')
      await refund(limits, 99)
      assert.equal(await state(limits), 'ok')
    }),
  )

  it(
    'admits what fits exactly and not a byte more, and a refused charge changes nothing',
    inWorld(async (world) => {
      const { charge, snapshot } = await account(world)
      assert.deepEqual(await charge(limits, 101), EXCEEDED)
      assert.equal(await charge(limits, 100), undefined)
      assert.deepEqual(await charge(limits, 1), EXCEEDED)
      assert.equal((await snapshot(limits)).used, 100)
    }),
  )

  it(
    'is grace_expired once it was over its limit for longer than the grace, and not a moment before',
    inWorld(async (world) => {
      const { charge, refund, state } = await account(world)
      await charge(limits, 100)
      world.clock.advance(14 * DAY)
      assert.equal(await state(limits), 'hard_exceeded')
      world.clock.advance(0.001)
      assert.equal(await state(limits), 'grace_expired')
      await refund(limits, 1)
      assert.equal(await state(limits), 'soft_warning')
      await charge(limits, 1)
      assert.equal(await state(limits), 'hard_exceeded')
    }),
  )

  it(
    'begins its grace with the excess at hand and never with an earlier one',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      await charge(limits, 100)
      world.clock.advance(30 * DAY)
      // The operator gave more, and one file fills that too.
      const more = { hardBytes: 300 }
      assert.equal(await state(more), 'ok')
      await charge(more, 200)
      assert.equal(await state(more), 'hard_exceeded')
      world.clock.advance(15 * DAY)
      assert.equal(await state(more), 'grace_expired')
    }),
  )

  it(
    'does not begin its grace anew with each refund that leaves it over the limit',
    inWorld(async (world) => {
      const { charge, refund, state } = await account(world)
      await charge({}, 500)
      await refund(limits, 100)
      world.clock.advance(10 * DAY)
      await refund(limits, 100)
      world.clock.advance(5 * DAY)
      assert.equal(await state(limits), 'grace_expired')
    }),
  )

  it(
    'warns at the hard limit where no soft one is set, and tells no limits where there are none',
    inWorld(async (world) => {
      const { charge, snapshot } = await account(world)
      await charge({}, 99)
      assert.deepEqual(await snapshot({ hardBytes: 100 }), { used: 99, softLimit: 100, hardLimit: 100, state: 'ok' })
      assert.deepEqual(await snapshot({ softBytes: 50 }), {
        used: 99,
        softLimit: 50,
        hardLimit: undefined,
        state: 'soft_warning',
      })
      assert.deepEqual(await snapshot({}), { used: 99, softLimit: undefined, hardLimit: undefined, state: 'ok' })
    }),
  )

  it(
    'is not made worse by a clock that goes back',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      await charge(limits, 100)
      world.clock.advance(-400 * DAY)
      assert.equal(await state(limits), 'hard_exceeded')
    }),
  )

  it(
    'of a zero limit admits nothing and is exceeded',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      assert.equal(await state({ hardBytes: 0 }), 'hard_exceeded')
      assert.deepEqual(await charge({ hardBytes: 0 }, 1), EXCEEDED)
    }),
  )
})
