import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { answerOf, atOnce, expectAnswer, fingerprint, tally, until } from './expect.ts'
import { connect, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { asOwner, base64, newEmail, newPassword, quotaOf, signIn, signUp, type Tokens } from './world.ts'

interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly sid: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
}

const MAX_WRONG_TRIES = 100
const TRIES_AT_A_TIME = 10

const server = await connect()
const post = (path: string, body: unknown, client: Client = server) => client.send({ method: 'POST', path, json: body })
const register = (body: unknown, client: Client = server) => post('/v1/auth/register', body, client)
const login = (email: string, password: string) => post('/v1/auth/login', { email, password })
const refresh = (token: string) => post('/v1/auth/refresh', { refresh_token: token })
const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(String(token.split('.')[index]), 'base64url').toString())
const withToken = (authorization: string) =>
  server.send({ method: 'GET', path: '/v1/account', headers: { authorization } })

// Covers: Requests; Accounts and sessions
describe('registration', () => {
  it('answers 201 with a session and keeps what the client sealed', async () => {
    const sealed = {
      kdf_version: 1,
      salt: base64(16),
      sealed_account_key: base64(100),
      sealed_recovery_key: base64(100),
      recovery_proof: base64(32),
    }
    const email = newEmail()
    const reply = await register({ email, password: newPassword(), ...sealed })
    assert.equal(reply.status, 201)
    const { access_token, account_id } = json<Tokens>(reply)
    const account = await server.send({ method: 'GET', path: '/v1/account', token: access_token })
    assert.equal(account.status, 200)
    const { created_at, ...rest } = json<Record<string, unknown>>(account)
    assert.ok(typeof created_at === 'string')
    assert.deepEqual(rest, {
      account_id,
      email,
      kdf_version: 1,
      sealed_account_key: sealed.sealed_account_key,
      totp_enabled: false,
      state: 'active',
    })
  })

  it('takes a repeat with identical values as the same success', async () => {
    const body = {
      email: newEmail(),
      password: newPassword(),
      kdf_version: 1,
      salt: base64(16),
      sealed_account_key: base64(60),
    }
    const [first, second] = [await register(body), await register(body)]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(json<Tokens>(first).account_id, json<Tokens>(second).account_id)
  })

  it('answers 409 when the e-mail is registered with other values', async () => {
    const body = { email: newEmail(), password: newPassword(), salt: base64(16), sealed_account_key: base64(60) }
    assert.equal((await register(body)).status, 201)
    for (const change of [{ password: newPassword() }, { salt: base64(16) }, { sealed_account_key: base64(60) }])
      expectAnswer(await register({ ...body, ...change }), '409 auth.user_already_exists', Object.keys(change)[0])
  })

  it('makes one account of 16 identical registrations at once', async () => {
    const body = { email: newEmail(), password: newPassword() }
    const replies = await atOnce(16, () => register(body))
    assert.deepEqual(tally(replies), { 201: 16 })
    assert.equal(new Set(replies.map((reply) => json<Tokens>(reply).account_id)).size, 1)
  })

  it('makes one account of different registrations of one e-mail at once', async () => {
    const email = newEmail()
    const replies = await atOnce(16, () => register({ email, password: newPassword() }))
    assert.deepEqual(tally(replies), { 201: 1, '409 auth.user_already_exists': 15 })
  })

  it('trims and lower-cases the e-mail', async () => {
    const email = newEmail()
    const password = newPassword()
    const { access_token } = json<Tokens>(await register({ email: `  ${email.toUpperCase()} `, password }))
    assert.equal(
      json<{ email: string }>(await server.send({ method: 'GET', path: '/v1/account', token: access_token })).email,
      email,
    )
    assert.equal((await login(email, password)).status, 200)
    assert.equal((await login(` ${email.toUpperCase()}`, password)).status, 200)
  })

  it('takes a secret of 12 to 1024 characters', async () => {
    for (const length of [12, 1024])
      assert.equal((await register({ email: newEmail(), password: 'x'.repeat(length) })).status, 201)
    for (const length of [0, 11, 1025])
      assert.equal((await register({ email: newEmail(), password: 'x'.repeat(length) })).status, 400)
  })

  it('answers 400 to what is no e-mail address', async () => {
    for (const email of ['', 'nobody', '@', 'a@', '@b', 'a b@c.d', 'a@b\u0000.c', `${'a'.repeat(250)}@b.cd`])
      assert.equal((await register({ email, password: newPassword() })).status, 400, JSON.stringify(email))
  })

  it('answers 400 to text that no Unicode encoding can hold', async () => {
    for (const fault of [{ email: `\ud800${newEmail()}` }, { password: `\udc00${newPassword()}` }])
      assert.equal((await register({ email: newEmail(), password: newPassword(), ...fault })).status, 400)
  })

  it('answers 400 to sealed values out of their form', async () => {
    const wrong = [
      { kdf_version: 0 },
      { salt: 'not base64' },
      { salt: base64(65) },
      { salt: 'AAAA' },
      { sealed_account_key: '' },
      { sealed_account_key: base64(4097) },
      { recovery_proof: base64(31) },
      { recovery_proof: base64(33) },
    ]
    for (const fault of wrong)
      assert.equal(
        (await register({ email: newEmail(), password: newPassword(), ...fault })).status,
        400,
        JSON.stringify(fault).slice(0, 80),
      )
  })

  it('answers 403 when it is closed or by invite', { skip: NEEDS_OWN_SERVER }, async () => {
    for (const REGISTRATION of ['closed', 'invite'])
      expectAnswer(
        await register({ email: newEmail(), password: newPassword() }, await ownServer({ REGISTRATION })),
        '403 auth.registration_closed',
      )
  })

  it('is not open to what a proxy forwards unless it was opened', { skip: NEEDS_OWN_SERVER }, async () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
      const json = { email: newEmail(), password: newPassword() }
      const reply = await server.send({
        method: 'POST',
        path: '/v1/auth/register',
        json,
        headers: { [header]: '203.0.113.9' },
      })
      expectAnswer(reply, '403 auth.registration_closed', header)
    }
  })
})

