import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import { clientFrom } from './client.ts'
import { answerOf, atOnce, expectAnswer, tally } from './expect.ts'
import { newKey } from './proving.ts'
import {
  changeWords,
  confirmWords,
  finish,
  finishBody,
  newRecoverable,
  SEALED_KEY_BYTES,
  sealedKey,
  start,
  wordsBody,
} from './recovering.ts'
import { answer, challengeOf, turnOn } from './secondFactor.ts'
import { connect, FEW_TRIES, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { asOwner, base64, logIn, newEmail, type Owner, signIn, signUp, type Tokens } from './world.ts'

const MAX_WRONG_WORDS_OF_SOURCE = Number(FEW_TRIES.LOGIN_TRIES_PER_WINDOW)

const server = await connect()
const sealedOf = async (email: string) => {
  const reply = await start(server, email)
  expectAnswer(reply, '200')
  return json<{ sealed_recovery_key: string }>(reply).sealed_recovery_key
}
const post = (path: string, body: unknown) => server.send({ method: 'POST', path, json: body })

// Covers: Accounts and sessions
describe('the start of a recovery', () => {
  it('answers the sealed recovery key to any caller', async () => {
    const { owner, sealedRecoveryKey } = await newRecoverable(server)
    assert.equal(await sealedOf(` ${owner.email.toUpperCase()}`), sealedRecoveryKey)
    assert.equal((await start(server, owner.email)).headers['cache-control'], 'no-store')
  })

  it('answers a stable decoy for an unknown e-mail and for an account without recovery words', async () => {
    const emails = [newEmail(), newEmail(), (await signUp(server)).email]
    const made = await Promise.all(emails.map(sealedOf))
    assert.deepEqual(await Promise.all(emails.map((email) => sealedOf(` ${email.toUpperCase()}`))), made)
    assert.equal(new Set(made).size, emails.length)
    for (const text of made) {
      const sealed = Buffer.from(text, 'base64')
      assert.deepEqual([sealed.length, sealed[0], sealed[49]], [SEALED_KEY_BYTES, 1, 1])
      assert.ok(new Set(sealed.subarray(50)).size > 200, 'the decoy looks random')
    }
  })
})

// Covers: Accounts and sessions
describe('the end of a recovery', () => {
  it('sets the new key and its values, ends every session and signs in', async () => {
    const { owner, words } = await newRecoverable(server)
    const other = await signIn(owner)
    const key = newKey()
    const next = { sign_in_key: key.shown, kdf_version: 1, salt: base64(16), sealed_account_key: sealedKey() }
    const reply = await finish(server, finishBody(` ${owner.email.toUpperCase()}`, next), words)
    expectAnswer(reply, '200')
    assert.equal(reply.headers['cache-control'], 'no-store')
    const tokens = json<Tokens>(reply)
    assert.equal(tokens.account_id, owner.accountId)
    for (const { token, refreshToken } of [owner, other]) {
      expectAnswer(await asOwner({ ...owner, token }, 'GET', '/v1/account'), '401 auth.session_expired')
      expectAnswer(await post('/v1/auth/refresh', { refresh_token: refreshToken }), '401 auth.session_expired')
    }
    const account = await asOwner({ ...owner, token: tokens.access_token }, 'GET', '/v1/account')
    assert.equal(json<{ sealed_account_key: string }>(account).sealed_account_key, next.sealed_account_key)
    assert.equal(json<{ salt: string }>(await post('/v1/auth/kdf', { email: owner.email })).salt, next.salt)
    expectAnswer(await logIn(owner), '401 auth.invalid_credentials')
    expectAnswer(await logIn({ ...owner, key }), '200')
    expectAnswer(await finish(server, finishBody(owner.email), words), '200', 'the words stay valid')
  })

  it('does not change omitted values', async () => {
    const { owner, words, salt, sealedAccountKey, sealedRecoveryKey } = await newRecoverable(server)
    const nothing = { kdf_version: null, salt: null }
    const reply = await finish(server, finishBody(owner.email, nothing), words)
    const { access_token: token } = json<Tokens>(reply)
    const account = await asOwner({ ...owner, token }, 'GET', '/v1/account')
    assert.equal(json<{ sealed_account_key: string }>(account).sealed_account_key, sealedAccountKey)
    assert.equal(json<{ salt: string }>(await post('/v1/auth/kdf', { email: owner.email })).salt, salt)
    assert.equal(await sealedOf(owner.email), sealedRecoveryKey)
  })

  it('answers 401 recovery_invalid to another key, the sign-in key too, and changes nothing', async () => {
    const { owner } = await newRecoverable(server)
    const bare = await signUp(server)
    for (const { email, key } of [owner, bare])
      for (const wrong of [newKey(), key])
        expectAnswer(await finish(server, finishBody(email), wrong), '401 auth.recovery_invalid')
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '200')
    expectAnswer(await logIn(owner), '200')
  })

  it('answers 400 to values of a wrong form, and 422 to missing ones', async () => {
    const { owner, words } = await newRecoverable(server)
    const body = finishBody(owner.email)
    const out = [
      { sign_in_key: base64(31) },
      { sign_in_key: base64(33) },
      { sign_in_key: 'none' },
      { kdf_version: 2 },
      { salt: base64(65) },
      { sealed_account_key: base64(4097) },
      { sealed_recovery_key: sealedKey() },
    ]
    for (const over of out)
      expectAnswer(await finish(server, { ...body, ...over }, words), '400 request.malformed', Object.keys(over)[0])
    for (const name of Object.keys(body))
      expectAnswer(await finish(server, { ...body, [name]: undefined }, words), '422 request.unprocessable', name)
    expectAnswer(await logIn(owner), '200')
  })

  it('answers 202 when the account has a second factor, and changes nothing before the code is given', async () => {
    const { owner, words } = await newRecoverable(server)
    const { authenticator } = await turnOn(owner)
    const waiting = await challengeOf(owner)
    const [key, salt] = [newKey(), base64(16)]
    const reply = await finish(server, finishBody(owner.email, { sign_in_key: key.shown, salt }), words)
    expectAnswer(reply, '202')
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '200')
    expectAnswer(await logIn({ ...owner, key }), '401 auth.invalid_credentials')
    const challenge = json<{ mfa_token: string }>(reply)
    const signedIn = await answer(server, challenge, authenticator.next())
    expectAnswer(signedIn, '200')
    expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
    const { access_token: token } = json<Tokens>(signedIn)
    expectAnswer(await asOwner({ ...owner, token }, 'GET', '/v1/account'), '200')
    assert.equal(json<{ salt: string }>(await post('/v1/auth/kdf', { email: owner.email })).salt, salt)
    assert.deepEqual(
      [answerOf(await logIn(owner)), answerOf(await logIn({ ...owner, key }))],
      ['401 auth.invalid_credentials', '202'],
    )
    expectAnswer(await answer(server, waiting, '000000'), '401 auth.totp_challenge_invalid', 'started with the old key')
  })
})

