import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { createFaults } from '../../testing/faults.ts'
import { accountRow } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { createQuota, type QuotaSettings, UNLIMITED } from './quota.ts'
import { createQuotaReview } from './quotaReview.ts'

const DAY = 86_400

/** An account under limits that a test may change, as an operator does. */
async function account(world: World) {
  const accountId: AccountId = await newAccount(world)
  const under = (limits: Partial<QuotaSettings>) =>
    createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14, ...limits })
  const seen = async (limits: Partial<QuotaSettings>) =>
    under(limits).snapshot(await accountRow(world, accountId), world.clock.now())
  return {
    accountId,
    /** Whole days since the stored begin of the excess. */
    daysOver: async () => {
      const { exceededSince } = await accountRow(world, accountId)
      return exceededSince && Math.floor((world.clock.now() - exceededSince) / (DAY * 1000))
    },
    /** Sets the account's own limits, as the operator does. */
    own: async (limits: Partial<QuotaSettings>, softLimitBytes?: number, hardLimitBytes?: number) => {
      const row = await accountRow(world, accountId)
      await world.store.write([], (tx) =>
        under(limits).setLimits(tx, row, { softLimitBytes, hardLimitBytes }, world.clock.now()),
      )
      const { softLimit, hardLimit, state } = await seen(limits)
      return [softLimit, hardLimit, state]
    },
    /** The review after a start with these limits. */
    review: async (limits: Partial<QuotaSettings>) => createQuotaReview({ ...world, quota: under(limits) })(),
    charge: async (limits: Partial<QuotaSettings>, bytes: number) =>
      world.store.write([], (tx) => under(limits).charge(tx, accountId, bytes, world.clock.now())),
    refund: async (limits: Partial<QuotaSettings>, bytes: number) =>
      world.store.write([], (tx) => under(limits).refund(tx, accountId, bytes, world.clock.now())),
    state: async (limits: Partial<QuotaSettings>) => (await seen(limits)).state,
    snapshot: seen,
  }
}

describe('the quota', () => {
  const limits = { softBytes: 80, hardBytes: 100 }
  const EXCEEDED = { refused: 'quota_exceeded' }

  it(
    'changes from ok to soft_warning to hard_exceeded at the exact byte, and back',
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
    'admits what fits exactly and not a byte more; a refused charge changes nothing',
    inWorld(async (world) => {
      const { charge, snapshot } = await account(world)
      assert.deepEqual(await charge(limits, 101), EXCEEDED)
      assert.equal(await charge(limits, 100), undefined)
      assert.deepEqual(await charge(limits, 1), EXCEEDED)
      assert.equal((await snapshot(limits)).used, 100)
    }),
  )

  it(
    'is grace_expired once the excess lasts longer than the grace, to the millisecond',
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
    'begins the grace with the present excess, never with an earlier one',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      await charge(limits, 100)
      world.clock.advance(30 * DAY)
      // The operator raises the limit, and one file fills it again.
      const more = { hardBytes: 300 }
      assert.equal(await state(more), 'ok')
      await charge(more, 200)
      assert.equal(await state(more), 'hard_exceeded')
      world.clock.advance(15 * DAY)
      assert.equal(await state(more), 'grace_expired')
    }),
  )

  it(
    'does not restart the grace with a refund that leaves the account over the limit',
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
    'warns at the hard limit when no soft one is set, and has no limits when none are set',
    inWorld(async (world) => {
      const { charge, snapshot } = await account(world)
      await charge({}, 99)
      const factsUnder = async (under: Partial<QuotaSettings>) => {
        const { used, softLimit, hardLimit, state } = await snapshot(under)
        return [used, softLimit, hardLimit, state]
      }
      assert.deepEqual(await factsUnder({ hardBytes: 100 }), [99, 100, 100, 'ok'])
      assert.deepEqual(await factsUnder({ softBytes: 50 }), [99, 50, undefined, 'soft_warning'])
      assert.deepEqual(await factsUnder({}), [99, undefined, undefined, 'ok'])
    }),
  )

  it(
    'does not expire when the clock is set back',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      await charge(limits, 100)
      world.clock.advance(-400 * DAY)
      assert.equal(await state(limits), 'hard_exceeded')
    }),
  )

  it(
    'with a limit of zero admits nothing and is exceeded',
    inWorld(async (world) => {
      const { charge, state } = await account(world)
      assert.equal(await state({ hardBytes: 0 }), 'hard_exceeded')
      assert.deepEqual(await charge({ hardBytes: 0 }, 1), EXCEEDED)
    }),
  )
})

