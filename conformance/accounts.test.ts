import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json } from './call.ts'
import { answerOf, atOnce, expectAnswer, fingerprint, tally } from './expect.ts'
import { partOf } from './jwt.ts'
import { newKey } from './proving.ts'
import { finish, finishBody } from './recovering.ts'
import { connect, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import {
  asOwner,
  base64,
  logIn,
  newCredentials,
  newEmail,
  quotaOf,
  register,
  signIn,
  signUp,
  type Tokens,
} from './world.ts'

interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly sid: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
}

const MAX_WRONG_ATTEMPTS = 100
const ATTEMPTS_AT_A_TIME = 10

const server = await connect()
const post = (path: string, body: unknown) => server.send({ method: 'POST', path, json: body })
const newcomer = () => newCredentials(server)
const refresh = (token: string) => post('/v1/auth/refresh', { refresh_token: token })
const withToken = (authorization: string) =>
  server.send({ method: 'GET', path: '/v1/account', headers: { authorization } })

// Covers: Requests; Accounts and sessions
describe('registration', () => {
  it('answers 201 with a session, and keeps the sealed values of the client', async () => {
    const sealed = {
      kdf_version: 1,
      salt: base64(16),
      sealed_account_key: base64(100),
      sealed_recovery_key: base64(100),
      recovery_key: newKey().shown,
    }
    const who = newcomer()
    const reply = await register(who, sealed)
    assert.equal(reply.status, 201)
    const { access_token, account_id } = json<Tokens>(reply)
    const account = await server.send({ method: 'GET', path: '/v1/account', token: access_token })
    assert.equal(account.status, 200)
    const { created_at, ...rest } = json<Record<string, unknown>>(account)
    assert.ok(typeof created_at === 'string')
    assert.deepEqual(rest, {
      account_id,
      email: who.email,
      kdf_version: 1,
      sealed_account_key: sealed.sealed_account_key,
      totp_enabled: false,
      recovery_words: 'unconfirmed',
      state: 'active',
    })
  })

  it('answers a repeat with identical values and another proof with the same success', async () => {
    const who = newcomer()
    const sealed = { kdf_version: 1, salt: base64(16), sealed_account_key: base64(60) }
    const [first, second] = [await register(who, sealed), await register(who, sealed)]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(json<Tokens>(first).account_id, json<Tokens>(second).account_id)
  })

  it('answers 409 when the e-mail is registered with other values', async () => {
    const who = newcomer()
    const sealed = { salt: base64(16), sealed_account_key: base64(60) }
    assert.equal((await register(who, sealed)).status, 201)
    for (const change of [{ salt: base64(16) }, { sealed_account_key: base64(60) }])
      expectAnswer(
        await register(who, { ...sealed, ...change }),
        '409 auth.user_already_exists',
        Object.keys(change)[0],
      )
    expectAnswer(await register({ ...who, key: newKey() }, sealed), '409 auth.user_already_exists', 'another key')
  })

  it('trims and lower-cases the e-mail', async () => {
    const { client, email, key } = newcomer()
    const { access_token } = json<Tokens>(await register({ client, key, email: `  ${email.toUpperCase()} ` }))
    assert.equal(
      json<{ email: string }>(await server.send({ method: 'GET', path: '/v1/account', token: access_token })).email,
      email,
    )
    for (const typed of [email, ` ${email.toUpperCase()}`])
      assert.equal((await logIn({ client, key, email: typed })).status, 200)
  })

  it('answers 400 to a malformed e-mail address', async () => {
    for (const email of ['', 'nobody', '@', 'a@', '@b', 'a b@c.d', 'a@b\u0000.c', `${'a'.repeat(250)}@b.cd`])
      assert.equal((await register({ ...newcomer(), email })).status, 400, JSON.stringify(email))
  })

  it('refuses an address that is not plain wherever it is given, whether or not an account has it', async () => {
    const who = newcomer()
    const [name = '', domain = ''] = who.email.split('@')
    expectAnswer(await register(who), '201')
    const lookAlikes = [
      `${name}\u200b@${domain}`,
      `\ufeff${name}@${domain}`,
      `\u202e${name}@${domain}`,
      `${name}@\u2066${domain}`,
      `${name}\u00ad@${domain}`,
      `\u0430${name}@${domain}`,
      `${name}@${domain}\u0440`,
      `${name}@${domain}@${domain}`,
    ]
    for (const email of lookAlikes) {
      const alike = { ...who, email }
      expectAnswer(await register(alike), '400 auth.registration_invalid', JSON.stringify(email))
      const replies = [
        await logIn(alike),
        await post('/v1/auth/kdf', { email }),
        await post('/v1/auth/recover/start', { email }),
        await finish(server, finishBody(email)),
      ]
      assert.deepEqual(tally(replies), { '400 request.malformed': replies.length }, JSON.stringify(email))
    }
  })

  it('answers 400 to sealed values of a wrong form', async () => {
    const wrong = [
      { kdf_version: 0 },
      { salt: 'not base64' },
      { salt: base64(15) },
      { salt: base64(17) },
      { salt: base64(65) },
      { salt: 'AAAA' },
      { sealed_account_key: '' },
      { sealed_account_key: base64(4097) },
      { recovery_key: base64(31) },
      { recovery_key: base64(33) },
    ]
    for (const fault of wrong)
      assert.equal((await register(newcomer(), fault)).status, 400, JSON.stringify(fault).slice(0, 80))
  })
})