// Covers: Accounts and sessions
describe('new recovery words', () => {
  const stateOf = async (owner: Owner) =>
    json<{ recovery_words: string }>(await asOwner(owner, 'GET', '/v1/account')).recovery_words

  it('replace the old ones at once, stay unconfirmed until they are proved, and leave the sessions', async () => {
    const { owner, words: old } = await newRecoverable(server)
    const other = await signIn(owner)
    expectAnswer(await confirmWords(owner, old), '204')
    assert.equal(await stateOf(owner), 'confirmed')
    const words = newKey()
    const body = wordsBody(words)
    for (const time of ['first', 'again']) expectAnswer(await changeWords(owner, body), '204', time)
    assert.equal(await stateOf(other), 'unconfirmed')
    assert.equal(await sealedOf(owner.email), body.sealed_recovery_key)
    for (const wrong of [old, owner.key, newKey()])
      expectAnswer(await confirmWords(owner, wrong), '401 auth.recovery_invalid')
    expectAnswer(await finish(server, finishBody(owner.email), old), '401 auth.recovery_invalid')
    for (const time of ['first', 'again']) expectAnswer(await confirmWords(other, words), '204', time)
    assert.equal(await stateOf(owner), 'confirmed')
    expectAnswer(await changeWords(owner, body), '204', 'a late repeat')
    assert.equal(await stateOf(owner), 'confirmed', 'a repeat changes nothing')
    expectAnswer(await finish(server, finishBody(owner.email), words), '200')
  })

  it('can be the first of an account, which a recovery confirms', async () => {
    const owner = await signUp(server)
    assert.equal(await stateOf(owner), 'none')
    expectAnswer(await confirmWords(owner, newKey()), '401 auth.recovery_invalid')
    const words = newKey()
    expectAnswer(await changeWords(owner, wordsBody(words)), '204')
    const reply = await finish(server, finishBody(owner.email), words)
    expectAnswer(reply, '200')
    assert.equal(await stateOf({ ...owner, token: json<Tokens>(reply).access_token }), 'confirmed')
  })

  it('need the proof of the account’s own sign-in key, and are refused in a wrong form', async () => {
    const [{ owner, words }, { owner: stranger, words: others }] = [
      await newRecoverable(server),
      await newRecoverable(server),
    ]
    const body = wordsBody(newKey())
    for (const wrong of [words, stranger.key, newKey()])
      expectAnswer(await changeWords(owner, body, wrong), '401 auth.invalid_credentials')
    expectAnswer(await confirmWords(owner, others), '401 auth.recovery_invalid')
    const out = [
      { recovery_key: base64(31) },
      { recovery_key: base64(33) },
      { recovery_key: Buffer.alloc(32).toString('base64') },
      { sealed_recovery_key: base64(4097) },
      { sealed_recovery_key: '' },
      { sign_in_key: newKey().shown },
    ]
    for (const over of out)
      expectAnswer(await changeWords(owner, { ...body, ...over }), '400 request.malformed', Object.keys(over)[0])
    for (const name of Object.keys(body))
      expectAnswer(await changeWords(owner, { ...body, [name]: undefined }), '422 request.unprocessable', name)
    assert.equal(await stateOf(owner), 'unconfirmed')
    expectAnswer(await finish(server, finishBody(owner.email), words), '200')
  })

  it('need a code where a second factor is on, also of a caller who repeats it for other words', async () => {
    const { owner } = await newRecoverable(server)
    const { authenticator } = await turnOn(owner)
    const words = newKey()
    const body = wordsBody(words)
    for (const over of [{}, { code: '000000' }])
      expectAnswer(await changeWords(owner, { ...body, ...over }), '401 auth.totp_invalid_code')
    const withCode = { ...body, code: authenticator.next() }
    for (const time of ['first', 'again']) expectAnswer(await changeWords(owner, withCode), '204', time)
    expectAnswer(await changeWords(owner, wordsBody(newKey(), { code: withCode.code })), '401 auth.totp_invalid_code')
    expectAnswer(await confirmWords(owner, words), '204')
  })
})

// Covers: Accounts and sessions
describe('a recovery through a proxy', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const client = await ownServer(FEW_TRIES)
  const from = (address: string) => clientFrom(client, address)

  it('answers 429 after too many wrong words for an e-mail, known or not, and still accepts the password', async () => {
    const [guesser, elsewhere] = [from('203.0.113.21'), from('203.0.113.22')]
    const { owner, words } = await newRecoverable(guesser)
    for (const email of [owner.email, newEmail()]) {
      const wrong = await atOnce(MAX_WRONG_WORDS_OF_SOURCE + 4, () => finish(guesser, finishBody(email)))
      const expected = { '401 auth.recovery_invalid': MAX_WRONG_WORDS_OF_SOURCE, '429 auth.rate_limited': 4 }
      assert.deepEqual(tally(wrong), expected)
    }
    const body = finishBody(owner.email)
    expectAnswer(await finish(guesser, body, words), '429 auth.rate_limited', 'also to the right words')
    expectAnswer(await logIn(owner), '200')
    expectAnswer(await finish(elsewhere, body, words), '200', 'not to another source')
  })
})
