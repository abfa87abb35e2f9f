import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type PasskeyId, parseDeviceId, parsePasskeyId } from '@blindkeep/protocol/ids'
import { HYBRID_PUBLIC_KEY_BYTES } from '@blindkeep/protocol/suites'
import type { Account } from '../../ports/store.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { type Desk, deskOf, guarded, reasonOf, register } from '../../testing/secondFactor.ts'
import { keyHash, keyPorts, keyRules, proved, publicKey, registration, useUpSignIns } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { createPasskeys, type PasskeyRequest, type PasskeySignIn } from './passkeys.ts'
import { createRecovery } from './recovery.ts'
import type { TokenPair } from './sessions.ts'

const newId = (): PasskeyId => defined(parsePasskeyId(randomUUID()))

function request(given: Partial<PasskeyRequest> = {}): PasskeyRequest {
  return {
    passkeyId: newId(),
    credentialId: bytes(20),
    passkeyKey: bytes(32),
    sealedPasskeyKey: bytes(1200),
    sealedName: undefined,
    provedKey: proved(),
    code: undefined,
    source: undefined,
    ...given,
  }
}

const signInOf = ({ passkeyId, passkeyKey }: PasskeyRequest, given: Partial<PasskeySignIn> = {}): PasskeySignIn => ({
  passkeyId,
  provedKey: keyHash(passkeyKey),
  deviceId: undefined,
  source: undefined,
  ...given,
})

function rulesOf(world: World, { accounts }: Pick<Desk, 'accounts'>) {
  return createPasskeys({ ...keyPorts(world), accounts }, world.settings)
}

type Rules = ReturnType<typeof rulesOf>

async function registered(world: World) {
  const desk = deskOf(world)
  return { desk, passkeys: rulesOf(world, desk), account: await register(desk) }
}

async function registerOther({ store }: World, { accounts }: Desk): Promise<Account> {
  const email = 'bob@example.org'
  notRefused(await accounts.register(registration({ email })))
  return defined(await store.read((tx) => tx.accounts.findByEmail(email)))
}

async function added(passkeys: Rules, account: Account, given: Partial<PasskeyRequest> = {}): Promise<PasskeyRequest> {
  const made = request(given)
  assert.equal(notRefused(await passkeys.add(account, made)).isRepeat, false)
  return made
}

const isIn = async ({ rules }: World, { accessToken }: TokenPair) =>
  reasonOf(await rules.sessions.authenticate(accessToken)) === 'in'
const callerOf = async ({ rules }: World, { accessToken }: TokenPair) =>
  notRefused(await rules.sessions.authenticate(accessToken))
const idsOf = async (passkeys: Rules, { accountId }: Account) =>
  (await passkeys.list(accountId)).map(({ passkeyId }) => passkeyId)

describe('a sign-in with a passkey', () => {
  it(
    'is one of a thousand of its account in 15 minutes; sign-ins with a password do not use them up',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const made = await added(passkeys, account)
      for (const by of ['password', 'passkey', 'words'] as const) await useUpSignIns(world, account.accountId, by)
      assert.equal(reasonOf(await passkeys.logIn(signInOf(made))), 'in')
      assert.equal(reasonOf(await passkeys.logIn(signInOf(made))), 'attempts_limited')
    }),
  )

  it(
    'opens a session of its account and notes the time; a wrong key and an unknown passkey get one answer',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const made = await added(passkeys, account)
      assert.equal((await passkeys.list(account.accountId))[0]?.lastUsedAt, undefined)
      world.clock.advance(5)
      const pair = notRefused(await passkeys.logIn(signInOf(made)))
      assert.equal(pair.accountId, account.accountId)
      assert.ok(await isIn(world, pair))
      assert.equal((await passkeys.list(account.accountId))[0]?.lastUsedAt, world.clock.now())
      const wrong = { refused: 'credentials_wrong' }
      assert.deepEqual(await passkeys.logIn(signInOf(made, { provedKey: bytes(32) })), wrong)
      assert.deepEqual(await passkeys.logIn(signInOf(made, { passkeyId: newId() })), wrong)
    }),
  )

  it(
    'refuses a revoked device',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const made = await added(passkeys, account)
      const deviceId = defined(parseDeviceId(randomUUID()))
      const publicKey = bytes(HYBRID_PUBLIC_KEY_BYTES)
      notRefused(await world.rules.devices.add(account.accountId, { deviceId, publicKey, mac: undefined }))
      notRefused(await passkeys.logIn(signInOf(made, { deviceId })))
      notRefused(await world.rules.devices.revoke(account.accountId, deviceId))
      assert.equal(reasonOf(await passkeys.logIn(signInOf(made, { deviceId }))), 'device_not_authorized')
    }),
  )

  it(
    'is limited for a passkey and a source, and the right key is not counted',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const passkeys = rulesOf(world, desk)
      const made = await added(passkeys, await register(desk))
      const from = (source: string, provedKey = keyHash(made.passkeyKey)) =>
        passkeys.logIn(signInOf(made, { provedKey, source }))
      const tries = world.settings.loginTriesPerWindow
      for (let count = 0; count < tries + 1; count += 1) notRefused(await from('own'))
      for (let count = 0; count < tries; count += 1)
        assert.equal(reasonOf(await from('thief', bytes(32))), 'credentials_wrong')
      assert.equal(reasonOf(await from('thief')), 'attempts_limited')
      notRefused(await from('own'))
    }),
  )
})

