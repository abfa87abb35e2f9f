import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { land, newLink } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { createQuota, type QuotaSettings, UNLIMITED } from '../quota/quota.ts'
import { createOperator } from './operator.ts'

const operatorOf = (world: World, limits: Partial<QuotaSettings> = {}) =>
  createOperator({
    ...world,
    ending: world.rules.ending,
    quota: createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14, ...limits }),
  })

const emailOf = (accountId: AccountId) => `${accountId}@example.org`

describe('the operator', () => {
  it(
    'finds an account by its id, and by its e-mail in any typing',
    inWorld(async (world) => {
      const [accountId] = [await newAccount(world), await newAccount(world)]
      const operator = operatorOf(world)
      for (const named of [accountId, emailOf(accountId), ` ${emailOf(accountId).toUpperCase()} `])
        assert.equal((await operator.find(named))?.account.accountId, accountId)
      for (const named of ['unknown@example.org', '00000000-0000-4000-8000-000000000000', ''])
        assert.equal(await operator.find(named), undefined)
    }),
  )

  it(
    'deletes an account as its owner would; afterwards it knows none',
    inWorld(async (world) => {
      const [accountId, other] = [await newAccount(world), await newAccount(world)]
      const operator = operatorOf(world)
      await land(world, await newLink(world, {}, accountId), new Uint8Array(9))
      assert.deepEqual(await operator.remove(emailOf(accountId)), { accountId })
      assert.equal(await operator.find(accountId), undefined)
      assert.equal(await operator.remove(accountId), undefined)
      assert.notEqual(await operator.find(other), undefined)
      await world.rules.accountDeletion.resume()
      assert.deepEqual(await world.store.read((tx) => tx.accountDeletions.listUnfinished(9)), [])
    }),
  )

  it(
    'suspends and resumes an account once; repeats change nothing and say so',
    inWorld(async (world) => {
      const [accountId, other] = [await newAccount(world), await newAccount(world)]
      const operator = operatorOf(world)
      const suspendedAt = world.clock.now()
      const done = async (answer: ReturnType<typeof operator.suspend>) => {
        const { account, isChanged } = defined(await answer)
        return [account.suspendedAt, isChanged]
      }
      assert.deepEqual(await done(operator.resume(accountId)), [undefined, false])
      assert.deepEqual(await done(operator.suspend(accountId)), [suspendedAt, true])
      world.clock.advance(60)
      assert.deepEqual(await done(operator.suspend(accountId)), [suspendedAt, false])
      assert.equal((await operator.find(other))?.account.suspendedAt, undefined)
      assert.deepEqual(await done(operator.resume(accountId)), [undefined, true])
      assert.equal(await operator.suspend('unknown@example.org'), undefined)
      assert.equal(await operator.resume('unknown@example.org'), undefined)
    }),
  )

  it(
    'changes the given limit and leaves the other, and drops a limit that is set to default',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const operator = operatorOf(world, { softBytes: 80, hardBytes: 100 })
      const set = async (changes: Parameters<typeof operator.setLimits>[1]) => {
        const answer = defined(await operator.setLimits(accountId, changes))
        return 'refused' in answer ? answer : [answer.quota.softLimit, answer.quota.hardLimit]
      }
      assert.deepEqual(await set({ hardLimitBytes: 1000 }), [1000, 1000])
      assert.deepEqual(await set({ softLimitBytes: 500 }), [500, 1000])
      const crossed = { refused: 'limits_crossed', softLimitBytes: 500, hardLimitBytes: 499 }
      assert.deepEqual(await set({ hardLimitBytes: 499 }), crossed)
      assert.deepEqual(await set({ hardLimitBytes: 'default' }), { ...crossed, hardLimitBytes: 100 })
      assert.deepEqual(await set({}), [500, 1000])
      assert.deepEqual(await set({ hardLimitBytes: 500 }), [500, 500])
      assert.deepEqual(await set({ hardLimitBytes: UNLIMITED }), [500, undefined])
      assert.deepEqual(await set({ hardLimitBytes: 'default', softLimitBytes: 'default' }), [80, 100])
      assert.equal(await operator.setLimits('unknown@example.org', { hardLimitBytes: 1 }), undefined)
    }),
  )

  it(
    'lists every account once, with its pending drops',
    inWorld(async (world) => {
      const ids: AccountId[] = []
      for (let count = 0; count < 501; count += 1) ids.push(await newAccount(world))
      const busy = defined(ids[7])
      await land(world, await newLink(world, {}, busy), new Uint8Array(9))
      const listed = new Map<AccountId, readonly number[]>()
      for await (const { account, pendingDrops, quota } of operatorOf(world).list())
        listed.set(account.accountId, [pendingDrops, quota.used])
      assert.deepEqual([...listed.keys()], ids.toSorted())
      assert.deepEqual(listed.get(busy), [1, 9])
    }),
  )
})
