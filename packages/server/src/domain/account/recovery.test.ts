import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { instantOf } from '@blindkeep/protocol/ids'
import { bytes, notRefused } from '../../testing/guest.ts'
import { accountsOf, keyHash, keyPorts, proved, publicKey, useUpSignIns } from '../../testing/signInKeys.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isChallenge } from './challenges.ts'
import { createRecovery, type Recovery } from './recovery.ts'
import type { Registration } from './registration.ts'

const ADA = 'ada@example.org'
/** Format, salt, commitment, number of header blocks; a header block and a 32-byte segment with their tags. */
const SEALED_BYTES = 1 + 16 + 32 + 1 + 1024 + 16 + 32 + 16

function quick(world: World) {
  return { accounts: accountsOf(world), recovery: createRecovery(keyPorts(world), world.settings) }
}

const registration = (overrides: Partial<Registration> = {}): Registration => ({
  email: ADA,
  provedKey: proved('the key that was lost'),
  kdfVersion: 1,
  salt: bytes(16),
  sealedAccountKey: bytes(SEALED_BYTES),
  sealedRecoveryKey: bytes(SEALED_BYTES),
  recoveryKey: bytes(32),
  invite: undefined,
  isForwarded: false,
  source: undefined,
  ...overrides,
})

const recoveryOf = ({ email, recoveryKey }: Registration, overrides: Partial<Recovery> = {}): Recovery => ({
  email,
  provedKey: keyHash(defined(recoveryKey)),
  signInKey: publicKey('a new key'),
  kdfVersion: 1,
  salt: bytes(16),
  sealedAccountKey: bytes(SEALED_BYTES),
  source: undefined,
  ...overrides,
})

const reasonOf = (answer: object) => ('refused' in answer ? String(answer.refused) : 'in')

function accountOf({ store }: World, email = ADA) {
  return store.read((tx) => tx.accounts.findByEmail(email))
}

const session = async (rules: World['rules'], accessToken: string) =>
  reasonOf(await rules.sessions.authenticate(accessToken))

describe('a recovery', () => {
  it(
    'is one of a thousand of its account in 15 minutes; sign-ins with a password do not use them up',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const made = registration()
      const { accountId } = notRefused(await accounts.register(made))
      const login = { email: ADA, provedKey: made.provedKey, deviceId: undefined, source: undefined }
      await useUpSignIns(world, accountId)
      await useUpSignIns(world, accountId, 'words')
      assert.equal(reasonOf(await accounts.logIn(login)), 'in')
      assert.equal(reasonOf(await accounts.logIn(login)), 'attempts_limited')
      assert.equal(reasonOf(await recovery.finish(recoveryOf(made))), 'in')
      assert.equal(reasonOf(await recovery.finish(recoveryOf(made))), 'attempts_limited')
    }),
  )
})

describe('the start of a recovery', () => {
  it(
    'returns a decoy for an e-mail without one: the same after a restart, another for each e-mail, in the form of a sealed blob',
    inWorld(async (world) => {
      const { accounts } = quick(world)
      await accounts.register(registration({ sealedRecoveryKey: undefined, recoveryKey: undefined }))
      const decoy = async (email: string, { recovery }: World['rules'] = world.rules) =>
        Buffer.from(notRefused(await recovery.start(email, undefined)).sealedRecoveryKey)
      const emails = [ADA, 'unknown@example.org', 'another@example.org']
      const first = await Promise.all(emails.map((email) => decoy(email)))
      for (const sealed of first) {
        assert.equal(sealed.length, SEALED_BYTES)
        assert.deepEqual([sealed[0], sealed[49]], [1, 1])
        const [salt, rest] = [sealed.subarray(1, 17), sealed.subarray(50)]
        assert.ok(new Set(salt).size > 8 && new Set(rest).size > 240)
      }
      assert.equal(new Set(first.map((sealed) => sealed.toString('hex'))).size, 3)
      const again = await Promise.all(emails.map((email) => decoy(` ${email.toUpperCase()}`, world.restarted())))
      assert.deepEqual(again, first)
    }),
  )
})