describe('adding a passkey', () => {
  it(
    'asks for the present sign-in key, and for a passkey key that can be proved',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      assert.equal(reasonOf(await passkeys.add(account, request({ provedKey: proved('not it') }))), 'credentials_wrong')
      const weak = request({ passkeyKey: new Uint8Array(32) })
      assert.equal(reasonOf(await passkeys.add(account, weak)), 'request_malformed')
      assert.deepEqual(await idsOf(passkeys, account), [])
    }),
  )

  it(
    'asks for a code where a second factor is on, and uses it up',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const passkeys = rulesOf(world, desk)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const account = await desk.account()
      const code = desk.code(authenticator)
      assert.equal(reasonOf(await passkeys.add(account, request())), 'totp_code_wrong')
      assert.equal(reasonOf(await passkeys.add(account, request({ code: '000000' }))), 'totp_code_wrong')
      const made = await added(passkeys, account, { code })
      assert.equal(reasonOf(await passkeys.add(account, request({ code }))), 'totp_code_wrong')
      assert.ok(notRefused(await passkeys.add(account, { ...made, code })).isRepeat, 'a lost answer')
      await added(passkeys, account, { code: defined(backupCodes[0]) })
      notRefused(await passkeys.logIn(signInOf(made)))
    }),
  )

  it(
    'never changes a passkey: the same id with other values is refused, for its account and for another one',
    inWorld(async (world) => {
      const { desk, passkeys, account } = await registered(world)
      const made = await added(passkeys, account)
      assert.ok(notRefused(await passkeys.add(account, made)).isRepeat)
      const others = [{ passkeyKey: bytes(32) }, { credentialId: bytes(20) }, { sealedPasskeyKey: bytes(1200) }]
      for (const other of others)
        assert.equal(reasonOf(await passkeys.add(account, { ...made, ...other })), 'passkey_invalid')
      const bob = await registerOther(world, desk)
      assert.equal(reasonOf(await passkeys.add(bob, made)), 'passkey_invalid')
      notRefused(await passkeys.logIn(signInOf(made)))
    }),
  )

  it(
    `stops at ${BOUNDS.passkeys} for an account, until one is removed`,
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const first = await added(passkeys, account)
      for (let count = 1; count < BOUNDS.passkeys; count += 1) await added(passkeys, account)
      assert.equal(reasonOf(await passkeys.add(account, request())), 'limit_reached')
      const pair = await world.rules.sessions.open(account.accountId, undefined)
      await passkeys.remove(await callerOf(world, pair), first.passkeyId)
      await added(passkeys, account)
    }),
  )

  it(
    'is refused when the key is changed meanwhile, and then uses up no code',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const account = await desk.account()
      const overtaken = deskOf(world, async () => {
        const { accountId, signInKeyHash, ...rest } = account
        await world.store.write([], (tx) =>
          tx.accounts.changeSignInKey(accountId, defined(signInKeyHash), {
            ...rest,
            signInKeyHash: proved('another key'),
          }),
        )
      })
      const code = desk.code(authenticator)
      assert.equal(reasonOf(await rulesOf(world, overtaken).add(account, request({ code }))), 'credentials_wrong')
      const passkeys = rulesOf(world, desk)
      await added(passkeys, await desk.account(), { code, provedKey: proved('another key') })
    }),
  )
})

