import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { accountRow, bytes, notRefused } from '../../testing/guest.ts'
import { deskOf, WRONG as FALSE_CODE, guarded, reasonOf } from '../../testing/secondFactor.ts'
import { KEY, keyHash, keyRules, proved, publicKey } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import type { PasswordChange } from './password.ts'

const NEXT = 'another key'
const WRONG = { refused: 'credentials_wrong' }
const OVER = { refused: 'session_over' }

const changing = (overrides: Partial<PasswordChange> = {}): PasswordChange => ({
  provedKey: proved(),
  code: undefined,
  signInKey: publicKey(NEXT),
  kdfVersion: 1,
  salt: bytes(16),
  sealedAccountKey: bytes(60),
  source: undefined,
  ...overrides,
})

const emailOf = (accountId: AccountId) => `${accountId}@example.org`

/** An account with several sessions. The first one is the caller's. */
async function signedIn(world: World, places = 3) {
  const quick = keyRules(world)
  const accountId = await quick.newAccount()
  const pairs = []
  for (let place = 0; place < places; place += 1) pairs.push(await world.rules.sessions.open(accountId, undefined))
  const [own, ...others] = pairs
  const caller = notRefused(await world.rules.sessions.authenticate(defined(own).accessToken))
  const logIn = (key: string) =>
    quick.accounts.logIn({ email: emailOf(accountId), provedKey: proved(key), deviceId: undefined, source: undefined })
  return { ...quick, accountId, own: defined(own), others, caller, logIn }
}

