import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseDeviceId } from '@blindkeep/protocol/ids'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { sha256 as sha256Bytes } from '../ground/sha256.ts'
import { REMEMBERED_TOKENS } from './refreshTokens.ts'
import { createSessions, type TokenPair } from './sessions.ts'

/** As the documents say. */
const MAX_SESSIONS = 100
const OVER = { refused: 'session_over' }
const UNREADABLE = { refused: 'token_unreadable' }

const signedIn = async (world: World): Promise<TokenPair> =>
  world.rules.sessions.open(await newAccount(world), undefined)

const refreshed = async (world: World, { refreshToken }: TokenPair): Promise<TokenPair> =>
  notRefused(await world.rules.sessions.refresh(refreshToken))

describe('the used refresh tokens of a session', () => {
  it(
    'have rows up to a bound, and end the session however long ago they were used',
    inWorld(async (world) => {
      const first = await signedIn(world)
      const pairs = [first]
      for (let count = 0; count <= REMEMBERED_TOKENS + 20; count += 1) {
        world.clock.advance(61)
        pairs.push(await refreshed(world, defined(pairs.at(-1))))
      }
      const rows = await Promise.all(
        pairs.map(({ refreshToken }) =>
          world.store.read((tx) => tx.sessions.findRefreshToken(sha256Bytes(Buffer.from(refreshToken, 'base64url')))),
        ),
      )
      assert.equal(rows.filter((row) => row !== undefined).length, REMEMBERED_TOKENS + 1)
      const last = await refreshed(world, defined(pairs.at(-1)))
      assert.deepEqual(await world.rules.sessions.refresh(first.refreshToken), OVER)
      assert.deepEqual(await world.rules.sessions.refresh(last.refreshToken), OVER)
    }),
  )

  it(
    'end no session when a byte of them was changed',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      const next = await refreshed(world, pair)
      const token = Buffer.from(pair.refreshToken, 'base64url')
      for (const at of token.keys()) {
        const changed = Buffer.from(token)
        changed.writeUInt8(token.readUInt8(at) ^ 1, at)
        for (const given of [changed, token.subarray(0, at)])
          assert.deepEqual(await world.rules.sessions.refresh(given.toString('base64url')), OVER)
      }
      await refreshed(world, next)
    }),
  )
})

describe('an access token', () => {
  it(
    'authenticates its account until it expires, to the millisecond',
    inWorld(async (world) => {
      const { accessToken, accountId, expiresAt } = await signedIn(world)
      assert.equal(expiresAt, world.clock.now() + 900_000)
      world.clock.advance(899.999)
      assert.equal(notRefused(await world.rules.sessions.authenticate(accessToken)).account.accountId, accountId)
      world.clock.advance(0.001)
      assert.deepEqual(await world.rules.sessions.authenticate(accessToken), OVER)
    }),
  )

  it(
    'lasts no longer than one that is issued now, also when the clock was ahead at its issue',
    inWorld(async (world) => {
      world.clock.advance(86_400)
      const { accessToken } = await signedIn(world)
      world.clock.advance(-86_400)
      const { expiresAt } = notRefused(await world.rules.sessions.authenticate(accessToken))
      assert.equal(expiresAt, world.clock.now() + 900_000)
    }),
  )

  it(
    'is unreadable unless this server signed it, whole and of this type',
    inWorld(async (world) => {
      const { accessToken } = await signedIn(world)
      const [header = '', payload = '', signature = ''] = accessToken.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const sign = (typ: string, changes: object) => world.keys.tokens.sign({ typ }, { ...claims, ...changes })
      const texts = [
        '',
        'x',
        `${header}.${payload}.`,
        `${header}.${payload}.${signature.slice(1)}A`,
        `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`,
        await sign('capability+jwt', {}),
        await sign('JWT', {}),
        await sign('at+jwt', { aud: 'https://other.example' }),
        await sign('at+jwt', { iss: 'https://other.example' }),
        await sign('at+jwt', { sid: 'nothing' }),
        await sign('at+jwt', { exp: '9999999999' }),
      ]
      for (const text of texts) assert.deepEqual(await world.rules.sessions.authenticate(text), UNREADABLE, text)
      assert.ok(!('refused' in (await world.rules.sessions.authenticate(await sign('at+jwt', {})))))
    }),
  )
})

