import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Authenticator, stepAt } from '../testing/authenticator.ts'
import { json, type Reply } from './call.ts'
import { clientFrom } from './client.ts'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import { type Key, newKey } from './proving.ts'
import { answer, challengeOf, enroll, type Guarded, provedTotp, totp, turnOn } from './secondFactor.ts'
import { connect, FEW_TRIES, NEEDS_OWN_SERVER, operatedServer } from './server.ts'
import { asOwner, changeKey, deleteAccount, logIn, register, signUp, type Tokens } from './world.ts'

const MAX_ATTEMPTS = 5
/** A code in the form of a backup code, with a letter that is never used. */
const WRONG = 'UUUUU-UUUUU'
const MAX_ATTEMPTS_OF_SOURCE = Number(FEW_TRIES.LOGIN_TRIES_PER_WINDOW)
const LIFE_MS = 5 * 60_000

const server = await connect()
const newGuarded = async () => turnOn(await signUp(server))
const isOn = async ({ owner }: Guarded, token = owner.token) =>
  json<{ totp_enabled: boolean }>(await asOwner({ ...owner, token }, 'GET', '/v1/account')).totp_enabled

/** Six digits that the server does not accept at this time. */
function wrongDigits(authenticator: Authenticator): string {
  const present = stepAt(Date.now())
  const near = new Set([-3, -2, -1, 0, 1, 2, 3].map((aside) => authenticator.codeOf(present + aside)))
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
    (code) => !near.has(code),
  )
  return wrong ?? assert.fail('one of eight codes must be wrong')
}

// Covers: Accounts and sessions
describe('enrolling a second factor', () => {
  it('answers a URI for an authenticator, uncached, and requires no code before it is confirmed', async () => {
    const owner = await signUp(server)
    const reply = await provedTotp(owner, 'enroll')
    assert.equal(answerOf(reply), '200')
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { issuer, label, secret } = await enroll(owner)
    assert.equal(label, `${issuer}:${owner.email}`)
    assert.equal(issuer, new URL((await serverInfo()).server_id).hostname)
    assert.equal(secret.length, 20)
    assert.equal(answerOf(await logIn(owner)), '200')
  })

  it('requires the present sign-in key', async () => {
    const owner = await signUp(server)
    expectAnswer(await provedTotp({ ...owner, key: newKey() }, 'enroll'), '401 auth.invalid_credentials')
  })

  it('replaces an unconfirmed one, and answers 409 once one is confirmed', async () => {
    const owner = await signUp(server)
    const first = await enroll(owner)
    const guarded = await turnOn(owner)
    assert.notDeepEqual(first.secret, guarded.authenticator.secret)
    expectAnswer(await provedTotp(owner, 'enroll'), '409 auth.totp_already_active')
  })
})

// Covers: Accounts and sessions
describe('confirming a second factor', () => {
  it('answers ten backup codes, and leaves other sessions open', async () => {
    const owner = await signUp(server)
    const { access_token: token } = json<Tokens>(await logIn(owner))
    const guarded = await turnOn(owner)
    assert.equal(new Set(guarded.backupCodes).size, 10)
    // At least 50 bits, in an alphabet without characters that look alike.
    for (const code of guarded.backupCodes) assert.ok(code.replace(/[^0-9A-HJKMNP-TV-Z]/g, '').length >= 10, code)
    assert.deepEqual([await isOn(guarded), await isOn(guarded, token)], [true, true])
  })

  it('answers 401 to a wrong code, and 409 when none is pending', async () => {
    const owner = await signUp(server)
    expectAnswer(await totp(owner, 'confirm', { code: '000000' }), '409 auth.totp_not_pending')
    const authenticator = await enroll(owner)
    const wrong = wrongDigits(authenticator)
    expectAnswer(await totp(owner, 'confirm', { code: wrong }), '401 auth.totp_invalid_code')
    expectAnswer(await totp(owner, 'confirm', { code: authenticator.next() }), '200')
    expectAnswer(await totp(owner, 'confirm', { code: authenticator.next() }), '409 auth.totp_not_pending')
  })
})