// Covers: Accounts and sessions
describe('password salt', () => {
  it('gives the salt that was registered', async () => {
    const body = { email: newEmail(), password: newPassword(), kdf_version: 1, salt: base64(16) }
    await register(body)
    assert.deepEqual(json(await post('/v1/auth/kdf', { email: body.email.toUpperCase() })), {
      kdf_version: 1,
      salt: body.salt,
    })
  })

  it('makes up a salt for an unknown e-mail that stays the same', async () => {
    const [one, other] = [newEmail(), newEmail()]
    const ask = async (email: string) =>
      json<{ kdf_version: number; salt: string }>(await post('/v1/auth/kdf', { email }))
    const made = await ask(one)
    assert.deepEqual(await ask(one), made)
    assert.deepEqual(await ask(` ${one.toUpperCase()}`), made)
    assert.notEqual((await ask(other)).salt, made.salt)
    assert.equal(Buffer.from(made.salt, 'base64').length, 16, 'as long as the salts of our clients')
  })
})

// Covers: Authentication 2; Other operations, login, refresh, logout; Requests; Accounts and sessions
describe('login', () => {
  it('opens a further session of the same account', async () => {
    const owner = await signUp(server)
    const again = await signIn(owner)
    assert.equal(again.accountId, owner.accountId)
    assert.notEqual(part(again.token, 1).sid, part(owner.token, 1).sid)
  })

  it('answers a wrong secret and an unknown e-mail with the same 401', async () => {
    const owner = await signUp(server)
    const wrong = await login(owner.email, newPassword())
    expectAnswer(wrong, '401 auth.invalid_credentials')
    assert.equal(fingerprint(wrong), fingerprint(await login(newEmail(), newPassword())))
  })

  it('issues an access token for 15 minutes with the claims of RFC 9068', async () => {
    const owner = await signUp(server)
    const header = part(owner.token, 0)
    assert.deepEqual([header.alg, header.typ], ['EdDSA', 'at+jwt'])
    const claims: Claims = part(owner.token, 1)
    const { server_id } = json<{ server_id: string }>(
      await server.send({ method: 'GET', path: '/.well-known/service/server-info' }),
    )
    assert.deepEqual([claims.iss, claims.aud, claims.sub], [server_id, server_id, owner.accountId])
    assert.ok(claims.sid.length > 0 && claims.jti.length > 0)
    assert.equal(claims.exp - claims.iat, 900)
  })

  it('tells when the access token ends', async () => {
    const { email, password } = await signUp(server)
    const tokens = json<Tokens>(await login(email, password))
    assert.equal(tokens.token_type, 'Bearer')
    assert.equal(Math.floor(Date.parse(tokens.expires_at) / 1000), part(tokens.access_token, 1).exp)
  })

  it('answers 429 when too many wrong secrets were tried on one account', async () => {
    const owner = await signUp(server)
    const answers: string[] = []
    while (answers.length < MAX_WRONG_TRIES + TRIES_AT_A_TIME && !answers.includes('429 auth.rate_limited'))
      answers.push(...(await atOnce(TRIES_AT_A_TIME, () => login(owner.email, 'wrong secret'))).map(answerOf))
    assert.ok(answers.includes('429 auth.rate_limited'), `${answers.length} wrong secrets in a row were judged`)
    expectAnswer(await login(owner.email, owner.password), '429 auth.rate_limited', 'the right secret waits too')
  })

  it('does not count right secrets', async () => {
    const owner = await signUp(server)
    for (let round = 0; round < 12; round += 1) assert.equal((await login(owner.email, owner.password)).status, 200)
  })

  it('lets nothing that holds tokens, keys or private lists be stored', async () => {
    const owner = await signUp(server)
    const body = { email: owner.email, password: owner.password }
    const replies = [
      await register(body),
      await login(body.email, body.password),
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
  it('answers 401 without an error code when there is no credential', async () => {
    const reply = await server.send({ method: 'GET', path: '/v1/account' })
    expectAnswer(reply, '401 request.unauthenticated')
    assert.equal(reply.headers['www-authenticate'], 'Bearer realm="service"')
  })

  it('answers 401 invalid_token to what is no token of this server', async () => {
    const { token, refreshToken } = await signUp(server)
    const [header, claims, signature] = token.split('.')
    const stranger = generateKeyPairSync('ed25519').privateKey
    const forged = sign(null, Buffer.from(`${header}.${claims}`), stranger).toString('base64url')
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    const otherClaims = Buffer.from(
      JSON.stringify({ ...part(token, 1), sub: randomBytes(16).toString('hex') }),
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

  it('reads the scheme in any case and no other scheme', async () => {
    const { token } = await signUp(server)
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      assert.equal((await withToken(`${scheme} ${token}`)).status, 200, scheme)
    for (const value of [
      token,
      `Basic ${token}`,
      `Token ${token}`,
      'Bearer',
      `Bearer ${token} ${token}`,
      `Bearer ${token},${token}`,
    ])
      expectAnswer(await withToken(value), '401 request.unauthenticated', value.slice(0, 12))
  })

  it('reads no token from the query or from a body', async () => {
    const { token } = await signUp(server)
    expectAnswer(
      await server.send({ method: 'GET', path: `/v1/account?access_token=${token}` }),
      '401 request.unauthenticated',
    )
  })

  it('answers 401 session_expired once the access token has ended', { skip: NEEDS_OWN_SERVER }, async () => {
    const brief = await ownServer({ ACCESS_TOKEN_SECONDS: '1' })
    const owner = await signUp(brief)
    await until(async () => (await asOwner(owner, 'GET', '/v1/account')).status === 401, 'the token ends')
    const reply = await asOwner(owner, 'GET', '/v1/account')
    expectAnswer(reply, '401 auth.session_expired')
    assert.match(String(reply.headers['www-authenticate']), /error="invalid_token"/)
  })
})

// Covers: Authentication 2; Other operations, login, refresh, logout; Requests; Accounts and sessions
describe('refresh and logout', () => {
  it('rotates the pair', async () => {
    const owner = await signUp(server)
    const reply = await refresh(owner.refreshToken)
    assert.equal(reply.status, 200)
    const tokens = json<Tokens>(reply)
    assert.notEqual(tokens.refresh_token, owner.refreshToken)
    assert.equal(tokens.account_id, owner.accountId)
    assert.equal(part(tokens.access_token, 1).sid, part(owner.token, 1).sid)
    assert.equal((await asOwner({ ...owner, token: tokens.access_token }, 'GET', '/v1/account')).status, 200)
    assert.equal((await refresh(tokens.refresh_token)).status, 200)
  })

  it('answers an honest repeat with the same successor', async () => {
    const owner = await signUp(server)
    const first = json<Tokens>(await refresh(owner.refreshToken))
    const second = json<Tokens>(await refresh(owner.refreshToken))
    assert.equal(second.refresh_token, first.refresh_token)
  })

  it('answers 401 to what is no refresh token', async () => {
    const owner = await signUp(server)
    for (const token of ['nonsense', owner.token, base64(32), randomBytes(32).toString('base64url')])
      expectAnswer(await refresh(token), '401 auth.session_expired', token.slice(0, 20))
  })

  it('ends the session’s tokens at once, and only them', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    assert.equal((await asOwner(owner, 'POST', '/v1/auth/logout')).status, 204)
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
    expectAnswer(await asOwner(owner, 'POST', '/v1/auth/logout'), '401 auth.session_expired')
    expectAnswer(await refresh(owner.refreshToken), '401 auth.session_expired')
    assert.equal((await quotaOf(other)).used, 0)
  })

  it('ends a session whose token was rotated, too', async () => {
    const owner = await signUp(server)
    const rotated = json<Tokens>(await refresh(owner.refreshToken))
    await asOwner(owner, 'POST', '/v1/auth/logout')
    expectAnswer(await withToken(`Bearer ${rotated.access_token}`), '401 auth.session_expired')
    expectAnswer(await refresh(rotated.refresh_token), '401 auth.session_expired')
  })

  it('takes a logout that declares a JSON body and sends none', async () => {
    const owner = await signUp(server)
    const headers = { 'content-type': 'application/json' }
    assert.equal(
      (await server.send({ method: 'POST', path: '/v1/auth/logout', token: owner.token, headers })).status,
      204,
    )
  })
})