describe('removing a passkey', () => {
  it(
    'ends the sessions that it opened, with their refresh tokens, but not the caller’s or others',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const [lost, kept] = [await added(passkeys, account), await added(passkeys, account)]
      const pairs = []
      for (const made of [lost, lost, kept]) pairs.push(notRefused(await passkeys.logIn(signInOf(made))))
      const own = defined(pairs[0])
      pairs.push(await world.rules.sessions.open(account.accountId, undefined))
      const thief = notRefused(await world.rules.sessions.refresh(defined(pairs[1]).refreshToken))
      await passkeys.remove(await callerOf(world, own), lost.passkeyId)
      assert.deepEqual(await Promise.all(pairs.map((pair) => isIn(world, pair))), [true, false, true, true])
      assert.equal(reasonOf(await world.rules.sessions.refresh(thief.refreshToken)), 'session_over')
      assert.equal(reasonOf(await passkeys.logIn(signInOf(lost))), 'credentials_wrong')
      notRefused(await passkeys.logIn(signInOf(kept)))
    }),
  )

  it(
    'beside a sign-in with it leaves no session of it, whichever comes first',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const caller = await callerOf(world, await world.rules.sessions.open(account.accountId, undefined))
      const others = (await world.rules.sessions.list(account.accountId)).length
      for (let round = 0; round < 10; round += 1) {
        const made = await added(passkeys, account)
        const answers = await Promise.all([
          passkeys.logIn(signInOf(made)),
          passkeys.remove(caller, made.passkeyId),
          passkeys.logIn(signInOf(made)),
        ])
        for (const pair of [answers[0], answers[2]])
          if (reasonOf(pair) === 'in') assert.ok(!(await isIn(world, notRefused(pair))))
        assert.equal((await world.rules.sessions.list(account.accountId)).length, others)
      }
    }),
  )

  it(
    'does nothing for another account’s, nor does naming it',
    inWorld(async (world) => {
      const { desk, passkeys, account } = await registered(world)
      const made = await added(passkeys, account, { sealedName: bytes(40) })
      const bob = await registerOther(world, desk)
      const ofBob = await callerOf(world, await world.rules.sessions.open(bob.accountId, undefined))
      await passkeys.remove(ofBob, made.passkeyId)
      assert.equal(reasonOf(await passkeys.name(bob.accountId, made.passkeyId, undefined)), 'passkey_not_found')
      const [listed] = await passkeys.list(account.accountId)
      assert.deepEqual([listed?.passkeyId, listed?.sealedName], [made.passkeyId, made.sealedName])
      assert.equal(await passkeys.name(account.accountId, made.passkeyId, undefined), undefined)
      assert.equal((await passkeys.list(account.accountId))[0]?.sealedName, undefined)
    }),
  )
})

describe('the passkeys of an account', () => {
  it(
    'stay with a password change, and are removed by a recovery',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const passkeys = rulesOf(world, desk)
      const recovery = createRecovery(keyPorts(world), world.settings)
      const words = { recoveryKey: bytes(32), sealedRecoveryKey: bytes(60) }
      notRefused(await desk.accounts.register(registration(words)))
      const account = await desk.account()
      const made = await added(passkeys, account)
      const caller = await callerOf(world, await world.rules.sessions.open(account.accountId, undefined))
      const change = { kdfVersion: undefined, salt: undefined, sealedAccountKey: undefined, source: undefined }
      const next = { ...change, code: undefined, provedKey: proved(), signInKey: publicKey('another key') }
      assert.equal(await keyRules(world).changePassword(caller, next), undefined)
      const pair = notRefused(await passkeys.logIn(signInOf(made)))
      const { email } = account
      const provedKey = keyHash(words.recoveryKey)
      notRefused(await recovery.finish({ ...change, email, provedKey, signInKey: publicKey('a third key') }))
      assert.equal(reasonOf(await passkeys.logIn(signInOf(made))), 'credentials_wrong')
      assert.ok(!(await isIn(world, pair)))
      assert.deepEqual(await idsOf(passkeys, account), [])
    }),
  )

  it(
    'open nothing once the account is deleted, also beside the deletion',
    inWorld(async (world) => {
      const { passkeys, account } = await registered(world)
      const made = await added(passkeys, account)
      const [pair] = await Promise.all([
        passkeys.logIn(signInOf(made)),
        keyRules(world).deleteAccount(account.accountId),
      ])
      if (reasonOf(pair) === 'in') assert.ok(!(await isIn(world, notRefused(pair))))
      assert.equal(reasonOf(await passkeys.logIn(signInOf(made))), 'credentials_wrong')
    }),
  )
})
