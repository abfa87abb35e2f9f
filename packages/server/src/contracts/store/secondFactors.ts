import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Challenge, Store } from '../../ports/store.ts'
import { account, accountId, at, atOnce, bytes, countTrue, type InStore, seed } from './world.ts'

export function describeSecondFactors(inStore: InStore): void {
  describe('second factors', () => {
    describeFactors(inStore)
    describeBackupCodes(inStore)
  })
  describe('challenges', () => describeChallenges(inStore))
}

export function challenge(number: number, given: Partial<Challenge> = {}): Challenge {
  return {
    tokenHash: codeHash(number),
    accountId: accountId(1),
    deviceId: undefined,
    recovery: undefined,
    createdAt: at(0),
    expiresAt: at(300),
    ...given,
  }
}

export function codeHash(number: number): string {
  return String(number).padStart(64, '0')
}

const factorOf = (store: Store, number: number) => store.read((tx) => tx.secondFactors.find(accountId(number)))
const confirmedAt = async (store: Store, number: number) =>
  (await store.read((tx) => tx.accounts.find(accountId(number))))?.totpConfirmedAt

function describeFactors(inStore: InStore): void {
  it(
    'keeps the last enrolled secret until it is confirmed, and then refuses to replace it',
    inStore(async (store) => {
      await seed(store)
      const enroll = (value: number) => store.write([], (tx) => tx.secondFactors.enroll(accountId(1), bytes(49, value)))
      const confirm = (seconds: number) => store.write([], (tx) => tx.secondFactors.confirm(accountId(1), at(seconds)))
      assert.equal(await factorOf(store, 1), undefined)
      assert.equal(await confirm(1), false)
      assert.equal(await enroll(1), true)
      assert.equal(await enroll(2), true)
      assert.deepEqual(await factorOf(store, 1), { sealedSecret: bytes(49, 2), confirmedAt: undefined })
      assert.equal(await confirmedAt(store, 1), undefined)
      assert.equal(await confirm(5), true)
      assert.equal(await confirm(6), false)
      assert.equal(await enroll(3), false)
      assert.deepEqual(await factorOf(store, 1), { sealedSecret: bytes(49, 2), confirmedAt: at(5) })
      assert.equal(await confirmedAt(store, 1), at(5))
      assert.equal(await factorOf(store, 2), undefined)
    }),
  )

  it(
    'removes an unconfirmed factor when the account’s sign-in key changes, and keeps a confirmed one',
    inStore(async (store) => {
      await seed(store)
      for (const number of [1, 2])
        await store.write([], (tx) => tx.secondFactors.enroll(accountId(number), bytes(49, number)))
      await store.write([], (tx) => tx.secondFactors.confirm(accountId(2), at(5)))
      for (const number of [1, 2]) {
        const row = account(number)
        const change = { ...row, signInKeyHash: bytes(32, 8) }
        const isChanged = await store.write([], (tx) =>
          tx.accounts.changeSignInKey(row.accountId, row.signInKeyHash, change),
        )
        assert.equal(isChanged, true)
      }
      assert.equal(await factorOf(store, 1), undefined)
      assert.deepEqual(await factorOf(store, 2), { sealedSecret: bytes(49, 2), confirmedAt: at(5) })
    }),
  )

  it(
    'removes the account’s factor with its backup codes, and remembers used steps',
    inStore(async (store) => {
      await seed(store)
      const use = (number: number, step: number) =>
        store.write([], (tx) => tx.secondFactors.useStep(accountId(number), step))
      const useCode = (number: number) =>
        store.write([], (tx) => tx.secondFactors.useBackupCode(accountId(number), codeHash(1), at(9)))
      await store.write([], async (tx) => {
        for (const number of [1, 2]) {
          await tx.secondFactors.enroll(accountId(number), bytes(49, number))
          await tx.secondFactors.confirm(accountId(number), at(5))
          await tx.secondFactors.setBackupCodes(accountId(number), [codeHash(1)])
          await tx.secondFactors.useStep(accountId(number), 70)
        }
        await tx.secondFactors.remove(accountId(1))
      })
      assert.equal(await factorOf(store, 1), undefined)
      assert.equal(await confirmedAt(store, 1), undefined)
      assert.equal(await useCode(1), false)
      assert.equal(await use(1, 70), false)
      await store.write([], (tx) => tx.secondFactors.forgetSteps(accountId(1)))
      assert.equal(await use(1, 70), true)
      assert.deepEqual(await factorOf(store, 2), { sealedSecret: bytes(49, 2), confirmedAt: at(5) })
      assert.equal(await useCode(2), true)
      assert.equal(await use(2, 70), false)
    }),
  )

  it(
    'accepts a step for one of 64 simultaneous calls, and then no earlier step',
    inStore(async (store) => {
      await seed(store)
      for (const step of [100, 101]) {
        const used = await atOnce(store, 64, (tx) => tx.secondFactors.useStep(accountId(1), step))
        assert.equal(countTrue(used), 1)
      }
      for (const step of [99, 100, 101])
        assert.equal(await store.write([], (tx) => tx.secondFactors.useStep(accountId(1), step)), false)
      assert.equal(await store.write([], (tx) => tx.secondFactors.useStep(accountId(2), 99)), true)
    }),
  )
}

