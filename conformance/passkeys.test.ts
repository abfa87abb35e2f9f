import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addDevice } from './assetWorld.ts'
import { json } from './call.ts'
import { clientFrom } from './client.ts'
import { atOnce, expectAnswer, fingerprint, tally } from './expect.ts'
import { addPasskey, type Held, newPasskey, passkeysOf, sendPasskey, signInWith } from './passkeying.ts'
import { newKey } from './proving.ts'
import { finish, finishBody, newRecoverable } from './recovering.ts'
import { turnOn } from './secondFactor.ts'
import { connect, FEW_TRIES, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { asOwner, base64, changeKey, deleteAccount, type Owner, signUp, type Tokens } from './world.ts'

const MAX_WRONG_OF_SOURCE = Number(FEW_TRIES.LOGIN_TRIES_PER_WINDOW)

const server = await connect()

async function opened(owner: Owner, passkey: Held): Promise<Owner> {
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
  it('answers 201 with the passkey, lists the same without its key, and 200 to a repeat', async () => {
    const owner = await signUp(server)
    const { body } = newPasskey({ sealed_name: base64(80) })
    const reply = await sendPasskey(owner, body)
    expectAnswer(reply, '201')
    const { created_at, ...passkey } = json<Record<string, unknown>>(reply)
    const { passkey_key: _, ...expected } = body
    assert.deepEqual(passkey, expected)
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
    assert.deepEqual(await passkeysOf(owner), [json(reply)])
    const again = await sendPasskey(owner, body)
    expectAnswer(again, '200')
    assert.deepEqual(json(again), json(reply))
  })

  it('answers 401 without the present sign-in key, and adds nothing', async () => {
    const owner = await signUp(server)
    const { body } = newPasskey()
    expectAnswer(await sendPasskey({ ...owner, key: newKey() }, body), '401 auth.invalid_credentials')
    assert.deepEqual(await passkeysOf(owner), [])
  })

  it('answers 401 without a code where a second factor is on, and uses up the right one', async () => {
    const { owner, authenticator, backupCodes } = await turnOn(await signUp(server))
    expectAnswer(await sendPasskey(owner, newPasskey().body), '401 auth.totp_invalid_code')
    expectAnswer(await sendPasskey(owner, newPasskey({ code: '00000' }).body), '401 auth.totp_invalid_code')
    const code = authenticator.next()
    const passkey = newPasskey({ code })
    expectAnswer(await sendPasskey(owner, passkey.body), '201')
    expectAnswer(await sendPasskey(owner, passkey.body), '200', 'a repeat needs no other code')
    expectAnswer(await sendPasskey(owner, newPasskey({ code }).body), '401 auth.totp_invalid_code')
    expectAnswer(await sendPasskey(owner, newPasskey({ code: backupCodes[0] }).body), '201')
    expectAnswer(await signInWith(server, passkey), '200', 'without a challenge')
  })

  it('answers 400 to a taken id with other values, and to one of another account', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const passkey = await addPasskey(owner)
    const { body } = passkey
    const others = [
      { passkey_key: newKey().shown },
      { credential_id: base64(21) },
      { sealed_passkey_key: base64(1200) },
    ]
    for (const over of others)
      expectAnswer(await sendPasskey(owner, { ...body, ...over }), '400 passkey.invalid', Object.keys(over).join())
    expectAnswer(await sendPasskey(other, body), '400 passkey.invalid')
    assert.deepEqual(await passkeysOf(other), [])
    expectAnswer(await signInWith(server, passkey), '200')
  })

  it('answers 400 to values of another form, and 422 to missing ones', async () => {
    const owner = await signUp(server)
    const wrong = {
      passkey_id: 'not-a-uuid',
      passkey_key: base64(31),
      credential_id: base64(1024),
      sealed_passkey_key: base64(4097),
      sealed_name: '!',
      unknown: 1,
    }
    for (const [name, value] of Object.entries(wrong))
      expectAnswer(await sendPasskey(owner, newPasskey({ [name]: value }).body), '400 request.malformed', name)
    const { body } = newPasskey()
    for (const name of Object.keys(body))
      expectAnswer(await sendPasskey(owner, { ...body, [name]: undefined }), '422 request.unprocessable', name)
  })
})

