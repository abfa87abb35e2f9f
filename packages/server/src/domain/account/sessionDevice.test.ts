import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AccountId, type DeviceId, parseDeviceId } from '@blindkeep/protocol/ids'
import { HYBRID_PUBLIC_KEY_BYTES } from '@blindkeep/protocol/suites'
import { both, ROUNDS, reasonOf } from '../../testing/assetRaces.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { deskOf, guarded, register } from '../../testing/secondFactor.ts'
import { EMAIL, KEY, proved } from '../../testing/signInKeys.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import { isChallenge } from './challenges.ts'
import type { TokenPair } from './sessions.ts'

const OVER = { refused: 'session_over' }

async function newDevice({ rules }: World, accountId: AccountId): Promise<DeviceId> {
  const deviceId = defined(parseDeviceId(randomUUID()))
  notRefused(
    await rules.devices.add(accountId, { deviceId, publicKey: bytes(HYBRID_PUBLIC_KEY_BYTES), mac: undefined }),
  )
  return deviceId
}

const revoke = async ({ rules }: World, accountId: AccountId, deviceId: DeviceId) =>
  notRefused(await rules.devices.revoke(accountId, deviceId))
const namedBy = async ({ rules }: World, accountId: AccountId, deviceId: DeviceId) =>
  (await rules.sessions.list(accountId)).filter((session) => session.deviceId === deviceId)
const callerOf = async ({ rules }: World, { accessToken }: TokenPair) =>
  notRefused(await rules.sessions.authenticate(accessToken))
const bind = async (world: World, pair: TokenPair, deviceId: DeviceId) =>
  reasonOf(await world.rules.sessions.bind(await callerOf(world, pair), deviceId))

describe('a sign-in', () => {
  it(
    'is refused when it names a revoked device of the account, and only after the right key',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { accountId } = await register(desk)
      const deviceId = await newDevice(world, accountId)
      const logIn = (key: string) =>
        desk.accounts.logIn({ email: EMAIL, provedKey: proved(key), deviceId, source: undefined })
      assert.ok(!isRefusal(await logIn(KEY)))
      await revoke(world, accountId, deviceId)
      assert.deepEqual(await logIn(KEY), { refused: 'device_not_authorized' })
      assert.deepEqual(await logIn('not it'), { refused: 'credentials_wrong' })
      assert.deepEqual(await namedBy(world, accountId, deviceId), [])
      notRefused(await desk.login())
    }),
  )

  it(
    'may name a device that the account adds later; revoking that device ends the session',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { accountId } = await register(desk)
      const deviceId = defined(parseDeviceId(randomUUID()))
      const pair = notRefused(
        await desk.accounts.logIn({ email: EMAIL, provedKey: proved(), deviceId, source: undefined }),
      )
      assert.ok(!isChallenge(pair))
      const publicKey = bytes(HYBRID_PUBLIC_KEY_BYTES)
      notRefused(await world.rules.devices.add(accountId, { deviceId, publicKey, mac: undefined }))
      await revoke(world, accountId, deviceId)
      assert.deepEqual(await world.rules.sessions.authenticate(pair.accessToken), OVER)
    }),
  )

  it(
    'that waits for its code ends with its device, which keeps the code unused',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const { accountId } = await desk.account()
      const deviceId = await newDevice(world, accountId)
      const logIn = () => desk.accounts.logIn({ email: EMAIL, provedKey: proved(), deviceId, source: undefined })
      const challenge = notRefused(await logIn())
      assert.ok(isChallenge(challenge))
      await revoke(world, accountId, deviceId)
      assert.equal(await desk.verify(challenge.mfaToken, desk.code(authenticator)), 'challenge_over')
      assert.deepEqual(await logIn(), { refused: 'device_not_authorized' }, 'nor a new challenge')
      assert.deepEqual(await namedBy(world, accountId, deviceId), [])
      assert.equal(await desk.verify(await desk.challenged(), desk.code(authenticator)), 'in', 'the code is unused')
    }),
  )
})