function describeBackupCodes(inStore: InStore): void {
  it(
    'accepts the account’s own backup code for one of 64 simultaneous calls, and no replaced code',
    inStore(async (store) => {
      await seed(store)
      const use = (account: number, code: number) =>
        store.write([], (tx) => tx.secondFactors.useBackupCode(accountId(account), codeHash(code), at(1)))
      await store.write([], async (tx) => {
        await tx.secondFactors.setBackupCodes(accountId(1), [codeHash(1), codeHash(2)])
        await tx.secondFactors.setBackupCodes(accountId(1), [codeHash(2), codeHash(3)])
      })
      assert.equal(await use(2, 3), false)
      const used = await atOnce(store, 64, (tx) => tx.secondFactors.useBackupCode(accountId(1), codeHash(3), at(1)))
      assert.equal(countTrue(used), 1)
      assert.deepEqual(
        [await use(1, 1), await use(1, 2), await use(1, 2), await use(1, 3)],
        [false, true, false, false],
      )
    }),
  )
}

const find = (store: Store, number: number) => store.read((tx) => tx.challenges.find(codeHash(number)))

function describeChallenges(inStore: InStore): void {
  it(
    'counts as many of 64 simultaneous attempts as allowed, and none after its end or after it was taken',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.challenges.insert(challenge(1))
        await tx.challenges.insert(challenge(2))
      })
      const counted = (number: number, seconds: number) =>
        atOnce(store, 64, (tx) => tx.challenges.countAttempt(codeHash(number), { at: at(seconds), attemptsMax: 5 }))
      assert.equal(countTrue(await counted(2, 300)), 0)
      assert.equal(countTrue(await counted(1, 299)), 5)
      assert.equal(countTrue(await counted(3, 1)), 0)
      await store.write([], (tx) => tx.challenges.consume(codeHash(2), at(1)))
      assert.equal(countTrue(await counted(2, 1)), 0)
    }),
  )

  it(
    'is taken by one of 64 simultaneous calls, and by none after its end',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.challenges.insert(challenge(1)))
      assert.equal(await store.write([], (tx) => tx.challenges.consume(codeHash(1), at(300))), false)
      const taken = await atOnce(store, 64, (tx) => tx.challenges.consume(codeHash(1), at(299)))
      assert.equal(countTrue(taken), 1)
      assert.equal(await store.write([], (tx) => tx.challenges.consume(codeHash(9), at(1))), false)
    }),
  )

  it(
    'are removed by account, and pruned after their end, earliest first, at most as many as requested',
    inStore(async (store) => {
      await seed(store)
      const known = async () => {
        const found = await Promise.all([1, 2, 3, 4, 5].map((number) => find(store, number)))
        return found.flatMap((each, index) => (each === undefined ? [] : [index + 1]))
      }
      await store.write([], async (tx) => {
        for (const number of [1, 2, 3, 4])
          await tx.challenges.insert(challenge(number, { expiresAt: at(100 * (5 - number)) }))
        await tx.challenges.insert(challenge(5, { accountId: accountId(2), expiresAt: at(1_000) }))
      })
      await store.write([], (tx) => tx.challenges.prune(at(300), 2))
      assert.deepEqual(await known(), [1, 2, 5])
      await store.write([], (tx) => tx.challenges.prune(at(300), 2))
      assert.deepEqual(await known(), [1, 5])
      await store.write([], (tx) => tx.challenges.removeOf(accountId(1)))
      assert.deepEqual(await known(), [5])
    }),
  )

  it(
    'are kept to the newest of an account, those for sign-ins and those for recoveries apart',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        for (const number of [1, 2, 3]) await tx.challenges.insert(challenge(number, { createdAt: at(4 - number) }))
        await tx.challenges.insert(challenge(4, { accountId: accountId(2) }))
        for (const number of [5, 6])
          await tx.challenges.insert(challenge(number, { createdAt: at(number), recovery: '{}' }))
        await tx.challenges.removeOlderSignInsOf(accountId(1), 2)
        await tx.challenges.removeOlderRecoveriesOf(accountId(1), 1)
      })
      const found = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => find(store, number)))
      assert.deepEqual(
        found.map((each) => each !== undefined),
        [true, true, false, true, false, true],
      )
    }),
  )
}