// Covers: Accounts and sessions
describe('password salt', () => {
  it('is the registered salt', async () => {
    const given = { kdf_version: 1, salt: base64(16) }
    const { email } = await signUp(server, given)
    assert.deepEqual(json(await post('/v1/auth/kdf', { email: email.toUpperCase() })), given)
  })

  it('is a stable decoy for an unknown e-mail', async () => {
    const [one, other] = [newEmail(), newEmail()]
    const ask = async (email: string) =>
      json<{ kdf_version: number; salt: string }>(await post('/v1/auth/kdf', { email }))
    const made = await ask(one)
    assert.deepEqual(await ask(one), made)
    assert.deepEqual(await ask(` ${one.toUpperCase()}`), made)
    assert.notEqual((await ask(other)).salt, made.salt)
    assert.equal(Buffer.from(made.salt, 'base64').length, 16, 'the decoy has the length of a client salt')
  })
})

// Covers: Authentication 2; Other operations, login, refresh, logout; Requests; Accounts and sessions
describe('login', () => {
  it('opens another session of the same account', async () => {
    const owner = await signUp(server)
    const again = await signIn(owner)
    assert.equal(again.accountId, owner.accountId)
    assert.notEqual(partOf(again.token, 1).sid, partOf(owner.token, 1).sid)
  })

  it('answers the same 401 to a wrong key and an unknown e-mail', async () => {
    const owner = await signUp(server)
    const wrong = await logIn({ ...owner, key: newKey() })
    expectAnswer(wrong, '401 auth.invalid_credentials')
    assert.equal(fingerprint(wrong), fingerprint(await logIn(newcomer())))
  })

  it('issues an access token for 15 minutes with the claims of RFC 9068', async () => {
    const owner = await signUp(server)
    const header = partOf(owner.token, 0)
    assert.deepEqual([header.alg, header.typ], ['EdDSA', 'at+jwt'])
    const claims: Claims = partOf(owner.token, 1)
    const { server_id } = json<{ server_id: string }>(
      await server.send({ method: 'GET', path: '/.well-known/service/server-info' }),
    )
    assert.deepEqual([claims.iss, claims.aud, claims.sub], [server_id, server_id, owner.accountId])
    assert.ok(claims.sid.length > 0 && claims.jti.length > 0)
    assert.equal(claims.exp - claims.iat, 900)
  })

  it('answers the time at which the access token expires', async () => {
    const tokens = json<Tokens>(await logIn(await signUp(server)))
    assert.equal(tokens.token_type, 'Bearer')
    assert.equal(Math.floor(Date.parse(tokens.expires_at) / 1000), partOf(tokens.access_token, 1).exp)
  })

  it('answers 429 after too many wrong keys for one account', async () => {
    const owner = await signUp(server)
    const answers: string[] = []
    while (answers.length < MAX_WRONG_ATTEMPTS + ATTEMPTS_AT_A_TIME && !answers.includes('429 auth.rate_limited'))
      answers.push(...(await atOnce(ATTEMPTS_AT_A_TIME, () => logIn({ ...owner, key: newKey() }))).map(answerOf))
    assert.ok(answers.includes('429 auth.rate_limited'), `no 429 after ${answers.length} wrong keys`)
    expectAnswer(await logIn(owner), '429 auth.rate_limited', 'also to the right key')
  })

  it('forbids storing answers with tokens, keys or private lists', async () => {
    const owner = await signUp(server)
    const replies = [
      await register(owner),
      await logIn(owner),
      await server.send({ method: 'POST', path: '/v1/auth/nonce' }),
      await refresh(owner.refreshToken),
      ...(await Promise.all(
        ['/v1/account', '/v1/devices', '/v1/albums', '/v1/drops', '/v1/drops/links', '/v1/quota'].map((path) =>
          asOwner(owner, 'GET', path),
        ),
      )),
    ]
    for (const reply of replies) assert.equal(reply.headers['cache-control'], 'no-store')
  })
})

