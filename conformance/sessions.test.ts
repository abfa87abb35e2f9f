import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import { listen } from './eventReader.ts'
import { answerOf, atOnce, expectAnswer } from './expect.ts'
import { partOf } from './jwt.ts'
import { expectNaming } from './naming.ts'
import { newKey } from './proving.ts'
import { connect } from './server.ts'
import { asOwner, base64, changeKey, deleteAccount, logIn, type Owner, signIn, signUp, type Tokens } from './world.ts'

const MAX_WRONG_ATTEMPTS = 100
const AT_A_TIME = 10

interface Session {
  readonly session_id: string
  readonly device_id?: string
  readonly sealed_name?: string
  readonly created_at: string
  readonly last_used_at: string
  readonly current: boolean
}

const server = await connect()
const post = (path: string, body: unknown, token?: string) => server.send({ method: 'POST', path, json: body, token })
const sessionsOf = async (owner: Owner) =>
  json<{ sessions: Session[] }>(await asOwner(owner, 'GET', '/v1/auth/sessions')).sessions
const end = (owner: Owner, sessionId: string) => asOwner(owner, 'DELETE', `/v1/auth/sessions/${sessionId}`)
const currentOf = async (owner: Owner) => {
  const current = (await sessionsOf(owner)).filter((session) => session.current)
  assert.equal(current.length, 1)
  return String(current[0]?.session_id)
}
/** Proves another key than the account's. */
const withOther = (owner: Owner): Owner => ({ ...owner, key: newKey() })

async function expectOver(owner: Owner): Promise<void> {
  expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
  expectAnswer(await post('/v1/auth/refresh', { refresh_token: owner.refreshToken }), '401 auth.session_expired')
}

// Covers: Accounts and sessions
describe('sessions', () => {
  it('are listed oldest first, and each client can identify its own', async () => {
    const owner = await signUp(server)
    const device_id = randomUUID()
    const withDevice = json<Tokens>(await logIn(owner, { device_id }))
    const third = await signIn(owner)
    const listed = await sessionsOf(owner)
    assert.deepEqual(
      listed.map(({ current, device_id: device }) => [current, device]),
      [
        [true, undefined],
        [false, device_id],
        [false, undefined],
      ],
    )
    const times = listed.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted())
    assert.equal(await currentOf(third), listed[2]?.session_id)
    const claims = partOf(withDevice.access_token, 1)
    assert.equal(claims.sid, listed[1]?.session_id)
  })

  it('can be ended by another session at once, with their tokens and event streams', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    const stream = await listen(other)
    assert.equal((await end(owner, await currentOf(other))).status, 204)
    await expectOver(other)
    assert.equal(await stream.next(), undefined, 'the stream ends')
    assert.equal((await sessionsOf(owner)).length, 1)
  })

  it('can be ended by themselves like by a logout', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    assert.equal((await end(owner, await currentOf(owner))).status, 204)
    await expectOver(owner)
    assert.equal((await asOwner(other, 'GET', '/v1/account')).status, 200)
  })

  it('are answered the same 204 when they have ended, are unknown or another account’s, which continues', async () => {
    const [owner, stranger] = [await signUp(server), await signUp(server)]
    const other = await signIn(owner)
    const ended = await currentOf(other)
    for (const sessionId of [ended, ended, randomUUID(), await currentOf(stranger)])
      assert.equal((await end(owner, sessionId)).status, 204)
    assert.equal((await asOwner(stranger, 'GET', '/v1/account')).status, 200)
    expectAnswer(await end(owner, 'nonsense'), '400 request.malformed')
  })

  it('have the sealed names that their account gives them, which null removes', async () => {
    const [owner, stranger] = [await signUp(server), await signUp(server)]
    const other = await signIn(owner)
    const id = await currentOf(other)
    const name = (caller: Owner, sessionId: string, json: object) =>
      server.send({ method: 'PATCH', path: `/v1/auth/sessions/${sessionId}`, token: caller.token, json })
    const names = async () =>
      new Map((await sessionsOf(owner)).map(({ session_id, sealed_name }) => [session_id, sealed_name]))
    expectAnswer(await name(other, id, { sealed_name: base64(80) }), '204')
    const sealed_name = await expectNaming(
      (given) => name(owner, id, given),
      async () => (await names()).get(id),
    )
    assert.equal((await names()).get(await currentOf(owner)), undefined)
    expectAnswer(await name(stranger, id, { sealed_name: base64(80) }), '404 auth.session_not_found')
    expectAnswer(await name(owner, randomUUID(), { sealed_name }), '404 auth.session_not_found')
    assert.equal((await names()).get(id), sealed_name)
    await end(owner, id)
    expectAnswer(await name(owner, id, { sealed_name }), '404 auth.session_not_found')
  })
})