// Covers: Authentication 3; Other operations, TOTP verification; Accounts and sessions
describe('signing in with a second factor', () => {
  it('answers 202 with a challenge and no tokens', async () => {
    const { owner } = await newGuarded()
    const before = Date.now()
    const reply = await logIn(owner)
    assert.equal(answerOf(reply), '202')
    assert.deepEqual(Object.keys(json<object>(reply)).toSorted(), ['expires_at', 'mfa_token'])
    const { mfa_token, expires_at } = json<{ mfa_token: string; expires_at: string }>(reply)
    const life = Date.parse(expires_at) - before
    assert.ok(life > LIFE_MS - 60_000 && life < LIFE_MS + 60_000, expires_at)
    const withToken = { method: 'GET', path: '/v1/account', token: mfa_token }
    expectAnswer(await server.send(withToken), '401 request.unauthenticated')
    const refresh = { method: 'POST', path: '/v1/auth/refresh', json: { refresh_token: mfa_token } }
    expectAnswer(await server.send(refresh), '401 auth.session_expired')
  })

  it('opens a session with a code of the authenticator, or with a backup code in any typed form', async () => {
    const { owner, authenticator, backupCodes } = await newGuarded()
    const [first = '', second = '', third = ''] = backupCodes
    const digits = authenticator.next()
    const typings = [
      `${digits.slice(0, 3)} ${digits.slice(3)}`,
      first,
      second.toLowerCase().replaceAll(/[^0-9a-z]/g, ''),
      ` ${third.replaceAll(/[^0-9A-Z]/g, ' ')} `,
    ]
    for (const code of typings) {
      const reply = await answer(server, await challengeOf(owner), code)
      assert.equal(answerOf(reply), '200')
      const { access_token: token, account_id } = json<Tokens>(reply)
      assert.equal(account_id, owner.accountId)
      assert.equal(answerOf(await asOwner({ ...owner, token }, 'GET', '/v1/account')), '200')
    }
  })

  it('accepts no code twice: from the confirmation, from a sign-in, or a backup code', async () => {
    const { owner, authenticator, backupCodes } = await newGuarded()
    const [first = ''] = backupCodes
    const used = authenticator.codeOf(stepAt(Date.now()))
    const wrong = '401 auth.totp_invalid_code'
    expectAnswer(await answer(server, await challengeOf(owner), used), wrong)
    const next = authenticator.next()
    for (const code of [next, first]) {
      expectAnswer(await answer(server, await challengeOf(owner), code), '200')
      expectAnswer(await answer(server, await challengeOf(owner), code), wrong)
    }
  })

  it('answers 401 totp_invalid_code to a wrong code, and to a code of another account', async () => {
    const guarded = await newGuarded()
    const other = await newGuarded()
    for (const code of [wrongDigits(guarded.authenticator), WRONG, other.backupCodes[0] ?? '', '1', '💥'])
      expectAnswer(await answer(server, await challengeOf(guarded.owner), code), '401 auth.totp_invalid_code', code)
  })

  it('answers the same 401 totp_challenge_invalid to an unknown, used-up or completed challenge', async () => {
    const { owner, backupCodes } = await newGuarded()
    const [first = '', second = ''] = backupCodes
    const taken = await challengeOf(owner)
    expectAnswer(await answer(server, taken, first), '200')
    const usedUp = await challengeOf(owner)
    for (let count = 0; count < MAX_ATTEMPTS; count += 1)
      expectAnswer(await answer(server, usedUp, WRONG), '401 auth.totp_invalid_code')
    const unknown = { mfa_token: randomBytes(32).toString('base64url') }
    const replies: Reply[] = []
    for (const challenge of [taken, usedUp, unknown]) replies.push(await answer(server, challenge, second))
    for (const reply of replies) expectAnswer(reply, '401 auth.totp_challenge_invalid')
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    expectAnswer(await answer(server, await challengeOf(owner), second), '200')
  })

  it('cannot be bypassed by registering again', async () => {
    const { owner } = await newGuarded()
    expectAnswer(await register(owner), '409 auth.user_already_exists')
  })
})

// Covers: Accounts and sessions
describe('disabling a second factor', () => {
  it('requires the sign-in key and a code, and ends backup codes and open challenges', async () => {
    const guarded = await newGuarded()
    const { owner, authenticator, backupCodes } = guarded
    const [first = '', second = ''] = backupCodes
    const disable = (code: string, key = owner.key) => provedTotp({ ...owner, key }, 'disable', { code })
    expectAnswer(await disable(first, newKey()), '401 auth.invalid_credentials')
    expectAnswer(await disable(WRONG), '401 auth.totp_invalid_code')
    const open = await challengeOf(owner)
    expectAnswer(await disable(authenticator.next()), '204')
    expectAnswer(await answer(server, open, first), '401 auth.totp_challenge_invalid')
    expectAnswer(await disable(first), '409 auth.totp_not_enrolled')
    assert.equal(await isOn(guarded), false)
    assert.equal(answerOf(await logIn(owner)), '200')
    const again = await enroll(owner)
    assert.notDeepEqual(again.secret, authenticator.secret)
    expectAnswer(await totp(owner, 'confirm', { code: second }), '401 auth.totp_invalid_code')
  })

  it('accepts a backup code instead of the authenticator', async () => {
    const { owner, backupCodes } = await newGuarded()
    expectAnswer(await provedTotp(owner, 'disable', { code: backupCodes[9] }), '204')
  })
})