describe('changing the password', () => {
  it(
    'sets sign-in key, salt and sealed key, and nothing else of the account',
    inWorld(async (world) => {
      const { accountId, caller, changePassword, accounts, logIn } = await signedIn(world)
      const change = changing()
      assert.equal(await changePassword(caller, change), undefined)
      const { signInKeyHash, salt, sealedAccountKey, ...rest } = await accountRow(world, accountId)
      assert.deepEqual([signInKeyHash, salt, sealedAccountKey], [proved(NEXT), change.salt, change.sealedAccountKey])
      const { signInKeyHash: _, salt: __, sealedAccountKey: ___, ...before } = caller.account
      assert.deepEqual(rest, before)
      assert.deepEqual(notRefused(await accounts.kdf(emailOf(accountId), undefined)).salt, change.salt)
      assert.deepEqual(await logIn(KEY), WRONG)
      notRefused(await logIn(NEXT))
    }),
  )

  it(
    'ends the other sessions, their refresh tokens and the challenges, and keeps the caller’s session',
    inWorld(async (world) => {
      const { accountId, own, others, caller, changePassword } = await signedIn(world)
      const { sessions } = world.rules
      const tokenHash = 'ab'.repeat(32)
      const times = { createdAt: world.clock.now(), expiresAt: own.expiresAt }
      const challenge = { tokenHash, accountId, deviceId: undefined, recovery: undefined, ...times }
      await world.store.write([], (tx) => tx.challenges.insert(challenge))
      assert.equal(await changePassword(caller, changing()), undefined)
      for (const { accessToken, refreshToken } of others) {
        assert.deepEqual(await sessions.authenticate(accessToken), OVER)
        assert.deepEqual(await sessions.refresh(refreshToken), OVER)
      }
      const { accessToken } = notRefused(await sessions.refresh(own.refreshToken))
      notRefused(await sessions.authenticate(own.accessToken))
      notRefused(await sessions.authenticate(accessToken))
      assert.equal(await world.store.read((tx) => tx.challenges.find(tokenHash)), undefined)
    }),
  )

  it(
    'keeps values that are left out, and refuses another key derivation and a key of small order',
    inWorld(async (world) => {
      const { accountId, caller, changePassword } = await signedIn(world)
      const { salt, sealedAccountKey } = caller.account
      const nothing = { kdfVersion: undefined, salt: undefined, sealedAccountKey: undefined }
      for (const wrong of [{ kdfVersion: 2 }, { signInKey: new Uint8Array(32) }]) {
        const refused = await changePassword(caller, changing(wrong))
        assert.equal(refused?.refused, 'request_malformed')
      }
      assert.equal(await changePassword(caller, changing(nothing)), undefined)
      const row = await accountRow(world, accountId)
      assert.deepEqual([row.signInKeyHash, row.salt, row.sealedAccountKey], [proved(NEXT), salt, sealedAccountKey])
      const fresh = notRefused(
        await world.rules.sessions.authenticate((await world.rules.sessions.open(accountId, undefined)).accessToken),
      )
      assert.deepEqual(await changePassword(fresh, changing(nothing)), WRONG)
      assert.equal(await changePassword(fresh, changing({ ...nothing, provedKey: proved(NEXT) })), undefined)
    }),
  )

  it(
    'asks for the present sign-in key, and counts a wrong one like a sign-in',
    inWorld(async (world) => {
      const { caller, changePassword, logIn } = await signedIn(world)
      const guess = (overrides: Partial<PasswordChange>) =>
        changePassword(caller, changing({ source: 'a', ...overrides }))
      const { salt, sealedAccountKey } = caller.account
      // A request that looks like a repeat is checked by its new key, once.
      const asRepeat = { salt, sealedAccountKey, signInKey: publicKey('wrong'), provedKey: proved() }
      for (let count = 0; count < 5; count += 1) {
        assert.deepEqual(await guess({ provedKey: proved('wrong') }), WRONG)
        assert.deepEqual(await guess(asRepeat), WRONG)
      }
      assert.equal((await guess({}))?.refused, 'attempts_limited')
      notRefused(await logIn(KEY))
      world.clock.advance(900)
      assert.equal(await guess({}), undefined)
    }),
  )

  it(
    'succeeds again with the same values, and keeps sessions that began since',
    inWorld(async (world) => {
      const { accountId, own, caller, changePassword } = await signedIn(world)
      const change = changing()
      assert.equal(await changePassword(caller, change), undefined)
      const { accessToken } = await world.rules.sessions.open(accountId, undefined)
      const row = await accountRow(world, accountId)
      const again = notRefused(await world.rules.sessions.authenticate(own.accessToken))
      assert.equal(await changePassword(again, change), undefined)
      assert.deepEqual(await accountRow(world, accountId), row)
      notRefused(await world.rules.sessions.authenticate(accessToken))
    }),
  )

  it(
    'asks for a code where a second factor is on, and uses it up with the change alone',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const { accountId } = await desk.account()
      const { accessToken } = await world.rules.sessions.open(accountId, undefined)
      const send = async (change: PasswordChange) =>
        reasonOf(
          await keyRules(world).changePassword(
            notRefused(await world.rules.sessions.authenticate(accessToken)),
            change,
          ),
        )
      for (const code of [undefined, FALSE_CODE]) assert.equal(await send(changing({ code })), 'totp_code_wrong')
      const code = desk.code(authenticator)
      assert.equal(await send(changing({ code, provedKey: proved('wrong') })), 'credentials_wrong')
      const change = changing({ code })
      assert.deepEqual(await Promise.all([send(change), send(change)]), ['done', 'done'])
      assert.equal(await send(change), 'done', 'a lost answer')
      const back = changing({
        provedKey: proved(NEXT),
        signInKey: publicKey(KEY),
        code,
        salt: bytes(16),
        sealedAccountKey: bytes(61),
      })
      assert.equal(await send(back), 'totp_code_wrong')
      assert.equal(await send({ ...back, code: defined(backupCodes[0]) }), 'done')
      const racing = { provedKey: proved(), code: defined(backupCodes[1]) }
      const others = [1, 2].map((seed) => changing({ ...racing, signInKey: publicKey(`${NEXT} ${seed}`) }))
      assert.deepEqual((await Promise.all(others.map(send))).toSorted(), ['credentials_wrong', 'done'])
    }),
  )

  it(
    'changes once when two concurrent requests send it, and both succeed',
    inWorld(async (world) => {
      const { accountId, caller, changePassword } = await signedIn(world)
      const change = changing()
      const answers = await Promise.all([changePassword(caller, change), changePassword(caller, change)])
      assert.deepEqual(answers, [undefined, undefined])
      assert.deepEqual((await accountRow(world, accountId)).signInKeyHash, proved(NEXT))
    }),
  )

  it(
    'is no repeat when only the salt or only the sealed key stays the same',
    inWorld(async (world) => {
      const { caller, changePassword, logIn } = await signedIn(world)
      const { salt, sealedAccountKey } = caller.account
      assert.equal(await changePassword(caller, changing({ salt, sealedAccountKey: undefined })), undefined)
      const next = notRefused(await logIn(NEXT))
      assert.ok('accessToken' in next)
      const again = notRefused(await world.rules.sessions.authenticate(next.accessToken))
      const change = changing({ provedKey: proved(NEXT), signInKey: publicKey(KEY), salt: undefined, sealedAccountKey })
      assert.equal(await changePassword(again, change), undefined)
      notRefused(await logIn(KEY))
    }),
  )

  it(
    'succeeds once among many concurrent ones, and leaves one session among concurrent sign-ins and refreshes',
    inWorld(async (world) => {
      const { accountId, caller, others, changePassword, logIn } = await signedIn(world, 9)
      const { sessions } = world.rules
      const keys = Array.from({ length: 8 }, (_, at) => publicKey(`key number ${at} of them`))
      const [outcomes] = await Promise.all([
        Promise.all(keys.map((signInKey) => changePassword(caller, changing({ signInKey })))),
        Promise.all(others.map(({ refreshToken }) => sessions.refresh(refreshToken))),
        Promise.all(others.map(() => logIn(KEY))),
      ])
      const won = outcomes.indexOf(undefined)
      assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 1)
      assert.ok(outcomes.every((outcome, at) => at === won || outcome?.refused === 'credentials_wrong'))
      assert.deepEqual((await accountRow(world, accountId)).signInKeyHash, keyHash(defined(keys[won])))
      const live = await sessions.list(accountId)
      assert.deepEqual(
        live.map(({ sessionId }) => sessionId),
        [caller.sessionId],
      )
      for (const { refreshToken } of others) assert.deepEqual(await sessions.refresh(refreshToken), OVER)
    }),
  )
})
