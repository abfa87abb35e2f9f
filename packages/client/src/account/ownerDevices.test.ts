/** Devices and albums of a real server, and of a malicious one that invents some. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { addSeconds, type DeviceId } from '@blindkeep/protocol/ids'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, newOwner } from '../../../../testing/people.ts'
import { systemEnvironment } from '../ground/environment.ts'
import type { Owner, Revocations } from '../owner.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { newDevice } from './device.ts'

const { proxy } = await sharedServer()
let owner: Owner

describe('the devices of an account', () => {
  before(async () => {
    owner = await newOwner(proxy.url)
  })

  it('are listed as own devices at every client, oldest first', async () => {
    const [first, second] = [await owner.addDevice(), await owner.addDevice(newDevice())]
    await owner.addDevice(first)
    const listed = await anotherClient(proxy.url, owner).devices()
    assert.deepEqual(
      listed.map(({ deviceId, publicKey, isOwn, revokedAt }) => ({ deviceId, publicKey, isOwn, revokedAt })),
      [first, second].map(({ deviceId, publicKey }) => ({ deviceId, publicKey, isOwn: true, revokedAt: undefined })),
    )
  })

  it('stay listed after they are revoked, and cannot be added again', async () => {
    const device = await owner.addDevice(undefined, { tie: false })
    await owner.revokeDevice(device.deviceId)
    const listed = (await owner.devices()).find(({ deviceId }) => deviceId === device.deviceId)
    assert.ok(listed?.isOwn)
    assert.ok(Date.parse(listed.revokedAt ?? '') > 0)
    await assert.rejects(owner.addDevice(device), hasCode('error.device.invalid'))
  })

  const inventions: readonly (readonly [string, (device: Record<string, unknown>) => void])[] = [
    ['without a MAC', (device) => delete device.mac],
    ['with a MAC of its own', (device) => Object.assign(device, { mac: toBase64(new Uint8Array(32)) })],
    [
      'with the MAC of another key',
      (device) => Object.assign(device, { public_key: flipInBase64(device.public_key, 40) }),
    ],
    ['with the MAC of another id', (device) => Object.assign(device, { device_id: newDevice().deviceId })],
  ]
  for (const [how, invent] of inventions)
    it(`detects a device that a malicious server invented, ${how}`, async () => {
      const other = await newOwner(proxy.url)
      for (const tie of [true, false]) await other.addDevice(undefined, { tie })
      proxy.tamper({
        matches: isRequest('GET', /^\/v1\/devices(\?|$)/),
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.devices))
          invent(body.devices[1])
        }),
      })
      assert.deepEqual(
        (await other.devices()).map(({ isOwn }) => isOwn),
        [true, false],
      )
    })
})

describe('a revocation that this client has seen', () => {
  const listsAsLive = (deviceId: string) => ({
    matches: isRequest('GET', /^\/v1\/devices(\?|$)/),
    answer: changeBody((body) => {
      assert.ok(Array.isArray(body.devices))
      for (const device of body.devices) if (device.device_id === deviceId) delete device.revoked_at
    }),
  })
  const stateOf = async (of: Owner, deviceId: string) => {
    const found = (await of.devices()).find((device) => device.deviceId === deviceId)
    assert.ok(found)
    return found
  }

  it('stays, with its time, when a malicious server lists the device as live again', async () => {
    const other = await newOwner(proxy.url)
    const { deviceId } = await other.addDevice(undefined, { tie: false })
    await anotherClient(proxy.url, other).revokeDevice(deviceId)
    const seen = await stateOf(other, deviceId)
    assert.deepEqual([typeof seen.revokedAt, seen.isRevocationDenied], ['string', false])
    proxy.tamper(listsAsLive(deviceId))
    assert.deepEqual(await stateOf(other, deviceId), { ...seen, isRevocationDenied: true })
    proxy.tamper()
    assert.deepEqual(await stateOf(other, deviceId), seen)
  })

  it('counts from the moment at which this client has revoked the device, whatever the clock here says', async () => {
    for (const days of [0, 365, -365]) {
      const now = () => addSeconds(systemEnvironment.now(), days * 86_400)
      const other = await newOwner(proxy.url, { ...systemEnvironment, now })
      const { deviceId } = await other.addDevice(undefined, { tie: false })
      proxy.tamper(listsAsLive(deviceId))
      assert.equal((await stateOf(other, deviceId)).revokedAt, undefined)
      const before = Date.now()
      await other.revokeDevice(deviceId)
      const { revokedAt = '', isRevocationDenied } = await stateOf(other, deviceId)
      const sinceMs = Date.parse(revokedAt) - before
      // The server states its time in whole seconds.
      assert.ok(sinceMs > -1000 && sinceMs < 60_000 && isRevocationDenied, revokedAt)
    }
  })

  it('is known to the next client that has the store, and only the first time counts', async () => {
    const other = await newOwner(proxy.url)
    const kept = new Map<DeviceId, string>()
    const store = {
      load: async () => new Map(kept),
      save: async (revocations: Revocations) => {
        for (const [id, at] of revocations) kept.set(id, at)
      },
    }
    const { deviceId } = await other.addDevice(undefined, { tie: false })
    other.keepRevocations(store)
    await other.revokeDevice(deviceId)
    const at = kept.get(deviceId)
    proxy.tamper(listsAsLive(deviceId))
    const next = anotherClient(proxy.url, other)
    next.keepRevocations(store)
    const { revokedAt, isRevocationDenied } = await stateOf(next, deviceId)
    assert.deepEqual([revokedAt, isRevocationDenied, kept.size], [at, true, 1])
  })

  it('is stored by the next look after the store failed, to load or to save', async () => {
    const other = await newOwner(proxy.url)
    const kept = new Map<DeviceId, string>()
    let isFull = true
    const failing = async <Value>(value: Value): Promise<Value> => {
      if (isFull) throw new Error('the disk is full')
      return value
    }
    const { deviceId } = await other.addDevice(undefined, { tie: false })
    other.keepRevocations({ load: () => failing(kept), save: async () => undefined })
    await assert.rejects(other.devices(), /disk is full/)
    isFull = false
    assert.equal((await stateOf(other, deviceId)).revokedAt, undefined)
    isFull = true
    other.keepRevocations({
      load: async () => kept,
      save: async (revocations) => {
        for (const [id, at] of await failing(revocations)) kept.set(id, at)
      },
    })
    await assert.rejects(other.revokeDevice(deviceId), /disk is full/)
    isFull = false
    await other.devices()
    assert.deepEqual([...kept.keys()], [deviceId])
  })

  it('is not called denied by a list that was read before it', async () => {
    const other = await newOwner(proxy.url)
    const { deviceId } = await other.addDevice(undefined, { tie: false })
    const listed = Promise.withResolvers<void>()
    const revoked = Promise.withResolvers<void>()
    const slow: typeof fetch = async (input, init) => {
      const answer = await systemEnvironment.fetch(input, init)
      if (!new URL(String(input)).pathname.endsWith('/v1/devices')) return answer
      listed.resolve()
      await revoked.promise
      return answer
    }
    const client = anotherClient(proxy.url, other, { ...systemEnvironment, fetch: slow })
    const reading = stateOf(client, deviceId)
    await listed.promise
    await client.revokeDevice(deviceId)
    revoked.resolve()
    const { revokedAt, isRevocationDenied } = await reading
    assert.deepEqual([typeof revokedAt, isRevocationDenied], ['string', false])
  })
})

describe('the albums of an account', () => {
  it('are listed with their names at every client', async () => {
    const other = await newOwner(proxy.url)
    const made = [
      await other.createAlbum({ name: 'Sommer 🏖️' }),
      await other.createAlbum(),
      await other.createAlbum({ name: '' }),
    ]
    assert.deepEqual(await anotherClient(proxy.url, other).albums(), made)
    assert.deepEqual(
      made.map(({ name }) => name),
      ['Sommer 🏖️', undefined, ''],
    )
  })

  it('get another name, or none, from their owner alone', async () => {
    const other = await newOwner(proxy.url)
    const { albumId } = await other.createAlbum({ name: 'Sommer' })
    for (const [given, now] of [
      [' Winter\n', 'Winter'],
      [' ', undefined],
      ['Herbst', 'Herbst'],
    ] as const) {
      await other.nameAlbum(albumId, given)
      assert.equal((await anotherClient(proxy.url, other).albums())[0]?.name, now)
    }
    await assert.rejects((await newOwner(proxy.url)).nameAlbum(albumId, 'mine'), hasCode('error.album.not_available'))
    for (const naming of [other.nameAlbum(albumId, 'x'.repeat(601)), other.createAlbum({ name: 'x'.repeat(601) })])
      await assert.rejects(naming, RangeError)
    assert.equal((await other.albums())[0]?.name, 'Herbst')
  })

  it('are listed with a fault when a malicious server altered or swapped a name', async () => {
    const other = await newOwner(proxy.url)
    for (const name of ['one', 'two', 'three']) await other.createAlbum({ name: `${name}, at first` })
    // A name that is given later is bound to its album, too.
    for (const [index, { albumId }] of (await other.albums()).entries())
      await other.nameAlbum(albumId, ['one', 'two', 'three'][index] ?? '')
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/albums(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.albums))
        const [first, second, third] = body.albums
        third.sealed_name = second.sealed_name
        first.sealed_name = flipInBase64(first.sealed_name, 100)
      }),
    })
    const listed = await other.albums()
    assert.deepEqual(
      listed.map(({ name }) => name),
      [undefined, 'two', undefined],
    )
    assert.deepEqual(
      listed.map(({ nameFault }) => nameFault !== undefined),
      [true, false, true],
    )
  })
})
