import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addDevice } from './assetWorld.ts'
import { json } from './call.ts'
import { clientFrom } from './client.ts'
import { atOnce, expectAnswer, fingerprint, tally } from './expect.ts'
import { addPasskey, passkeyBody, passkeysOf, sendPasskey, signInWith } from './passkeying.ts'
import { finish, finishBody, newRecoverable } from './recovering.ts'
import { turnOn } from './secondFactor.ts'
import { connect, NEEDS_OWN_SERVER, operatedServer } from './server.ts'
import { asOwner, base64, newPassword, type Owner, signUp, type Tokens } from './world.ts'

const MAX_WRONG_OF_SOURCE = 3

const server = await connect()

async function opened(owner: Owner, passkey: Parameters<typeof signInWith>[1]): Promise<Owner> {
  const reply = await signInWith(server, passkey)
  expectAnswer(reply, '200')
  const { access_token: token, refresh_token: refreshToken, account_id } = json<Tokens>(reply)
  assert.equal(account_id, owner.accountId)
  return { ...owner, token, refreshToken }
}

const remove = (owner: Owner, passkeyId: string) => asOwner(owner, 'DELETE', `/v1/passkeys/${passkeyId}`)
const statusOf = async (owner: Owner) => (await asOwner(owner, 'GET', '/v1/quota')).status

// Covers: Accounts and sessions
describe('add a passkey', () => {
  it('answers 201 with the passkey, lists the same without its proof, and 200 to a repeat', async () => {
    const owner = await signUp(server)
    const body = passkeyBody({ sealed_name: base64(80) })
    const reply = await sendPasskey(owner, body)
    expectAnswer(reply, '201')
    const { created_at, ...passkey } = json<Record<string, unknown>>(reply)
    const { proof: _, ...expected } = body
    assert.deepEqual(passkey, expected)
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
    assert.deepEqual(await passkeysOf(owner), [json(reply)])
    const again = await sendPasskey(owner, body)
    expectAnswer(again, '200')
    assert.deepEqual(json(again), json(reply))
  })

  it('answers 401 without the present password, and adds nothing', async () => {
    const owner = await signUp(server)
    expectAnswer(
      await sendPasskey(owner, passkeyBody({ current_password: newPassword() })),
      '401 auth.invalid_credentials',
    )
    assert.deepEqual(await passkeysOf(owner), [])
  })

  it('answers 401 without a code where a second factor is on, and uses up the right one', async () => {
    const { owner, authenticator, backupCodes } = await turnOn(await signUp(server))
    expectAnswer(await sendPasskey(owner, passkeyBody()), '401 auth.totp_invalid_code')
    expectAnswer(await sendPasskey(owner, passkeyBody({ code: '00000' })), '401 auth.totp_invalid_code')
    const code = authenticator.next()
    const body = passkeyBody({ code })
    expectAnswer(await sendPasskey(owner, body), '201')
    expectAnswer(await sendPasskey(owner, body), '200', 'a repeat needs no other code')
    expectAnswer(await sendPasskey(owner, passkeyBody({ code })), '401 auth.totp_invalid_code')
    expectAnswer(await sendPasskey(owner, passkeyBody({ code: backupCodes[0] })), '201')
    expectAnswer(await signInWith(server, body), '200', 'without a challenge')
  })

  it('answers 400 to a taken id with other values, and to one of another account', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = await addPasskey(owner)
    for (const over of [{ proof: base64(32) }, { credential_id: base64(21) }, { sealed_passkey_key: base64(1200) }])
      expectAnswer(await sendPasskey(owner, { ...body, ...over }), '400 passkey.invalid', Object.keys(over).join())
    expectAnswer(await sendPasskey(other, body), '400 passkey.invalid')
    assert.deepEqual(await passkeysOf(other), [])
    expectAnswer(await signInWith(server, body), '200')
  })

  it('answers 400 to values of another form, and 422 to missing ones', async () => {
    const owner = await signUp(server)
    const wrong = {
      passkey_id: 'not-a-uuid',
      proof: base64(31),
      credential_id: base64(1024),
      sealed_passkey_key: base64(4097),
      sealed_name: '!',
      unknown: 1,
    }
    for (const [name, value] of Object.entries(wrong))
      expectAnswer(await sendPasskey(owner, passkeyBody({ [name]: value })), '400 request.malformed', name)
    for (const name of ['current_password', ...Object.keys(passkeyBody())])
      expectAnswer(await sendPasskey(owner, { ...passkeyBody(), [name]: undefined }), '422 request.unprocessable', name)
  })
})

