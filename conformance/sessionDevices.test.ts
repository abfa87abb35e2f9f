/** Sessions tied to a device, and what revocation ends: sessions, waiting sign-ins, begun uploads. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  addDevice,
  adoptBody,
  authorFrom,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  sendAdoption,
  sendJson,
  sendUpload,
  successorOf,
  uploadBody,
} from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectRefusedValues, MISTYPED } from './creations.ts'
import { listen } from './eventReader.ts'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import { newKey } from './proving.ts'
import { answer, type Challenge, challengeOf, turnOn } from './secondFactor.ts'
import { connect } from './server.ts'
import {
  append,
  asOwner,
  land,
  logIn,
  newLink,
  type Owner,
  onlyDrop,
  quotaOf,
  signIn,
  signUp,
  type Tokens,
} from './world.ts'

const ROUNDS = 4

const server = await connect()
const tie = (owner: Owner, device_id: unknown) => sendJson(owner, '/v1/auth/sessions/current/device', { device_id })
const revoke = async (owner: Owner, deviceId: string) =>
  expectAnswer(await asOwner(owner, 'DELETE', `/v1/devices/${deviceId}`), '204')
const deviceOf = async (owner: Owner) =>
  json<{ sessions: { device_id?: string; current: boolean }[] }>(
    await asOwner(owner, 'GET', '/v1/auth/sessions'),
  ).sessions.find(({ current }) => current)?.device_id
const refresh = ({ client, refreshToken }: Owner) =>
  client.send({ method: 'POST', path: '/v1/auth/refresh', json: { refresh_token: refreshToken } })

async function expectOver(owner: Owner): Promise<void> {
  expectAnswer(await asOwner(owner, 'GET', '/v1/account'), '401 auth.session_expired')
  expectAnswer(await asOwner(owner, 'GET', '/v1/drops'), '401 auth.session_expired')
  expectAnswer(await refresh(owner), '401 auth.session_expired')
}

async function sessionsNaming(owner: Owner, deviceId: string): Promise<number> {
  const reply = await asOwner(owner, 'GET', '/v1/auth/sessions')
  return json<{ sessions: { device_id?: string }[] }>(reply).sessions.filter((each) => each.device_id === deviceId)
    .length
}

// Covers: Accounts and sessions
describe('tying a session to a device', () => {
  it('answers 204 each time, and the session is listed with the device, also after a refresh', async () => {
    const owner = await signUp(server)
    const { deviceId } = await addDevice(owner)
    for (let round = 0; round < 3; round += 1) expectAnswer(await tie(owner, deviceId), '204')
    assert.equal(await deviceOf(owner), deviceId)
    const { access_token: token } = json<Tokens>(await refresh(owner))
    assert.equal(await deviceOf({ ...owner, token }), deviceId)
  })

  it('answers 204 to the device that the session named at login, and 409 to another one', async () => {
    const owner = await signUp(server)
    const [first, second] = [(await addDevice(owner)).deviceId, (await addDevice(owner)).deviceId]
    const { access_token: token } = json<Tokens>(await logIn(owner, { device_id: first }))
    const named = { ...owner, token }
    expectAnswer(await tie(named, first), '204')
    expectAnswer(await tie(named, second), '409 auth.session_bound')
    assert.equal(await deviceOf(named), first)
    expectAnswer(await tie(owner, second), '204')
    expectAnswer(await tie(owner, first), '409 auth.session_bound')
    assert.equal(await deviceOf(owner), second)
  })

  it('answers the same 404 to an unknown device and another account’s, and 403 to a revoked one', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const { deviceId } = await addDevice(owner)
    await revoke(owner, deviceId)
    const replies: Reply[] = []
    for (const id of [randomUUID(), (await addDevice(other)).deviceId]) replies.push(await tie(owner, id))
    assert.deepEqual(replies.map(answerOf), Array(2).fill('404 device.not_found'))
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    expectAnswer(await tie(owner, deviceId), '403 device.not_authorized')
    assert.equal(await deviceOf(owner), undefined)
  })

  it('answers 400 or 422 to a body of a wrong form', async () => {
    const owner = await signUp(server)
    const send = (over: object) => sendJson(owner, '/v1/auth/sessions/current/device', over)
    const id = randomUUID()
    await expectRefusedValues(send, { device_id: ['', 'x', id.toUpperCase()] }, '400 request.malformed')
    await expectRefusedValues(send, { device_id: MISTYPED }, '422 request.unprocessable')
    expectAnswer(await send({ device_id: id, name: 'x' }), '400 request.malformed')
  })
})

// Covers: Devices, albums and capabilities
describe('revoking a device ends', () => {
  it('the sessions that are tied to it, with their tokens and event streams, and no others', async () => {
    const owner = await signUp(server)
    const { deviceId } = await addDevice(owner)
    const [tied, untied] = [await signIn(owner), await signIn(owner)]
    expectAnswer(await tie(tied, deviceId), '204')
    const { access_token, refresh_token } = json<Tokens>(await logIn(owner, { device_id: deviceId }))
    const named = { ...owner, token: access_token, refreshToken: refresh_token }
    const streams = [await listen(tied), await listen(named)]
    await revoke(owner, deviceId)
    for (const ended of [tied, named]) await expectOver(ended)
    for (const stream of streams) assert.equal(await stream.next(), undefined, 'the stream ends')
    for (const other of [owner, untied]) expectAnswer(await asOwner(other, 'GET', '/v1/drops'), '200')
    assert.equal(await sessionsNaming(owner, deviceId), 0)
  })

  it('the session that revokes it, when that one is tied to it', async () => {
    const owner = await signUp(server)
    const { deviceId } = await addDevice(owner)
    expectAnswer(await tie(owner, deviceId), '204')
    await revoke(owner, deviceId)
    await expectOver(owner)
  })

  it('sign-ins that name it: 403 with the right key alone, also when the code is still to come', async () => {
    const owner = await signUp(server)
    const { deviceId } = await addDevice(owner)
    const guarded = await turnOn(owner)
    const waiting = json<Challenge>(await logIn(owner, { device_id: deviceId }))
    await revoke(owner, deviceId)
    const [code] = guarded.backupCodes
    expectAnswer(await answer(server, waiting, String(code)), '401 auth.totp_challenge_invalid')
    expectAnswer(await logIn(owner, { device_id: deviceId }), '403 device.not_authorized')
    expectAnswer(await logIn({ ...owner, key: newKey() }, { device_id: deviceId }), '401 auth.invalid_credentials')
    assert.equal(await sessionsNaming(owner, deviceId), 0)
    expectAnswer(await answer(server, await challengeOf(owner), String(code)), '200', 'the code is unused')
  })
})

// Covers: Uploads; Provenance; Devices, albums and capabilities
describe('an upload of a device that is revoked meanwhile', () => {
  it('answers 409 to its last chunk, and lands in no role; another device may send the blob', async () => {
    const author = await newAuthor(server)
    const other = { ...author, ...(await addDevice(author.owner)) }
    const bundle = newBundle(author)
    const { assetId, original } = bundle
    const sessions = [await openUpload(bundle)]
    for (const role of ['metadata', 'derivative'] as const) sessions.push(await openUpload(bundle, role))
    const usedBefore = (await quotaOf(author.owner)).used
    assert.ok(usedBefore > 0)
    await revoke(author.owner, author.deviceId)
    for (const session of sessions) expectAnswer(await append(session), '409 manifest.mismatch')
    assert.equal((await quotaOf(author.owner)).used, 0)
    expectAnswer(await asOwner(author.owner, 'GET', `/v1/assets/${assetId}`), '404 asset.not_found')
    expectAnswer(await sendUpload(author, uploadBody(bundle)), '403 device.not_authorized')
    await landBlob(newBundle(other, { assetId, original }))
  })

  it('replaces nothing', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle({ ...author, ...(await addDevice(author.owner)) })
    await landBlob(bundle)
    const session = await openUpload(successorOf({ ...bundle, author }, undefined))
    await revoke(author.owner, author.deviceId)
    expectAnswer(await append(session), '409 manifest.mismatch')
    const asset = json<{ blobs: { hash: string }[] }>(
      await asOwner(author.owner, 'GET', `/v1/assets/${bundle.assetId}`),
    )
    assert.equal(asset.blobs[0]?.hash, bundle.manifest.ciphertext_hash)
  })
})

// Covers: Adopt, 403; ManifestEnvelope, created_by_device
describe('an adoption beside the revocation of its device', () => {
  it('comes first or is refused with 403, and leaves the drop pending then', async () => {
    const link = await newLink(server)
    const author = await authorFrom(link.owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      const own = { ...author, ...(await addDevice(author.owner)) }
      const original = Buffer.from(randomUUID())
      await land(link, original)
      const { drop_id: dropId } = await onlyDrop(link.owner)
      const body = adoptBody(newBundle(own, { original }))
      const [reply] = await Promise.all([sendAdoption(link.owner, dropId, body), revoke(author.owner, own.deviceId)])
      assert.match(answerOf(reply), /^(?:200|403 device\.not_authorized)$/)
      const pending = json<{ drops: unknown[] }>(await asOwner(link.owner, 'GET', '/v1/drops')).drops.length
      assert.equal(pending, reply.status === 200 ? 0 : 1)
      if (pending === 1) await asOwner(link.owner, 'DELETE', `/v1/drops/${dropId}`)
    }
  })
})
