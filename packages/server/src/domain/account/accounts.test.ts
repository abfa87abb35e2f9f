import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HasherBusy } from '../../ports/secrets.ts'
import { admitted, bytes } from '../../testing/guest.ts'
import { quickAccounts, quickPorts, registration } from '../../testing/secrets.ts'
import { inWorld, known, type World } from '../../testing/world.ts'
import { type Credentials, createAccounts } from './accounts.ts'
import type { Registration } from './registration.ts'

const credentials = (over: Partial<Credentials> = {}): Credentials => {
  const { email, secret } = registration()
  return { email, secret, deviceId: undefined, source: undefined, ...over }
}

const reasonOf = (answer: object) => ('refused' in answer ? String(answer.refused) : 'in')

describe('registering', () => {
  it(
    'makes an account and signs it in; the secret itself is not kept',
    inWorld(async (world) => {
      const pair = admitted(await world.rules.accounts.register(registration({ email: '  Ada@Example.ORG ' })))
      const { account } = admitted(await world.rules.sessions.authenticate(pair.accessToken))
      assert.equal(account.email, 'ada@example.org')
      assert.match(account.secretHash, /^\$argon2id\$/)
      assert.equal(reasonOf(await world.rules.accounts.logIn(credentials({ email: 'ADA@example.org' }))), 'in')
    }),
  )

  it(
    'again with the same values is the same success, at once or later; with any other it is refused',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      const request = registration({
        salt: bytes(16),
        sealedAccountKey: bytes(50),
        sealedRecoveryKey: bytes(50),
        recoveryProof: bytes(32),
      })
      const pairs = await Promise.all(Array.from({ length: 8 }, () => accounts.register(request)))
      assert.equal(new Set(pairs.map((pair) => admitted(pair).accountId)).size, 1)
      const others: Partial<Registration>[] = [
        { secret: 'another secret of length' },
        { salt: bytes(16) },
        { salt: undefined },
        { sealedAccountKey: bytes(50) },
        { sealedRecoveryKey: bytes(51) },
        { recoveryProof: bytes(32) },
      ]
      for (const other of others)
        assert.equal(reasonOf(await accounts.register({ ...request, ...other })), 'email_taken')
      assert.equal(reasonOf(await accounts.register(request)), 'in')
    }),
  )

  it(
    'is no way to guess a secret past the limits of a login',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      await accounts.register(registration())
      const answers: string[] = []
      for (let count = 0; count < 120; count += 1)
        answers.push(reasonOf(await accounts.register(registration({ secret: `guess number ${count}` }))))
      assert.equal(answers.filter((answer) => answer === 'email_taken').length, 100)
      assert.equal(answers.at(-1), 'attempts_limited')
      assert.equal(reasonOf(await accounts.logIn(credentials())), 'attempts_limited')
    }),
  )

  it(
    'is refused for what is no e-mail address, another key derivation, or half a recovery',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      const bad: Partial<Registration>[] = [
        { email: 'ada' },
        { email: 'a da@example.org' },
        { email: '@example.org' },
        { email: 'ada@' },
        { email: 'a@b@c' },
        { email: 'ada\0@example.org' },
        { kdfVersion: 2 },
        { sealedRecoveryKey: bytes(9) },
        { recoveryProof: bytes(32) },
      ]
      for (const over of bad)
        assert.equal(reasonOf(await accounts.register(registration(over))), 'registration_invalid')
    }),
  )

  it(
    'is open to whom it should be',
    inWorld(async (world) => {
      const ask = async (settings: Partial<World['settings']>, isForwarded: boolean) =>
        reasonOf(await quickAccounts(world, settings).register(registration({ isForwarded })))
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
    'says the same to a wrong secret and to an unknown e-mail',
    inWorld(async (world) => {
      await world.rules.accounts.register(registration())
      const wrong = await world.rules.accounts.logIn(credentials({ secret: 'wrong' }))
      assert.deepEqual(wrong, { refused: 'credentials_wrong' })
      assert.deepEqual(await world.rules.accounts.logIn(credentials({ email: 'nobody@example.org' })), wrong)
    }),
  )

  it(
    'may be wrong ten times an account and source, and right any number of times',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      await accounts.register(registration())
      const say = async (secret: string, source: string, email = 'ada@example.org') =>
        reasonOf(await accounts.logIn(credentials({ secret, source, email })))
      const { secret } = registration()
      for (let count = 0; count < 9; count += 1) assert.equal(await say('wrong', 'a'), 'credentials_wrong')
      for (let count = 0; count < 30; count += 1) assert.equal(await say(secret, 'a'), 'in')
      assert.equal(await say('wrong', 'a', ' ADA@example.org '), 'credentials_wrong')
      assert.equal(await say(secret, 'a'), 'attempts_limited')
      assert.equal(await say(secret, 'b'), 'in')
      assert.equal(await say('wrong', 'a', 'nobody@example.org'), 'credentials_wrong')
      world.clock.advance(900)
      assert.equal(await say(secret, 'a'), 'in')
    }),
  )

  it(
    'is judged no more often when 64 try at once, and a hundred times an account in all',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      await accounts.register(registration())
      const guess = (source: string) => accounts.logIn(credentials({ secret: 'wrong', source }))
      const judged = (answers: readonly object[]) =>
        answers.filter((answer) => reasonOf(answer) === 'credentials_wrong').length
      assert.equal(judged(await Promise.all(Array.from({ length: 64 }, () => guess('a')))), 10)
      assert.equal(judged(await Promise.all(Array.from({ length: 200 }, (_, at) => guess(`source ${at}`)))), 90)
    }),
  )

  it(
    'does not lock out an owner whose secret was never judged, as the hasher was busy',
    inWorld(async (world) => {
      await quickAccounts(world).register(registration())
      const busy = {
        hash: () => Promise.reject(new HasherBusy('busy')),
        verify: () => Promise.reject(new HasherBusy('busy')),
      }
      const flooded = createAccounts({ ...quickPorts(world), hasher: busy }, world.settings)
      for (let count = 0; count < 150; count += 1) {
        await assert.rejects(flooded.logIn(credentials({ source: 'a' })), HasherBusy)
        await assert.rejects(flooded.register(registration({ source: 'a' })), HasherBusy)
      }
      assert.equal(reasonOf(await quickAccounts(world).logIn(credentials({ source: 'a' }))), 'in')
    }),
  )

  it(
    'ends for a source at six thousand attempts, whatever they are',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      for (let count = 0; count < 6000; count += 1) await accounts.kdf('nobody@example.org', 'a')
      assert.equal(reasonOf(await accounts.kdf('nobody@example.org', 'a')), 'attempts_limited')
      assert.equal(reasonOf(await accounts.logIn(credentials({ source: 'a' }))), 'attempts_limited')
      assert.equal(reasonOf(await accounts.register(registration({ source: 'a' }))), 'attempts_limited')
      assert.equal(reasonOf(await accounts.kdf('nobody@example.org', undefined)), 'in')
    }),
  )
})

describe('the salt of a key derivation', () => {
  it(
    'is made up for an unknown e-mail, stays the same, also after a start, and is another for each',
    inWorld(async (world) => {
      const saltOf = async (rules: World['rules'], email: string) =>
        admitted(await rules.accounts.kdf(email, undefined))
      const first = await saltOf(world.rules, 'nobody@example.org')
      assert.equal(first.salt.length, 16)
      assert.deepEqual(await saltOf(world.restarted(), ' NOBODY@example.org'), first)
      assert.notDeepEqual((await saltOf(world.rules, 'noone@example.org')).salt, first.salt)
    }),
  )

  it(
    'is the registered one for a known e-mail',
    inWorld(async (world) => {
      const accounts = quickAccounts(world)
      const salt = bytes(16)
      await accounts.register(registration({ salt }))
      assert.deepEqual(known(admitted(await accounts.kdf('ada@example.org', undefined))).salt, salt)
    }),
  )
})
