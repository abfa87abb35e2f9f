import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseDeviceId, parseSessionId } from '@blindkeep/protocol/ids'
import { HYBRID_PUBLIC_KEY_BYTES } from '@blindkeep/protocol/suites'
import { accountLock } from '../../ports/store.ts'
import { landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { isRefusal } from '../ground/refusals.ts'
import { type DeviceRequest, MAX_PRUNES } from './devices.ts'

const newDeviceId = () => defined(parseDeviceId(randomUUID()))
const newSessionId = () => defined(parseSessionId(randomUUID()))

function request(overrides: Partial<DeviceRequest> = {}): DeviceRequest {
  return { deviceId: newDeviceId(), publicKey: bytes(HYBRID_PUBLIC_KEY_BYTES), mac: bytes(32), ...overrides }
}

const fresh = { sealedName: undefined, revokedAt: undefined }

describe('adding a device', () => {
  it(
    'stores the values, and gives a repeat by the same account the same answer',
    inWorld(async (world) => {
      const { devices } = world.rules
      const owner = await newAccount(world)
      for (const given of [request(), request({ mac: undefined })]) {
        const device = { ...given, accountId: owner, createdAt: world.clock.now(), ...fresh }
        assert.deepEqual(await devices.add(owner, given), { device, isRepeat: false })
        world.clock.advance(5)
        assert.deepEqual(await devices.add(owner, given), { device, isRepeat: true })
      }
      assert.equal((await devices.list(owner)).length, 2)
    }),
  )

  it(
    'limits an account to 100 live devices, also with concurrent requests, and allows another after a revocation',
    inWorld(async (world) => {
      const { devices } = world.rules
      const owner = await newAccount(world)
      const requests = Array.from({ length: BOUNDS['live devices'] + 10 }, () => request())
      const answers = await Promise.all(requests.map((each) => devices.add(owner, each)))
      const refused = answers.filter(isRefusal)
      assert.deepEqual(
        refused.map((answer) => answer.refused),
        Array(10).fill('limit_reached'),
      )
      const [added] = await devices.list(owner)
      const { deviceId, publicKey, mac } = defined(added)
      assert.equal(notRefused(await devices.add(owner, { deviceId, publicKey, mac })).isRepeat, true)
      notRefused(await devices.add(await newAccount(world), request()))
      await devices.revoke(owner, deviceId)
      notRefused(await devices.add(owner, request()))
      assert.ok(isRefusal(await devices.add(owner, request())))
      assert.equal((await devices.list(owner)).length, BOUNDS['live devices'] + 1)
    }),
  )
})

describe('devices that are added and revoked again and again', () => {
  it(
    'stay within the bound of rows and leave the owner room, and one stays that signed a file, present or in the bin',
    inWorld(async (world) => {
      const { devices } = world.rules
      const albumOwner = await newAlbumOwner(world)
      const { accountId: owner, deviceId: signer } = albumOwner
      const assetId = newAssetId()
      await landBlob(world, albumOwner, bytes(8), { assetId })
      await devices.revoke(owner, signer)
      const pair = async () => {
        const { device } = notRefused(await devices.add(owner, request()))
        world.clock.advance(1)
        await devices.revoke(owner, device.deviceId)
        return device.deviceId
      }
      const bound = BOUNDS['devices, revoked ones included']
      const ids = []
      for (let count = 0; count < bound + 50; count += 1) ids.push(await pair())
      const listed = (await devices.list(owner)).map(({ deviceId }) => deviceId)
      assert.ok(listed.length <= bound, `${listed.length} rows`)
      assert.deepEqual(
        [listed.includes(signer), listed.includes(defined(ids.at(-1))), listed.includes(defined(ids[0]))],
        [true, true, false],
      )
      await world.rules.assets.remove(owner, assetId)
      const isThere = async () => {
        for (let count = 0; count < bound; count += 1) await pair()
        return (await devices.list(owner)).some(({ deviceId }) => deviceId === signer)
      }
      assert.equal(await isThere(), true)
      await world.rules.bin.empty(owner)
      assert.equal(await isThere(), false)
    }),
  )
})

describe('the search for devices that no file names', () => {
  it(
    'reads the files of an account a bounded number of times in an hour, of which a session has a quarter',
    inWorld(async (world) => {
      const { devices } = world.rules
      const owner = await newAccount(world)
      const at = world.clock.now()
      const fill = () =>
        world.store.write([accountLock(owner)], async (tx) => {
          const present = await tx.devices.count(owner)
          for (let count = present; count < BOUNDS['devices, revoked ones included']; count += 1) {
            const given = request()
            await tx.devices.insert({ ...given, accountId: owner, createdAt: at })
            await tx.devices.revoke(given.deviceId, owner, at)
          }
        })
      let sessionId = newSessionId()
      const isAdded = async () => {
        await fill()
        return !isRefusal(await devices.add(owner, request({ sessionId })))
      }
      for (let session = 0; session < 4; session += 1) {
        sessionId = newSessionId()
        for (let count = 0; count < MAX_PRUNES / 4; count += 1) assert.ok(await isAdded())
        assert.equal(await isAdded(), false)
      }
      sessionId = newSessionId()
      assert.equal(await isAdded(), false)
      world.clock.advance(3600)
      assert.ok(await isAdded())
    }),
  )
})

describe('naming a device', () => {
  it(
    'is for its own account, also after it was revoked, and no part of a repeat of adding it',
    inWorld(async (world) => {
      const { devices } = world.rules
      const owner = await newAccount(world)
      const given = request()
      await devices.add(owner, given)
      const sealed = bytes(40)
      const nameOf = async () => (await devices.list(owner))[0]?.sealedName
      assert.equal(await devices.name(owner, given.deviceId, sealed), undefined)
      const missing = { refused: 'device_not_found' }
      assert.deepEqual(await devices.name(await newAccount(world), given.deviceId, bytes(41)), missing)
      assert.deepEqual(await devices.name(owner, newDeviceId(), bytes(41)), missing)
      const again = notRefused(await devices.add(owner, given))
      assert.deepEqual([again.isRepeat, again.device.sealedName], [true, sealed])
      await devices.revoke(owner, given.deviceId)
      assert.deepEqual(await nameOf(), sealed)
      assert.equal(await devices.name(owner, given.deviceId, undefined), undefined)
      assert.equal(await nameOf(), undefined)
    }),
  )
})

describe('revoking a device', () => {
  it(
    'keeps the time of the first call, and leaves the device in the list',
    inWorld(async (world) => {
      const { devices } = world.rules
      const owner = await newAccount(world)
      const [revoked, live] = [request(), request()]
      for (const given of [revoked, live]) await devices.add(owner, given)
      const at = world.clock.now()
      assert.equal(await devices.revoke(owner, revoked.deviceId), undefined)
      world.clock.advance(60)
      assert.equal(await devices.revoke(owner, revoked.deviceId), undefined)
      assert.deepEqual(
        (await devices.list(owner)).map(({ deviceId, revokedAt }) => [deviceId, revokedAt]),
        [
          [revoked.deviceId, at],
          [live.deviceId, undefined],
        ],
      )
    }),
  )

  it(
    'ends the sessions that named the device at sign-in, and no others',
    inWorld(async (world) => {
      const { devices, sessions } = world.rules
      const owner = await newAccount(world)
      const [lost, kept] = [request(), request()]
      for (const given of [lost, kept]) await devices.add(owner, given)
      const [ofLost, ofKept, ofNone] = [
        await sessions.open(owner, lost.deviceId),
        await sessions.open(owner, kept.deviceId),
        await sessions.open(owner, undefined),
      ]
      await devices.revoke(owner, lost.deviceId)
      assert.deepEqual(await sessions.authenticate(ofLost.accessToken), { refused: 'session_over' })
      assert.deepEqual(await sessions.refresh(ofLost.refreshToken), { refused: 'session_over' })
      for (const { accessToken } of [ofKept, ofNone]) notRefused(await sessions.authenticate(accessToken))
    }),
  )
})