// Covers: Accounts and sessions
describe('a sign-in with a passkey', () => {
  it('answers 200 with tokens of the account, and shows when it was', async () => {
    const owner = await signUp(server)
    const body = await addPasskey(owner)
    const byPasskey = await opened(owner, body)
    const [listed] = await passkeysOf(byPasskey)
    assert.ok(Math.abs(Date.parse(String(listed?.last_used_at)) - Date.now()) < 60_000)
    assert.equal(await statusOf(byPasskey), 200)
  })

  it('answers the same 401 to a wrong proof, an unknown passkey, a removed one and one of a deleted account', async () => {
    const [owner, leaving] = [await signUp(server), await signUp(server)]
    const [body, removed, orphan] = [await addPasskey(owner), await addPasskey(owner), await addPasskey(leaving)]
    await remove(owner, removed.passkey_id)
    expectAnswer(
      await leaving.client.send({
        ...{ method: 'DELETE', path: '/v1/account', token: leaving.token },
        json: { current_password: leaving.password },
      }),
      '204',
    )
    const replies = []
    for (const passkey of [{ ...body, proof: base64(32) }, passkeyBody(), removed, orphan])
      replies.push(await signInWith(server, passkey))
    for (const reply of replies) expectAnswer(reply, '401 auth.invalid_credentials')
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
  })

  it('ties the session to a device, and refuses a revoked one', async () => {
    const owner = await signUp(server)
    const { deviceId: device_id } = await addDevice(owner)
    const body = await addPasskey(owner)
    expectAnswer(await signInWith(server, body, { device_id }), '200')
    expectAnswer(await asOwner(owner, 'DELETE', `/v1/devices/${device_id}`), '204')
    expectAnswer(await signInWith(server, body, { device_id }), '403 device.not_authorized')
    expectAnswer(
      await signInWith(server, { ...body, proof: base64(32) }, { device_id }),
      '401 auth.invalid_credentials',
    )
  })

  it('answers 400 to values of another form, and 422 to missing ones', async () => {
    const { passkey_id, proof } = passkeyBody()
    for (const over of [{ passkey_id: 'x' }, { proof: base64(33) }, { email: 'ada@example.org' }])
      expectAnswer(await signInWith(server, { passkey_id, proof }, over), '400 request.malformed', Object.keys(over)[0])
    for (const over of [{ passkey_id: undefined }, { proof: undefined }])
      expectAnswer(await signInWith(server, { passkey_id, proof }, over), '422 request.unprocessable')
  })
})

// Covers: Accounts and sessions
describe('passkeys of an account', () => {
  it('are named and unnamed by their owner only', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const { passkey_id } = await addPasskey(owner)
    const name = (by: Owner, body: object, id = passkey_id) =>
      server.send({ method: 'PATCH', path: `/v1/passkeys/${id}`, token: by.token, json: body })
    const nameOf = async () => (await passkeysOf(owner))[0]?.sealed_name
    const sealed_name = base64(90)
    expectAnswer(await name(owner, { sealed_name }), '204')
    expectAnswer(await name(owner, {}), '204')
    expectAnswer(await name(other, { sealed_name: null }), '404 passkey.not_found')
    expectAnswer(await name(owner, { sealed_name }, randomUUID()), '404 passkey.not_found')
    assert.equal(await nameOf(), sealed_name)
    expectAnswer(await name(owner, { sealed_name: null }), '204')
    assert.equal(await nameOf(), undefined)
  })

  it('are removed with the sessions that they opened, except the caller’s; another account’s stay', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const [lost, kept] = [await addPasskey(owner), await addPasskey(owner)]
    const [own, thief, second] = [await opened(owner, lost), await opened(owner, lost), await opened(owner, kept)]
    expectAnswer(await remove(other, lost.passkey_id), '204')
    assert.equal((await passkeysOf(owner)).length, 2)
    for (let round = 0; round < 2; round += 1) expectAnswer(await remove(own, lost.passkey_id), '204')
    expectAnswer(await remove(own, randomUUID()), '204')
    assert.deepEqual(
      await Promise.all([own, thief, second, owner].map(statusOf)),
      [200, 401, 200, 200],
      'own, thief, second, owner',
    )
    assert.deepEqual(
      (await passkeysOf(owner)).map(({ passkey_id }) => passkey_id),
      [kept.passkey_id],
    )
  })

  it('stay with a password change, and are removed by a recovery', async () => {
    const { owner, proof } = await newRecoverable(server)
    const body = await addPasskey(owner)
    const change = { current_password: owner.password, password: newPassword() }
    expectAnswer(
      await server.send({ method: 'POST', path: '/v1/auth/password', token: owner.token, json: change }),
      '204',
    )
    expectAnswer(await signInWith(server, body), '200')
    expectAnswer(await finish(server, finishBody(owner.email, { recovery_proof: proof })), '200')
    expectAnswer(await signInWith(server, body), '401 auth.invalid_credentials')
  })
})

// Covers: Accounts and sessions
describe('passkeys through a proxy', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const { client } = await operatedServer({
    TRUST_PROXY: '127.0.0.1',
    REGISTRATION: 'open',
    LOGIN_TRIES_PER_WINDOW: String(MAX_WRONG_OF_SOURCE),
  })
  const from = (address: string) => clientFrom(client, address)
  const expected = { '401 auth.invalid_credentials': MAX_WRONG_OF_SOURCE, '429 auth.rate_limited': 4 }

  it('answer 429 after too many wrong proofs, known or not, and still accept another source', async () => {
    const [guesser, elsewhere] = [from('203.0.113.1'), from('203.0.113.2')]
    const body = await addPasskey(await signUp(guesser))
    for (const passkey of [body, passkeyBody()])
      assert.deepEqual(
        tally(await atOnce(MAX_WRONG_OF_SOURCE + 4, () => signInWith(guesser, { ...passkey, proof: base64(32) }))),
        expected,
      )
    expectAnswer(await signInWith(guesser, body), '429 auth.rate_limited', 'also to the right proof')
    expectAnswer(await signInWith(elsewhere, body), '200', 'not to another source')
  })

  it('answer 429 to an owner who adds one after too many wrong passwords', async () => {
    const owner = await signUp(from('203.0.113.3'))
    const wrong = () => sendPasskey(owner, passkeyBody({ current_password: newPassword() }))
    assert.deepEqual(tally(await atOnce(MAX_WRONG_OF_SOURCE + 4, wrong)), expected)
    expectAnswer(await sendPasskey(owner, passkeyBody()), '429 auth.rate_limited', 'also with the right password')
  })
})