// Covers: Authentication 1; Authentication 4; Errors 4, 401
describe('bearer tokens', () => {
  it('are required: 401 without an error code when the credential is missing', async () => {
    const reply = await server.send({ method: 'GET', path: '/v1/account' })
    expectAnswer(reply, '401 request.unauthenticated')
    assert.equal(reply.headers['www-authenticate'], 'Bearer realm="service"')
  })

  it('are refused with 401 invalid_token when this server did not issue them', async () => {
    const { token, refreshToken } = await signUp(server)
    const [header, claims, signature] = token.split('.')
    const stranger = generateKeyPairSync('ed25519').privateKey
    const forged = sign(null, Buffer.from(`${header}.${claims}`), stranger).toString('base64url')
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    const otherClaims = Buffer.from(
      JSON.stringify({ ...partOf(token, 1), sub: randomBytes(16).toString('hex') }),
    ).toString('base64url')
    const tokens = [
      'nonsense',
      'a.b.c',
      refreshToken,
      `${header}.${claims}.${forged}`,
      `${unsigned}.${claims}.`,
      `${header}.${otherClaims}.${signature}`,
      `${header}.${claims}.`,
      `${token}x`,
    ]
    for (const text of tokens) {
      const reply = await withToken(`Bearer ${text}`)
      expectAnswer(reply, '401 request.unauthenticated', text.slice(0, 40))
      assert.match(String(reply.headers['www-authenticate']), /error="invalid_token"/)
    }
  })

  it('are not read from the query or the body', async () => {
    const { token } = await signUp(server)
    expectAnswer(
      await server.send({ method: 'GET', path: `/v1/account?access_token=${token}` }),
      '401 request.unauthenticated',
    )
  })

  it('are refused with 401 session_expired once they have expired', { skip: NEEDS_OWN_SERVER }, async () => {
    const shortLived = await ownServer({ ACCESS_TOKEN_SECONDS: '1' })
    const owner = await signUp(shortLived)
    await until(async () => (await asOwner(owner, 'GET', '/v1/account')).status === 401, 'the token expires')
    const reply = await asOwner(owner, 'GET', '/v1/account')
    expectAnswer(reply, '401 auth.session_expired')
    assert.match(String(reply.headers['www-authenticate']), /error="invalid_token"/)
  })
})

// Covers: Authentication 2; Other operations, login, refresh, logout; Requests; Accounts and sessions
describe('refresh and logout', () => {
  it('rotate the pair of tokens', async () => {
    const owner = await signUp(server)
    const reply = await refresh(owner.refreshToken)
    assert.equal(reply.status, 200)
    const tokens = json<Tokens>(reply)
    assert.notEqual(tokens.refresh_token, owner.refreshToken)
    assert.equal(tokens.account_id, owner.accountId)
    assert.equal(partOf(tokens.access_token, 1).sid, partOf(owner.token, 1).sid)
    assert.equal((await asOwner({ ...owner, token: tokens.access_token }, 'GET', '/v1/account')).status, 200)
    assert.equal((await refresh(tokens.refresh_token)).status, 200)
  })

  it('answer a repeated refresh with the same successor', async () => {
    const owner = await signUp(server)
    const first = json<Tokens>(await refresh(owner.refreshToken))
    const second = json<Tokens>(await refresh(owner.refreshToken))
    assert.equal(second.refresh_token, first.refresh_token)
  })

  it('answer 401 to an unknown refresh token', async () => {
    const owner = await signUp(server)
    for (const token of ['nonsense', owner.token, base64(32), randomBytes(32).toString('base64url')])
      expectAnswer(await refresh(token), '401 auth.session_expired', token.slice(0, 20))
  })

  it('end the tokens of the session at once, and only them', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    assert.equal((await asOwner(owner, 'POST', '/v1/auth/logout')).status, 204)
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
    expectAnswer(await asOwner(owner, 'POST', '/v1/auth/logout'), '401 auth.session_expired')
    expectAnswer(await refresh(owner.refreshToken), '401 auth.session_expired')
    assert.equal((await quotaOf(other)).used, 0)
  })

  it('end a session by a token that was rotated', async () => {
    const owner = await signUp(server)
    const rotated = json<Tokens>(await refresh(owner.refreshToken))
    await asOwner(owner, 'POST', '/v1/auth/logout')
    expectAnswer(await withToken(`Bearer ${rotated.access_token}`), '401 auth.session_expired')
    expectAnswer(await refresh(rotated.refresh_token), '401 auth.session_expired')
  })

  it('accept a logout that declares a JSON body and sends none', async () => {
    const owner = await signUp(server)
    const headers = { 'content-type': 'application/json' }
    assert.equal(
      (await server.send({ method: 'POST', path: '/v1/auth/logout', token: owner.token, headers })).status,
      204,
    )
  })
})
