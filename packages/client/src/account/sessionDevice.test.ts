/** Sessions tied to a device, at a real server: revoking it signs it out; the owner finds untied sessions. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, quickEnvironment as environment, newOwner } from '../../../../testing/people.ts'
import { logIn, registerOwner } from '../account.ts'
import { NetworkError } from '../errors.ts'
import type { Owner } from '../owner.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { newDevice } from './device.ts'

const { proxy } = await sharedServer()
const isOver = hasCode('error.auth.session_expired')
const isTie = isRequest('POST', /^\/v1\/auth\/sessions\/current\/device$/)

const person = (name: string) => ({
  baseUrl: proxy.url,
  email: `${name}@example.org`,
  password: `a long sentence that only ${name} knows`,
  environment,
})

async function signedIn(signIn: Parameters<typeof logIn>[0]): Promise<Owner> {
  const { owner } = await logIn(signIn)
  assert.ok(owner)
  return owner
}

const deviceOf = async (owner: Owner) => (await owner.sessions()).find(({ isCurrent }) => isCurrent)?.deviceId

describe('a client that signed in without a device', () => {
  it('is signed out when the device that it adds afterwards is revoked, also after it was resumed', async () => {
    const uma = person('uma')
    const [owner, lost] = [await registerOwner(uma), await signedIn(uma)]
    const { deviceId } = await lost.addDevice()
    assert.equal(await deviceOf(lost), deviceId)
    const resumed = anotherClient(proxy.url, lost)
    await owner.revokeDevice(deviceId)
    for (const client of [lost, resumed]) await assert.rejects(client.inbox(), isOver)
    await owner.inbox()
  })

  it('stays tied to its first device, and may add others', async () => {
    const owner = await newOwner(proxy.url)
    const first = await owner.addDevice()
    const second = await owner.addDevice()
    assert.equal(await deviceOf(owner), first.deviceId)
    await assert.rejects(owner.tieSession(second.deviceId), hasCode('error.auth.session_bound'))
    await owner.revokeDevice(second.deviceId)
    await owner.inbox()
  })

  it('is not tied by a device that it adds for another client', async () => {
    const owner = await newOwner(proxy.url)
    const { deviceId } = await owner.addDevice(undefined, { tie: false })
    assert.equal(await deviceOf(owner), undefined)
    await owner.tieSession(deviceId)
    assert.equal(await deviceOf(owner), deviceId)
  })

  it('sends the tie again when its answer is lost, and does not report success when it stays lost', async () => {
    const owner = await newOwner(proxy.url)
    const device = newDevice()
    proxy.tamper({ matches: isTie, lose: 'request' })
    await assert.rejects(owner.addDevice(device), NetworkError)
    assert.equal(await deviceOf(owner), undefined)
    proxy.tamper({ matches: isTie, instead: 503 })
    await assert.rejects(owner.addDevice(device))
    proxy.tamper({ matches: isTie, lose: 'answer', times: 1 })
    await owner.addDevice(device)
    assert.equal(await deviceOf(owner), device.deviceId)
    assert.equal((await owner.devices()).length, 1)
  })

  it('cannot sign in with a revoked device', async () => {
    const tom = person('tom')
    const owner = await registerOwner(tom)
    const { deviceId } = await owner.addDevice(undefined, { tie: false })
    await owner.revokeDevice(deviceId)
    const isRefused = hasCode('error.device.not_authorized')
    await assert.rejects(logIn({ ...tom, deviceId }), isRefused)
    await assert.rejects(owner.tieSession(deviceId), isRefused)
  })
})

describe('the untied sessions of an account', () => {
  it('are those that no revocation ends: without a device, or with one that is not a live device, but not this one', async () => {
    const sue = person('sue')
    const owner = await registerOwner(sue)
    const [tied, bare, unknown] = [
      await signedIn(sue),
      await signedIn(sue),
      await signedIn({ ...sue, deviceId: newDevice().deviceId }),
    ]
    await tied.addDevice()
    const untied = await owner.untiedSessions()
    const ids = async (clients: readonly Owner[]) =>
      Promise.all(
        clients.map(async (client) => (await client.sessions()).find(({ isCurrent }) => isCurrent)?.sessionId),
      )
    assert.deepEqual(
      untied.map(({ sessionId }) => sessionId),
      await ids([bare, unknown]),
    )
    for (const { sessionId } of untied) await owner.endSession(sessionId)
    for (const client of [bare, unknown]) await assert.rejects(client.inbox(), isOver)
    for (const client of [owner, tied]) await client.inbox()
    assert.deepEqual(await owner.untiedSessions(), [])
  })
})