describe('the end of a recovery', () => {
  it(
    'keeps values that are left out',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      await accounts.register(request)
      const before = defined(await accountOf(world))
      const left = { kdfVersion: undefined, salt: undefined, sealedAccountKey: undefined }
      notRefused(await recovery.finish(recoveryOf(request, left)))
      const signInKeyHash = proved('a new key')
      const recoveryConfirmedAt = world.clock.now()
      assert.deepEqual(await accountOf(world), { ...before, signInKeyHash, recoveryConfirmedAt })
    }),
  )

  it(
    'removes a second factor that waits to be confirmed, as a thief of the password may have enrolled it',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      const { accountId } = notRefused(await accounts.register(request))
      await world.store.write([], (tx) => tx.secondFactors.enroll(accountId, bytes(49)))
      notRefused(await recovery.finish(recoveryOf(request)))
      assert.equal(await world.store.read((tx) => tx.secondFactors.find(accountId)), undefined)
    }),
  )

  it(
    'answers a wrong key, an unknown e-mail and an account without a key alike, and changes nothing',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      await accounts.register(request)
      await accounts.register(
        registration({ email: 'bare@example.org', sealedRecoveryKey: undefined, recoveryKey: undefined }),
      )
      const before = await accountOf(world)
      const stored = defined(before?.recoveryKeyHash)
      const wrong: Partial<Recovery>[] = [
        { provedKey: bytes(32) },
        { provedKey: keyHash(stored) },
        { email: 'unknown@example.org' },
        { email: 'bare@example.org' },
        { email: 'bare@example.org', provedKey: new Uint8Array(32) },
      ]
      for (const overrides of wrong)
        assert.deepEqual(await recovery.finish(recoveryOf(request, overrides)), { refused: 'recovery_invalid' })
      assert.deepEqual(await accountOf(world), before)
    }),
  )

  it(
    'refuses another key derivation and a key of small order first',
    inWorld(async (world) => {
      for (const wrong of [{ kdfVersion: 2 }, { signInKey: new Uint8Array(32) }]) {
        const answer = await world.rules.recovery.finish(recoveryOf(registration(), wrong))
        assert.equal(reasonOf(answer), 'request_malformed')
      }
    }),
  )

  it(
    'allows a source as many wrong keys as wrong passwords, counted apart, for known and unknown e-mails',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      await accounts.register(request)
      const finish = async (source: string, overrides: Partial<Recovery> = {}) =>
        reasonOf(await recovery.finish(recoveryOf(request, { source, provedKey: bytes(32), ...overrides })))
      for (const email of [ADA, 'unknown@example.org']) {
        for (let count = 0; count < 10; count += 1) assert.equal(await finish('a', { email }), 'recovery_invalid')
        assert.equal(await finish('a', { email }), 'attempts_limited')
      }
      const provedKey = keyHash(defined(request.recoveryKey))
      assert.equal(await finish('a', { provedKey }), 'attempts_limited')
      const credentials = { email: ADA, provedKey: request.provedKey, deviceId: undefined, source: 'a' }
      assert.equal(reasonOf(await accounts.logIn(credentials)), 'in')
      world.clock.advance(900)
      assert.equal(await finish('a', { provedKey }), 'in')
    }),
  )

  it(
    'stays open to the owner while many strangers guess',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      await accounts.register(request)
      const guess = (at: number) =>
        recovery.finish(recoveryOf(request, { source: `source ${at}`, provedKey: bytes(32) }))
      await Promise.all(Array.from({ length: 110 }, (_, at) => guess(at)))
      assert.equal(reasonOf(await recovery.finish(recoveryOf(request, { source: 'the owner’s' }))), 'in')
    }),
  )

  it(
    'applies concurrent recoveries one after another, each as a whole',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      await accounts.register(request)
      const wanted = Array.from({ length: 16 }, (_, at) =>
        recoveryOf(request, { signInKey: publicKey(`key number ${at}`) }),
      )
      const answers = await Promise.all(wanted.map((each) => recovery.finish(each)))
      assert.ok(answers.every((answer) => 'accessToken' in answer))
      const account = defined(await accountOf(world))
      const last = defined(wanted.find(({ signInKey }) => isDeepStrictEqual(account.signInKeyHash, keyHash(signInKey))))
      assert.deepEqual(Buffer.from(defined(account.salt)), Buffer.from(defined(last.salt)))
      const live = await Promise.all(
        answers.map((answer) => ('accessToken' in answer ? session(world.rules, answer.accessToken) : 'none')),
      )
      assert.equal(live.filter((answer) => answer === 'in').length, 1)
    }),
  )

  it(
    'with a second factor on, sets nothing before its code, and everything then',
    inWorld(async (world) => {
      const { accounts, recovery } = quick(world)
      const request = registration()
      const old = notRefused(await accounts.register(request))
      await world.store.write([], async (tx) => {
        await tx.secondFactors.enroll(old.accountId, bytes(60))
        await tx.secondFactors.confirm(old.accountId, world.clock.now())
      })
      const before = await accountOf(world)
      const wanted = recoveryOf(request)
      const answer = notRefused(await recovery.finish(wanted))
      assert.ok(isChallenge(answer))
      assert.equal(answer.expiresAt, instantOf(world.clock.now() + 300_000))
      assert.deepEqual(await accountOf(world), before)
      assert.equal(await session(world.rules, old.accessToken), 'in')
      const challenge = () => world.store.read((tx) => tx.challenges.find(sha256(Buffer.from(answer.mfaToken))))
      const given = defined((await challenge())?.recovery)
      await world.store.write([], (tx) => recovery.apply(tx, defined(before), given))
      const { signInKeyHash, salt } = defined(await accountOf(world))
      assert.deepEqual(signInKeyHash, keyHash(wanted.signInKey))
      assert.deepEqual(Buffer.from(defined(salt)), Buffer.from(defined(wanted.salt)))
      assert.equal(await session(world.rules, old.accessToken), 'session_over')
      assert.equal(await challenge(), undefined)
    }),
  )
})