// Covers: Accounts and sessions
describe('a sign-in with a passkey', () => {
  it('answers 200 with tokens of the account, and shows when it was', async () => {
    const owner = await signUp(server)
    const byPasskey = await opened(owner, await addPasskey(owner))
    const [listed] = await passkeysOf(byPasskey)
    assert.ok(Math.abs(Date.parse(String(listed?.last_used_at)) - Date.now()) < 60_000)
    assert.equal(await statusOf(byPasskey), 200)
  })

  it('answers the same 401 to a wrong key, an unknown passkey, a removed one and one of a deleted account', async () => {
    const [owner, leaving] = [await signUp(server), await signUp(server)]
    const [passkey, removed, orphan] = [await addPasskey(owner), await addPasskey(owner), await addPasskey(leaving)]
    await remove(owner, removed.body.passkey_id)
    expectAnswer(await deleteAccount(leaving), '204')
    const replies = []
    for (const each of [{ ...passkey, key: owner.key }, newPasskey(), removed, orphan])
      replies.push(await signInWith(server, each))
    for (const reply of replies) expectAnswer(reply, '401 auth.invalid_credentials')
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
  })

  it('ties the session to a device, and refuses a revoked one', async () => {
    const owner = await signUp(server)
    const { deviceId: device_id } = await addDevice(owner)
    const passkey = await addPasskey(owner)
    expectAnswer(await signInWith(server, passkey, { device_id }), '200')
    expectAnswer(await asOwner(owner, 'DELETE', `/v1/devices/${device_id}`), '204')
    expectAnswer(await signInWith(server, passkey, { device_id }), '403 device.not_authorized')
    const wrong = { ...passkey, key: newKey() }
    expectAnswer(await signInWith(server, wrong, { device_id }), '401 auth.invalid_credentials')
  })

  it('answers 400 to values of another form, and 422 to missing ones', async () => {
    for (const over of [{ passkey_id: 'x' }, { device_id: 'x' }, { email: 'ada@example.org' }])
      expectAnswer(await signInWith(server, newPasskey(), over), '400 request.malformed', Object.keys(over)[0])
    expectAnswer(await signInWith(server, newPasskey(), { passkey_id: undefined }), '422 request.unprocessable')
  })
})

// Covers: Accounts and sessions
describe('passkeys of an account', () => {
  it('are named and unnamed by their owner only', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const { passkey_id } = (await addPasskey(owner)).body
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
    expectAnswer(await remove(other, lost.body.passkey_id), '204')
    assert.equal((await passkeysOf(owner)).length, 2)
    for (let round = 0; round < 2; round += 1) expectAnswer(await remove(own, lost.body.passkey_id), '204')
    expectAnswer(await remove(own, randomUUID()), '204')
    assert.deepEqual(
      await Promise.all([own, thief, second, owner].map(statusOf)),
      [200, 401, 200, 200],
      'own, thief, second, owner',
    )
    assert.deepEqual(
      (await passkeysOf(owner)).map(({ passkey_id }) => passkey_id),
      [kept.body.passkey_id],
    )
  })

  it('stay with a password change, and are removed by a recovery', async () => {
    const { owner, words } = await newRecoverable(server)
    const passkey = await addPasskey(owner)
    expectAnswer(await changeKey(owner, newKey()), '204')
    expectAnswer(await signInWith(server, passkey), '200')
    expectAnswer(await finish(server, finishBody(owner.email), words), '200')
    expectAnswer(await signInWith(server, passkey), '401 auth.invalid_credentials')
  })
})

// Covers: Accounts and sessions
describe('passkeys through a proxy', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const client = await ownServer(FEW_TRIES)
  const from = (address: string) => clientFrom(client, address)
  const expected = { '401 auth.invalid_credentials': MAX_WRONG_OF_SOURCE, '429 auth.rate_limited': 4 }

  it('answer 429 after too many wrong keys, known or not, and still accept another source', async () => {
    const [guesser, elsewhere] = [from('203.0.113.11'), from('203.0.113.12')]
    const passkey = await addPasskey(await signUp(guesser))
    for (const { body } of [passkey, newPasskey()])
      assert.deepEqual(
        tally(await atOnce(MAX_WRONG_OF_SOURCE + 4, () => signInWith(guesser, { body, key: newKey() }))),
        expected,
      )
    expectAnswer(await signInWith(guesser, passkey), '429 auth.rate_limited', 'also to the right key')
    expectAnswer(await signInWith(elsewhere, passkey), '200', 'not to another source')
  })

  it('answer 429 to an owner who adds one after too many wrong keys', async () => {
    const owner = await signUp(from('203.0.113.3'))
    const wrong = () => sendPasskey({ ...owner, key: newKey() }, newPasskey().body)
    assert.deepEqual(tally(await atOnce(MAX_WRONG_OF_SOURCE + 4, wrong)), expected)
    expectAnswer(await sendPasskey(owner, newPasskey().body), '429 auth.rate_limited', 'also with the right key')
  })
})
