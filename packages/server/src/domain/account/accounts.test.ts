import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, notRefused } from '../../testing/guest.ts'
import { accountsOf, KEY, keyHash, proved, publicKey, registration, useUpSignIns } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import type { Credentials } from './accounts.ts'
import { createAttemptLimits, newAccountLimits } from './attemptLimits.ts'
import type { Registration } from './registration.ts'

const credentials = (overrides: Partial<Credentials> = {}): Credentials => {
  const { email, provedKey } = registration()
  return { email, provedKey, deviceId: undefined, source: undefined, ...overrides }
}

const reasonOf = (answer: object) => ('refused' in answer ? String(answer.refused) : 'in')

describe('registering', () => {
  it(
    'makes an account and signs it in, and stores only a hash of the key',
    inWorld(async (world) => {
      const pair = notRefused(await world.rules.accounts.register(registration({ email: '  Ada@Example.ORG ' })))
      const { account } = notRefused(await world.rules.sessions.authenticate(pair.accessToken))
      assert.equal(account.email, 'ada@example.org')
      assert.deepEqual(account.signInKeyHash, keyHash(publicKey(KEY)))
      assert.equal(reasonOf(await world.rules.accounts.logIn(credentials({ email: 'ADA@example.org' }))), 'in')
    }),
  )

  it(
    'succeeds again with the same values, at once or later, and is refused with others',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      const request = registration({
        salt: bytes(16),
        sealedAccountKey: bytes(50),
        sealedRecoveryKey: bytes(50),
        recoveryKey: bytes(32),
      })
      const pairs = await Promise.all(Array.from({ length: 8 }, () => accounts.register(request)))
      assert.equal(new Set(pairs.map((pair) => notRefused(pair).accountId)).size, 1)
      const others: Partial<Registration>[] = [
        { provedKey: proved('another key') },
        { salt: bytes(16) },
        { salt: undefined },
        { sealedAccountKey: bytes(50) },
        { sealedRecoveryKey: bytes(51) },
        { recoveryKey: bytes(32) },
      ]
      for (const other of others)
        assert.equal(reasonOf(await accounts.register({ ...request, ...other })), 'email_taken')
      assert.equal(reasonOf(await accounts.register(request)), 'in')
    }),
  )

  it(
    'allows no more guesses of a key than a sign-in',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      await accounts.register(registration())
      const answers: string[] = []
      for (let count = 0; count < 120; count += 1)
        answers.push(reasonOf(await accounts.register(registration({ provedKey: proved(`guess number ${count}`) }))))
      assert.equal(answers.filter((answer) => answer === 'email_taken').length, 100)
      assert.equal(answers.at(-1), 'attempts_limited')
      assert.equal(reasonOf(await accounts.logIn(credentials())), 'attempts_limited')
    }),
  )

  it(
    'refuses a wrong e-mail address, another key derivation, and half a recovery',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      const bad: Partial<Registration>[] = [
        { email: 'ada' },
        { email: 'a da@example.org' },
        { email: '@example.org' },
        { email: 'ada@' },
        { email: 'a@b@c' },
        { email: 'ada\0@example.org' },
        { kdfVersion: 2 },
        { sealedRecoveryKey: bytes(9) },
        { recoveryKey: bytes(32) },
        { sealedRecoveryKey: bytes(9), recoveryKey: new Uint8Array(32) },
      ]
      for (const overrides of bad)
        assert.equal(reasonOf(await accounts.register(registration(overrides))), 'registration_invalid')
    }),
  )

  it(
    'follows the setting, and needs an invite through a proxy when the operator chose none',
    inWorld(async (world) => {
      const ask = async (settings: Partial<World['settings']>, isForwarded: boolean) =>
        reasonOf(await accountsOf(world, settings).register(registration({ isForwarded })))
      assert.equal(await ask({ registration: 'closed' }, false), 'registration_closed')
      assert.equal(await ask({ registration: 'invite' }, false), 'registration_closed')
      assert.equal(await ask({ registration: 'open', isRegistrationDefault: true }, true), 'registration_closed')
      assert.equal(await ask({ registration: 'open', isRegistrationDefault: true }, false), 'in')
      assert.equal(await ask({ registration: 'open', isRegistrationDefault: false }, true), 'in')
    }),
  )
})

