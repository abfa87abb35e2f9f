/** Names of sessions and devices, at a real server. For a malicious one: `wildAttacks.maliciousServer.test.ts`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSessionId } from '@blindkeep/protocol/ids'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, newOwner } from '../../../../testing/people.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import type { Owner } from '../owner.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()

async function namesOf(owner: Owner): Promise<readonly (string | undefined)[]> {
  const [session, device] = [(await owner.sessions())[0], (await owner.devices())[0]]
  assert.deepEqual([session?.nameFault, device?.nameFault], [undefined, undefined])
  return [session?.name, device?.name]
}

describe('a client', () => {
  it('names its session and its device once, and the owner chooses other names', async () => {
    const owner = await newOwner(proxy.url)
    const { deviceId } = await owner.addDevice()
    assert.deepEqual(await namesOf(owner), [undefined, undefined])
    await owner.nameThisClient('Firefox on Linux', { deviceId })
    assert.deepEqual(await namesOf(anotherClient(proxy.url, owner)), ['Firefox on Linux', 'Firefox on Linux'])
    await owner.nameThisClient('Another on Linux', { deviceId })
    assert.deepEqual(await namesOf(owner), ['Firefox on Linux', 'Firefox on Linux'])
    await owner.nameThisClient('Kitchen', { deviceId, isChosen: true })
    assert.deepEqual(await namesOf(owner), ['Kitchen', 'Kitchen'])
    await owner.nameDevice(deviceId, ' My\nlaptop ')
    const [session] = await owner.sessions()
    assert.ok(session)
    await owner.nameSession(session.sessionId, ' ')
    assert.deepEqual(await namesOf(owner), [undefined, 'My laptop'])
    await owner.nameThisClient('Firefox on Linux', { deviceId })
    assert.deepEqual(await namesOf(owner), ['My laptop', 'My laptop'], 'a new session has the name of its device')
  })

  it('without a device names its session', async () => {
    const owner = await newOwner(proxy.url)
    await owner.nameThisClient('Firefox on Linux')
    assert.equal((await owner.sessions())[0]?.name, 'Firefox on Linux')
  })

  it('sends no name in the clear, and none that is too long', async () => {
    const owner = await newOwner(proxy.url)
    const sent: string[] = []
    const note = (message: Message): Message => {
      sent.push(message.body.toString('latin1'))
      return message
    }
    proxy.tamper({ matches: isRequest('PATCH', /^\/v1\//), request: note })
    const { deviceId } = await owner.addDevice()
    await owner.nameThisClient('Kitchen', { deviceId })
    proxy.tamper()
    assert.equal(sent.length, 2)
    for (const body of sent) assert.ok(body.includes('sealed_name') && !/Kitchen|S2l0Y2hlb/.test(body))
    await assert.rejects(owner.nameDevice(deviceId, 'x'.repeat(601)), RangeError)
  })

  it('cannot name a session that has ended, nor one of another account', async () => {
    const [owner, other] = [await newOwner(proxy.url), await newOwner(proxy.url)]
    const [session] = await other.sessions()
    assert.ok(session)
    const isGone = hasCode('error.auth.session_not_found')
    await assert.rejects(owner.nameSession(session.sessionId, 'mine'), isGone)
    const unknown = parseSessionId(crypto.randomUUID())
    assert.ok(unknown)
    await assert.rejects(owner.nameSession(unknown, 'mine'), isGone)
  })
})