describe('an account’s own limits', () => {
  const deployment = { softBytes: 80, hardBytes: 100 }
  const NONE = undefined

  it(
    'replace those of the deployment: a hard one replaces both, and no soft limit is above the hard one',
    inWorld(async (world) => {
      const { own, charge } = await account(world)
      await charge({}, 70)
      assert.deepEqual(await own(deployment, 60), [60, 100, 'soft_warning'])
      assert.deepEqual(await own(deployment, NONE, 1000), [1000, 1000, 'ok'])
      assert.deepEqual(await own(deployment, 70, 71), [70, 71, 'soft_warning'])
      assert.deepEqual(await own(deployment, NONE, 71), [71, 71, 'ok'])
      assert.deepEqual(await own(deployment, NONE, 70), [70, 70, 'hard_exceeded'])
      assert.deepEqual(await own(deployment, NONE, UNLIMITED), [NONE, NONE, 'ok'])
      assert.deepEqual(await own(deployment, 70, UNLIMITED), [70, NONE, 'soft_warning'])
      assert.deepEqual(await own(deployment, 500), [100, 100, 'ok'])
      assert.deepEqual(await own(deployment), [80, 100, 'ok'])
      assert.deepEqual(await own({}, 70), [70, NONE, 'soft_warning'])
    }),
  )

  it(
    'bound the charges, and an account with UNLIMITED may store anything',
    inWorld(async (world) => {
      const { own, charge } = await account(world)
      await own(deployment, NONE, 50)
      assert.deepEqual(await charge(deployment, 51), { refused: 'quota_exceeded' })
      await own(deployment, NONE, UNLIMITED)
      assert.equal(await charge(deployment, 5000), undefined)
    }),
  )

  it(
    'begin the grace when lowered to the use, keep it when lowered more, and end it when raised above',
    inWorld(async (world) => {
      const { own, charge, daysOver, state } = await account(world)
      await charge({}, 70)
      await own({}, NONE, 71)
      assert.equal(await daysOver(), undefined)
      await own({}, NONE, 70)
      assert.equal(await daysOver(), 0)
      world.clock.advance(10 * DAY)
      await own({}, NONE, 10)
      assert.equal(await daysOver(), 10)
      world.clock.advance(4 * DAY)
      assert.equal(await state({}), 'hard_exceeded')
      world.clock.advance(0.001)
      assert.equal(await state({}), 'grace_expired')
      await own({}, NONE, 71)
      assert.deepEqual([await daysOver(), await state({})], [undefined, 'ok'])
      await own({}, NONE, 70)
      assert.deepEqual([await daysOver(), await state({})], [0, 'hard_exceeded'])
    }),
  )

  it(
    'end the grace of the deployment’s limits, which begins again without them',
    inWorld(async (world) => {
      const { own, charge, daysOver } = await account(world)
      await charge(deployment, 100)
      world.clock.advance(20 * DAY)
      assert.equal(await daysOver(), 20)
      await own(deployment, NONE, UNLIMITED)
      assert.equal(await daysOver(), undefined)
      await own(deployment)
      assert.equal(await daysOver(), 0)
    }),
  )
})

describe('a start with other limits of the deployment', () => {
  it(
    'begins the grace of accounts that are now over, ends it for accounts that are now below, and leaves the others',
    inWorld(async (world) => {
      const [small, large, own] = [await account(world), await account(world), await account(world)]
      const [before, after] = [{ hardBytes: 300 }, { hardBytes: 200 }]
      await small.charge(before, 150)
      await large.charge(before, 250)
      await own.own(before, undefined, 100)
      await own.charge(before, 100)
      const noted = async () => [await small.daysOver(), await large.daysOver(), await own.daysOver()]
      await small.review(before)
      assert.deepEqual(await noted(), [undefined, undefined, 0])
      world.clock.advance(3 * DAY)
      await small.review(after)
      assert.deepEqual(await noted(), [undefined, 0, 3])
      world.clock.advance(14 * DAY)
      await small.review(after)
      assert.deepEqual([await large.state(after), await own.state(after)], ['hard_exceeded', 'grace_expired'])
      world.clock.advance(0.001)
      assert.equal(await large.state(after), 'grace_expired')
      await small.review(before)
      assert.deepEqual(await noted(), [undefined, undefined, 17])
    }),
  )

  it('is noted for the accounts behind one that cannot be noted', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const ids = [await newAccount(world), await newAccount(world), await newAccount(world)]
        faults.arm('storeWrite', { times: 1 })
        const quota = createQuota({ softBytes: undefined, hardBytes: 0, graceDays: 14 })
        await assert.rejects(createQuotaReview({ ...world, quota })(), StorageUnavailable)
        const rows = await Promise.all(ids.map((accountId) => accountRow(world, accountId)))
        assert.equal(rows.filter(({ exceededSince }) => exceededSince !== undefined).length, 2)
      },
      { around: faults.around },
    )()
  })

  it(
    'is noted for 500 accounts in each sweep, in turns',
    inWorld(
      async (world) => {
        const ids: AccountId[] = []
        for (let count = 0; count < 501; count += 1) ids.push(await newAccount(world))
        const [first, last] = [ids.toSorted().at(0), ids.toSorted().at(-1)]
        const isNoted = async (accountId: AccountId | undefined) =>
          (await accountRow(world, defined(accountId))).exceededSince !== undefined
        await world.rules.sweep.sweep()
        assert.deepEqual([await isNoted(first), await isNoted(last)], [true, false])
        await world.rules.sweep.sweep()
        assert.equal(await isNoted(last), true)
        await world.store.write([], (tx) => tx.accounts.setExceededSince(defined(first), undefined))
        await world.rules.sweep.sweep()
        assert.equal(await isNoted(first), true)
      },
      { settings: { quotaHardBytes: 0 } },
    ),
  )
})