describe('logging in', () => {
  it(
    'answers a wrong key and an unknown e-mail alike',
    inWorld(async (world) => {
      await world.rules.accounts.register(registration())
      const wrong = await world.rules.accounts.logIn(credentials({ provedKey: proved('wrong') }))
      assert.deepEqual(wrong, { refused: 'credentials_wrong' })
      assert.deepEqual(await world.rules.accounts.logIn(credentials({ email: 'unknown@example.org' })), wrong)
    }),
  )

  it(
    'allows ten wrong keys for an account and source, and more right ones',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      await accounts.register(registration())
      const logIn = async (key: string, source: string, email = 'ada@example.org') =>
        reasonOf(await accounts.logIn(credentials({ provedKey: proved(key), source, email })))
      for (let count = 0; count < 9; count += 1) assert.equal(await logIn('wrong', 'a'), 'credentials_wrong')
      for (let count = 0; count < 30; count += 1) assert.equal(await logIn(KEY, 'a'), 'in')
      assert.equal(await logIn('wrong', 'a', ' ADA@example.org '), 'credentials_wrong')
      assert.equal(await logIn(KEY, 'a'), 'attempts_limited')
      assert.equal(await logIn(KEY, 'b'), 'in')
      assert.equal(await logIn('wrong', 'a', 'unknown@example.org'), 'credentials_wrong')
      world.clock.advance(900)
      assert.equal(await logIn(KEY, 'a'), 'in')
    }),
  )

  it(
    'checks no more keys when 64 requests are concurrent, and at most 100 wrong ones for an account from all sources',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      await accounts.register(registration())
      const guess = (source: string) => accounts.logIn(credentials({ provedKey: proved('wrong'), source }))
      const checked = (answers: readonly object[]) =>
        answers.filter((answer) => reasonOf(answer) === 'credentials_wrong').length
      assert.equal(checked(await Promise.all(Array.from({ length: 64 }, () => guess('a')))), 10)
      assert.equal(checked(await Promise.all(Array.from({ length: 200 }, (_, at) => guess(`source ${at}`)))), 90)
    }),
  )

  it(
    'does not lock the owner out by attempts that a fault of the server ended',
    inWorld(async (world) => {
      await accountsOf(world).register(registration())
      const limits = createAttemptLimits(world, world.settings)
      const limit = limits.forSignInKeys(registration().email, 'a')
      for (let count = 0; count < 150; count += 1)
        await assert.rejects(
          limits.check(
            limit,
            () => Promise.reject(new Error('a fault')),
            () => true,
          ),
        )
      assert.equal(reasonOf(await accountsOf(world).logIn(credentials({ source: 'a' }))), 'in')
    }),
  )

  it(
    'allows a source six thousand attempts of any kind',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      for (let count = 0; count < 6000; count += 1) await accounts.kdf('unknown@example.org', 'a')
      assert.equal(reasonOf(await accounts.kdf('unknown@example.org', 'a')), 'attempts_limited')
      assert.equal(reasonOf(await accounts.logIn(credentials({ source: 'a' }))), 'attempts_limited')
      assert.equal(reasonOf(await accounts.register(registration({ source: 'a' }))), 'attempts_limited')
      assert.equal(reasonOf(await accounts.kdf('unknown@example.org', undefined)), 'in')
    }),
  )
})

describe('new accounts', () => {
  /** Makes `count` accounts, and returns how each further attempt ends. */
  const made = async (world: World, count: number, others: Partial<Registration> = {}) => {
    const accounts = accountsOf(world)
    const register = async (at: number) =>
      reasonOf(await accounts.register(registration({ email: `${at}@example.org`, ...others })))
    for (let at = 0; at < count; at += 1) assert.equal(await register(at), 'in')
    return register
  }

  it(
    'are at most a thousand in an hour from one network, and others are not kept out',
    inWorld(async (world) => {
      const register = await made(world, 1000, { source: '2001:db8:1:1::/64' })
      assert.equal(await register(0), 'in', 'a repeat is no new account')
      assert.equal(await register(1001), 'attempts_limited')
      const from = async (source: string) =>
        reasonOf(await accountsOf(world).register(registration({ email: `a@${source.length}.example`, source })))
      assert.equal(await from('2001:db8:1:22::/64'), 'attempts_limited')
      assert.equal(await from('2001:db8:2::/64'), 'in')
      world.clock.advance(3600)
      assert.equal(await register(1001), 'in')
    }),
  )

  it(
    'are at most ten thousand in an hour from all sources, and as many as there are invites',
    inWorld(async (world) => {
      const { limiter, rules, settings } = world
      const [ofAll] = newAccountLimits(undefined)
      await limiter.take([{ ...defined(ofAll), weight: 9999 }])
      const register = await made(world, 1)
      assert.equal(await register(1), 'attempts_limited')
      const { code } = await rules.invites.issue(1)
      const invited = accountsOf(world, { ...settings, registration: 'invite' })
      assert.equal(reasonOf(await invited.register(registration({ email: 'b@example.org', invite: code }))), 'in')
    }),
  )
})

describe('the sign-ins of an account', () => {
  it(
    'are at most a thousand in 15 minutes',
    inWorld(async (world) => {
      const { accounts } = world.rules
      const { accountId } = notRefused(await accounts.register(registration()))
      await useUpSignIns(world, accountId)
      assert.equal(reasonOf(await accounts.logIn(credentials())), 'in')
      assert.equal(reasonOf(await accounts.logIn(credentials())), 'attempts_limited')
      world.clock.advance(900)
      assert.equal(reasonOf(await accounts.logIn(credentials())), 'in')
    }),
  )
})

describe('the salt of a key derivation', () => {
  it(
    'is a decoy for an unknown e-mail: the same after a restart, and another for each e-mail',
    inWorld(async (world) => {
      const saltOf = async (rules: World['rules'], email: string) =>
        notRefused(await rules.accounts.kdf(email, undefined))
      const first = await saltOf(world.rules, 'unknown@example.org')
      assert.equal(first.salt.length, 16)
      assert.deepEqual(await saltOf(world.restarted(), ' UNKNOWN@example.org'), first)
      assert.notDeepEqual((await saltOf(world.rules, 'another@example.org')).salt, first.salt)
    }),
  )

  it(
    'is the registered one for a known e-mail',
    inWorld(async (world) => {
      const accounts = accountsOf(world)
      const salt = bytes(16)
      await accounts.register(registration({ salt }))
      assert.deepEqual(defined(notRefused(await accounts.kdf('ada@example.org', undefined))).salt, salt)
    }),
  )
})