describe('a session without a device', () => {
  it(
    'is tied to a live device of its account, keeps it through its refresh tokens, and ends with it',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accountId } = await register(deskOf(world))
      const deviceId = await newDevice(world, accountId)
      const [pair, other] = [await sessions.open(accountId, undefined), await sessions.open(accountId, undefined)]
      for (let round = 0; round < 2; round += 1) assert.equal(await bind(world, pair, deviceId), 'done')
      const next = notRefused(await sessions.refresh(pair.refreshToken))
      assert.equal((await namedBy(world, accountId, deviceId)).length, 1)
      await revoke(world, accountId, deviceId)
      for (const { accessToken } of [pair, next]) assert.deepEqual(await sessions.authenticate(accessToken), OVER)
      for (const { refreshToken } of [pair, next]) assert.deepEqual(await sessions.refresh(refreshToken), OVER)
      notRefused(await sessions.authenticate(other.accessToken))
    }),
  )

  it(
    'is not tied to an unknown device, a revoked one, another account’s, or a second one',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accountId } = await register(deskOf(world))
      const [first, second, revoked] = [
        await newDevice(world, accountId),
        await newDevice(world, accountId),
        await newDevice(world, accountId),
      ]
      await revoke(world, accountId, revoked)
      const foreign = await newDevice(world, await newAccount(world))
      const pair = await sessions.open(accountId, undefined)
      assert.equal(await bind(world, pair, defined(parseDeviceId(randomUUID()))), 'device_not_found')
      assert.equal(await bind(world, pair, foreign), 'device_not_found')
      assert.equal(await bind(world, pair, revoked), 'device_not_authorized')
      assert.equal(await bind(world, pair, first), 'done')
      assert.equal(await bind(world, pair, second), 'session_bound')
      assert.equal((await namedBy(world, accountId, first)).length, 1)
      const named = await sessions.open(accountId, first)
      assert.equal(await bind(world, named, second), 'session_bound', 'a device that was named at sign-in counts')
    }),
  )

  it(
    'is tied to one of the devices that several requests name at once',
    inWorld(async (world) => {
      const { accountId } = await register(deskOf(world))
      const pair = await world.rules.sessions.open(accountId, undefined)
      const devices = await Promise.all(Array.from({ length: 16 }, () => newDevice(world, accountId)))
      const answers = await Promise.all(devices.map((deviceId) => bind(world, pair, deviceId)))
      assert.deepEqual(answers.toSorted(), ['done', ...Array(15).fill('session_bound')])
    }),
  )

  it(
    'is not tied once it has ended, also when its request was authenticated before',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accountId } = await register(deskOf(world))
      const deviceId = await newDevice(world, accountId)
      const caller = await callerOf(world, await sessions.open(accountId, undefined))
      await sessions.end(caller)
      assert.deepEqual(await sessions.bind(caller, deviceId), OVER)
    }),
  )
})

describe('beside a revocation', () => {
  /** Runs `make` and a revocation at once, in both orders. Then no session of the device may live or be made. */
  async function race(
    world: World,
    accountId: AccountId,
    make: (deviceId: DeviceId) => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const deviceId = await newDevice(world, accountId)
      const begin = await make(deviceId)
      const many = () => Promise.all(Array.from({ length: 8 }, begin))
      await both(round, many, async () => {
        await revoke(world, accountId, deviceId)
        assert.deepEqual(await namedBy(world, accountId, deviceId), [], 'when the revocation has answered')
      })
      assert.deepEqual(await namedBy(world, accountId, deviceId), [], 'when all have answered')
    }
  }

  it(
    'no sign-in leaves a session of the device',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { accountId } = await register(desk)
      const logIn = (deviceId: DeviceId) =>
        desk.accounts.logIn({ email: EMAIL, provedKey: proved(), deviceId, source: undefined })
      await race(world, accountId, async (deviceId) => () => logIn(deviceId))
    }),
  )

  it(
    'no client ties its session to the device',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accountId } = await register(deskOf(world))
      await race(world, accountId, async (deviceId) => {
        const callers = await Promise.all(
          Array.from({ length: 8 }, async () => callerOf(world, await sessions.open(accountId, undefined))),
        )
        return async () => sessions.bind(defined(callers.pop()), deviceId)
      })
    }),
  )

  it(
    'no refresh token continues a session of the device',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accountId } = await register(deskOf(world))
      await race(world, accountId, async (deviceId) => {
        const pairs = await Promise.all(Array.from({ length: 8 }, () => sessions.open(accountId, deviceId)))
        return async () => {
          const { refreshToken } = defined(pairs.pop())
          const pair = await sessions.refresh(refreshToken)
          return isRefusal(pair) ? pair : sessions.refresh(pair.refreshToken)
        }
      })
    }),
  )

  it(
    'no code of the second factor leaves a session of the device',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const { accountId } = await desk.account()
      await race(world, accountId, async (deviceId) => {
        world.clock.advance(60)
        const challenge = notRefused(
          await desk.accounts.logIn({ email: EMAIL, provedKey: proved(), deviceId, source: undefined }),
        )
        assert.ok(isChallenge(challenge))
        return () => desk.verify(challenge.mfaToken, desk.code(authenticator))
      })
    }),
  )
})