describe('the sessions of an account', () => {
  const idOf = async (world: World, { accessToken }: TokenPair) =>
    notRefused(await world.rules.sessions.authenticate(accessToken)).sessionId

  it(
    'are listed while they live, oldest first, with their device and the time of their last token',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const accountId = await newAccount(world)
      const deviceId = parseDeviceId('00000000-0000-4000-8000-00000000000d')
      const began = world.clock.now()
      const first = await sessions.open(accountId, deviceId)
      world.clock.advance(10)
      const [second, third] = [
        await sessions.open(accountId, undefined),
        await sessions.open(await newAccount(world), undefined),
      ]
      world.clock.advance(10)
      await refreshed(world, first)
      const listed = (await sessions.list(accountId)).map((session) => [
        session.sessionId,
        session.deviceId,
        session.createdAt - began,
        session.lastUsedAt - began,
      ])
      assert.deepEqual(listed, [
        [await idOf(world, first), deviceId, 0, 20_000],
        [await idOf(world, second), undefined, 10_000, 10_000],
      ])
      await sessions.endOwn(accountId, await idOf(world, third))
      await idOf(world, third)
      await sessions.endOwn(accountId, await idOf(world, first))
      assert.deepEqual(await sessions.refresh(first.refreshToken), OVER)
      assert.deepEqual(
        (await sessions.list(accountId)).map(({ sessionId }) => sessionId),
        [await idOf(world, second)],
      )
    }),
  )

  it(
    'have the names that their account gives them while they live, and no other account does',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const accountId = await newAccount(world)
      const [first, second] = [await sessions.open(accountId, undefined), await sessions.open(accountId, undefined)]
      const sealed = bytes(40)
      const ids = [await idOf(world, first), await idOf(world, second)] as const
      const names = async () =>
        new Map((await sessions.list(accountId)).map(({ sessionId, sealedName }) => [sessionId, sealedName]))
      assert.equal(await sessions.name(accountId, ids[1], sealed), undefined)
      const missing = { refused: 'session_not_found' }
      assert.deepEqual(await sessions.name(await newAccount(world), ids[1], bytes(41)), missing)
      assert.deepEqual((await names()).get(ids[1]), sealed)
      assert.equal((await names()).get(ids[0]), undefined)
      await refreshed(world, second)
      assert.deepEqual((await names()).get(ids[1]), sealed, 'a new token keeps the name')
      assert.equal(await sessions.name(accountId, ids[1], undefined), undefined)
      assert.equal((await names()).get(ids[1]), undefined)
      await sessions.endOwn(accountId, ids[1])
      assert.deepEqual(await sessions.name(accountId, ids[1], sealed), missing)
    }),
  )

  it(
    'are at most a hundred: a further one ends the one that was unused for longest',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const accountId = await newAccount(world)
      const [oldest, unused] = [await sessions.open(accountId, undefined), await sessions.open(accountId, undefined)]
      world.clock.advance(1)
      const used = await refreshed(world, oldest)
      world.clock.advance(1)
      while ((await sessions.list(accountId)).length < MAX_SESSIONS) await sessions.open(accountId, undefined)
      await idOf(world, unused)
      world.clock.advance(1)
      const last = await sessions.open(accountId, undefined)
      assert.deepEqual(await sessions.authenticate(unused.accessToken), OVER)
      await idOf(world, used)
      world.clock.advance(1)
      const others = [
        last,
        ...(await Promise.all(Array.from({ length: 9 }, () => sessions.open(accountId, undefined)))),
      ]
      assert.equal((await sessions.list(accountId)).length, MAX_SESSIONS)
      assert.deepEqual(await sessions.authenticate(used.accessToken), OVER)
      for (const pair of others) await idOf(world, pair)
    }),
  )
})