// Covers: Accounts and sessions
describe('a second factor that is on', () => {
  it('is asked for when the password is changed and the account is deleted', async () => {
    const { owner, authenticator, backupCodes } = await newGuarded()
    const next = newKey()
    const change = (code?: string) => changeKey(owner, next, { code })
    const remove = (key: Key, code?: string) => deleteAccount({ ...owner, key }, { code })
    for (const code of [undefined, WRONG]) {
      expectAnswer(await change(code), '401 auth.totp_invalid_code')
      expectAnswer(await remove(owner.key, code), '401 auth.totp_invalid_code')
    }
    const code = authenticator.next()
    expectAnswer(await change(code), '204')
    expectAnswer(await remove(next, code), '401 auth.totp_invalid_code', 'it was used')
    expectAnswer(await remove(newKey(), backupCodes[0]), '401 auth.invalid_credentials')
    expectAnswer(await remove(next, backupCodes[0]), '204')
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
  })
})

// Covers: Accounts and sessions
describe('new backup codes', () => {
  it('require the sign-in key and a code of either kind, and replace all former ones', async () => {
    const { owner, authenticator, backupCodes } = await newGuarded()
    const [first = '', second = ''] = backupCodes
    const renew = (code: string, key = owner.key) => provedTotp({ ...owner, key }, 'backup-codes', { code })
    expectAnswer(await renew(first, newKey()), '401 auth.invalid_credentials')
    expectAnswer(await renew(WRONG), '401 auth.totp_invalid_code')
    let former = backupCodes
    for (const codeOf of [() => authenticator.next(), () => former[2] ?? '']) {
      const reply = await renew(codeOf())
      expectAnswer(reply, '200')
      const { backup_codes } = json<{ backup_codes: readonly string[] }>(reply)
      assert.equal(new Set([...former, ...backup_codes]).size, 20)
      former = backup_codes
    }
    for (const code of [first, second]) expectAnswer(await renew(code), '401 auth.totp_invalid_code')
    expectAnswer(await answer(server, await challengeOf(owner), former[0] ?? ''), '200')
    expectAnswer(await renew(former[0] ?? ''), '401 auth.totp_invalid_code', 'it was used')
  })
})

// Covers: Accounts and sessions
describe('a second factor, with a proxy and an operator', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const { client, operate } = await operatedServer(FEW_TRIES)
  const from = (address: string) => clientFrom(client, address)

  it('answers 429 to a source after too many wrong codes over all challenges, and not to another source', async () => {
    const [guesser, elsewhere] = [from('203.0.113.31'), from('203.0.113.32')]
    const guarded = await turnOn(await signUp(elsewhere))
    const guessed = { ...guarded.owner, client: guesser }
    const wrong = wrongDigits(guarded.authenticator)
    for (let count = 0; count < MAX_ATTEMPTS_OF_SOURCE; count += 1)
      expectAnswer(await answer(guesser, await challengeOf(guessed), wrong), '401 auth.totp_invalid_code')
    expectAnswer(await answer(guesser, await challengeOf(guessed), wrong), '429 auth.rate_limited')
    expectAnswer(await answer(elsewhere, await challengeOf(guarded.owner), guarded.authenticator.next()), '200')
  })

  it('counts a wrong present key like a login', async () => {
    const owner = await signUp(from('203.0.113.3'))
    for (let count = 0; count < MAX_ATTEMPTS_OF_SOURCE; count += 1)
      expectAnswer(await provedTotp({ ...owner, key: newKey() }, 'enroll'), '401 auth.invalid_credentials')
    expectAnswer(await provedTotp(owner, 'enroll'), '429 auth.rate_limited')
    for (const step of ['disable', 'backup-codes'] as const)
      expectAnswer(await provedTotp(owner, step, { code: WRONG }), '429 auth.rate_limited')
    expectAnswer(await logIn(owner), '429 auth.rate_limited')
  })

  it('counts wrong codes of a confirmation', async () => {
    const owner = await signUp(from('203.0.113.4'))
    const wrong = { code: wrongDigits(await enroll(owner)) }
    for (let count = 0; count < MAX_ATTEMPTS_OF_SOURCE; count += 1)
      expectAnswer(await totp(owner, 'confirm', wrong), '401 auth.totp_invalid_code')
    expectAnswer(await totp(owner, 'confirm', wrong), '429 auth.rate_limited')
  })

  it('is removed by the operator when the owner has lost it', async () => {
    const owner = await signUp(client)
    const { backupCodes } = await turnOn(owner)
    const open = await challengeOf(owner)
    assert.equal(Reflect.get(Object(await operate('account', 'reset-totp', owner.email)), 'changed'), true)
    assert.equal(Reflect.get(Object(await operate('account', 'reset-totp', owner.accountId)), 'changed'), false)
    expectAnswer(await answer(client, open, backupCodes[0] ?? ''), '401 auth.totp_challenge_invalid')
    assert.equal(answerOf(await logIn(owner)), '200')
    // The time step of the confirmation is unused again, which helps when the server's clock was ahead.
    await turnOn(owner)
  })
})

async function serverInfo() {
  const reply = await server.send({ method: 'GET', path: '/.well-known/service/server-info' })
  return json<{ server_id: string }>(reply)
}