// Covers: Accounts and sessions
describe('changing the password', () => {
  it('sets key, salt and sealed key, ends the other sessions, and keeps the session of the caller', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    const [next, salt, sealed_account_key] = [newKey(), base64(16), base64(80)]
    assert.equal((await changeKey(owner, next, { kdf_version: 1, salt, sealed_account_key })).status, 204)
    await expectOver(other)
    const account = json<{ sealed_account_key: string }>(await asOwner(owner, 'GET', '/v1/account'))
    assert.equal(account.sealed_account_key, sealed_account_key)
    assert.equal(json<{ salt: string }>(await post('/v1/auth/kdf', { email: owner.email })).salt, salt)
    assert.equal((await post('/v1/auth/refresh', { refresh_token: owner.refreshToken })).status, 200)
    expectAnswer(await logIn(owner), '401 auth.invalid_credentials')
    assert.equal((await logIn({ ...owner, key: next })).status, 200)
  })

  it('answers a repeat with the same values and another proof of the former key with the same success', async () => {
    const owner = await signUp(server)
    const sealed = () => ({ salt: base64(16), sealed_account_key: base64(80) })
    const [next, values] = [newKey(), sealed()]
    for (let time = 0; time < 2; time += 1) assert.equal((await changeKey(owner, next, values)).status, 204)
    expectAnswer(await changeKey(owner, newKey(), sealed()), '401 auth.invalid_credentials')
  })

  it('counts a wrong repeat as an attempt, so that a session does not serve to guess the key', async () => {
    const owner = await signUp(server)
    const values = { salt: base64(16), sealed_account_key: base64(80) }
    const next = { ...owner, key: newKey() }
    assert.equal((await changeKey(owner, next.key, values)).status, 204)
    const guess = () => changeKey(withOther(owner), newKey(), values)
    expectAnswer(await guess(), '401 auth.invalid_credentials')
    const answers: string[] = []
    while (answers.length < MAX_WRONG_ATTEMPTS && !answers.includes('429 auth.rate_limited'))
      answers.push(...(await atOnce(AT_A_TIME, guess)).map(answerOf))
    expectAnswer(await changeKey(withOther(owner), next.key, values), '429 auth.rate_limited', 'also a right repeat')
    expectAnswer(await logIn(next), '429 auth.rate_limited')
  })

  it('does not change omitted salt and sealed key', async () => {
    const owner = await signUp(server)
    const [key, values] = [newKey(), { salt: base64(16), sealed_account_key: base64(80) }]
    assert.equal((await changeKey(owner, key, values)).status, 204)
    assert.equal((await changeKey({ ...owner, key }, newKey(), { salt: null })).status, 204)
    assert.equal(json<{ salt: string }>(await post('/v1/auth/kdf', { email: owner.email })).salt, values.salt)
    const account = json<{ sealed_account_key: string }>(await asOwner(owner, 'GET', '/v1/account'))
    assert.equal(account.sealed_account_key, values.sealed_account_key)
  })

  it('answers 401 to a wrong present key, and 429 after too many attempts with any operation', async () => {
    const owner = await signUp(server)
    const guesses = [
      () => changeKey(withOther(owner), newKey()),
      () => deleteAccount(withOther(owner)),
      () => logIn(withOther(owner)),
    ]
    for (const guess of guesses) expectAnswer(await guess(), '401 auth.invalid_credentials')
    const answers: string[] = []
    while (answers.length < MAX_WRONG_ATTEMPTS && !answers.includes('429 auth.rate_limited'))
      answers.push(
        ...(await atOnce(AT_A_TIME, (at) => guesses[at % guesses.length]?.() ?? assert.fail())).map(answerOf),
      )
    for (const guess of guesses) expectAnswer(await guess(), '429 auth.rate_limited')
    expectAnswer(await deleteAccount(owner), '429 auth.rate_limited', 'also to the right key')
  })

  it('answers 400 to values of a wrong form', async () => {
    const owner = await signUp(server)
    const faults = [
      { sign_in_key: base64(31) },
      { kdf_version: 2 },
      { salt: 'AAAA' },
      { sealed_account_key: '' },
      { x: 1 },
    ]
    for (const fault of faults)
      expectAnswer(await changeKey(owner, newKey(), fault), '400 request.malformed', JSON.stringify(fault))
    assert.equal((await logIn(owner)).status, 200)
  })
})