describe('a refresh token', () => {
  it(
    'is rotated, and its successor again',
    inWorld(async (world) => {
      let pair = await signedIn(world)
      const seen = new Set([pair.refreshToken])
      for (let round = 0; round < 5; round += 1) {
        world.clock.advance(600)
        pair = await refreshed(world, pair)
        notRefused(await world.rules.sessions.authenticate(pair.accessToken))
        seen.add(pair.refreshToken)
      }
      assert.equal(seen.size, 6)
    }),
  )

  it(
    'gets the same pair again within sixty seconds, as the answer may have been lost',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      world.clock.advance(100)
      const first = await refreshed(world, pair)
      for (const seconds of [0, 30, 30]) {
        world.clock.advance(seconds)
        assert.deepEqual(await refreshed(world, pair), first)
      }
      notRefused(await world.rules.sessions.authenticate(first.accessToken))
      await refreshed(world, first)
    }),
  )

  it(
    'ends the session and all its tokens when a client sends it again later',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      const next = await refreshed(world, pair)
      world.clock.advance(60.001)
      assert.deepEqual(await world.rules.sessions.refresh(pair.refreshToken), OVER)
      assert.deepEqual(await world.rules.sessions.refresh(next.refreshToken), OVER)
      assert.deepEqual(await world.rules.sessions.authenticate(next.accessToken), OVER)
    }),
  )

  it(
    'ends the session when a client sends it again after its successor was used',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      const next = await refreshed(world, pair)
      const third = await refreshed(world, next)
      assert.deepEqual(await world.rules.sessions.refresh(pair.refreshToken), OVER)
      assert.deepEqual(await world.rules.sessions.refresh(third.refreshToken), OVER)
    }),
  )

  it(
    'has one successor when 64 concurrent requests present it',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      const answers = await Promise.all(Array.from({ length: 64 }, () => refreshed(world, pair)))
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
    }),
  )

  it(
    'expires after thirty days without use',
    inWorld(async (world) => {
      const { clock } = world
      let pair = await signedIn(world)
      for (let month = 0; month < 4; month += 1) {
        clock.advance(30 * 86_400 - 1)
        pair = await refreshed(world, pair)
      }
      clock.advance(30 * 86_400)
      assert.deepEqual(await world.rules.sessions.refresh(pair.refreshToken), OVER)
    }),
  )

  it(
    'is refused alike when it is unknown and when its session has ended',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      await world.rules.sessions.end(notRefused(await world.rules.sessions.authenticate(pair.accessToken)))
      const tokens = [pair.refreshToken, randomBytes(32).toString('base64url'), '!', '', pair.accessToken]
      for (const token of tokens) assert.deepEqual(await world.rules.sessions.refresh(token), OVER)
    }),
  )

  it(
    'causes no write when it is unknown',
    inWorld(async ({ store, clock, random, keys, settings }) => {
      const readOnly = { ...store, write: () => Promise.reject(new Error('a write')) }
      const { tokens, serverSecret } = keys
      const sessions = createSessions({ store: readOnly, clock, random, tokens, serverSecret }, settings)
      assert.deepEqual(await sessions.refresh(randomBytes(32).toString('base64url')), OVER)
    }),
  )

  it(
    'is stored only as a hash',
    inWorld(async (world) => {
      const { refreshToken } = await signedIn(world)
      const raw = Buffer.from(refreshToken, 'base64url')
      assert.equal(raw.length, 32 + 36 + 16, 'a secret, the id of the session, a MAC')
      assert.equal(await world.store.read((tx) => tx.sessions.findRefreshToken(raw)), undefined)
    }),
  )

  it(
    'has the same successor after a restart, because an honest client may repeat its request then',
    inWorld(async (world) => {
      const pair = await signedIn(world)
      const first = await refreshed(world, pair)
      assert.deepEqual(await world.restarted().sessions.refresh(pair.refreshToken), first)
    }),
  )
})
