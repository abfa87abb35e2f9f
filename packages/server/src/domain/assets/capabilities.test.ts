import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AlbumId, addSeconds, formatInstant, parseJti, parseSessionId } from '@blindkeep/protocol/ids'
import { newAlbumOwner } from '../../testing/assets.ts'
import { notRefused } from '../../testing/guest.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { rotateSigningKey } from '../discovery/signingKey.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { createCapabilities, type MintRequest, UNENDED_OF_EACH } from './capabilities.ts'

const DAY = 86_400
const peer = 'https://peer.example'

function request(
  { clock }: World,
  albumId: AlbumId,
  changes: Partial<MintRequest> & { readonly seconds?: number } = {},
): MintRequest {
  const { seconds = 3600, ...rest } = changes
  return { albumId, peer, expiresAt: addSeconds(clock.now(), seconds), ...rest }
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
/** Reads past the cache of a second, as a restart does. */
const revoked = async (world: World) => (await world.restarted().discovery.revocations()).revoked.map(({ jti }) => jti)
const stored = ({ store, clock }: World, accountId: Parameters<World['rules']['albums']['list']>[0]) =>
  store.read((tx) => tx.capabilities.count(accountId, addSeconds(clock.now(), -30 * DAY)))

describe('minting a capability', () => {
  it(
    'signs issuer, album, peer and expiry, in whole seconds',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      world.clock.advance(0.9)
      const minted = notRefused(
        await world.rules.capabilities.mint(accountId, request(world, albumId, { seconds: 60 })),
      )
      const iat = Date.UTC(2026, 5, 1) / 1000
      assert.deepEqual(claimsOf(minted.token), {
        aud: `urn:service:album:${albumId}`,
        exp: iat + 60,
        iat,
        iss: world.settings.serverId,
        jti: minted.jti,
        nbf: iat,
        scope: 'read',
        sub: peer,
      })
      assert.equal(formatInstant(minted.expiresAt), '2026-06-01T00:01:00.000Z')
      assert.ok(await world.keys.tokens.verify('capability+jwt', minted.token))
      assert.equal(await world.keys.tokens.verify('at+jwt', minted.token), undefined, 'a capability is no access token')
    }),
  )

  it(
    'refuses an expiry beyond 24 hours, and one that is not in the future',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const mint = async (seconds: number) => {
        const answer = await world.rules.capabilities.mint(accountId, request(world, albumId, { seconds }))
        return 'refused' in answer ? answer.refused : claimsOf(answer.token).exp - claimsOf(answer.token).iat
      }
      assert.equal(await mint(DAY), DAY)
      for (const seconds of [DAY + 0.001, DAY + 1, 100 * DAY]) assert.equal(await mint(seconds), 'lifetime_too_long')
      for (const seconds of [0.999, 0, -1]) assert.equal(await mint(seconds), 'request_unprocessable')
      world.clock.advance(0.999)
      assert.equal(await mint(DAY), DAY)
    }),
  )

  it(
    'refuses a peer that is not an origin in canonical form',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const { mint } = world.rules.capabilities
      for (const wrong of [
        'https://peer.example:443',
        'https://peer.example:65536',
        'https://[0:0::1]',
        'http://127.1',
      ])
        assert.ok('detail' in (await mint(accountId, request(world, albumId, { peer: wrong }))), wrong)
      for (const right of [
        'https://peer.example:8443',
        'https://[2001:db8::1]',
        'http://127.0.0.1:8080',
        'http://localhost',
      ])
        notRefused(await mint(accountId, request(world, albumId, { peer: right })))
    }),
  )

  it(
    'limits an account to 1000 live capabilities over all albums, also with concurrent requests',
    inWorld(async (world) => {
      const { capabilities } = world.rules
      const { accountId, albumId } = await newAlbumOwner(world)
      const other = await newAlbumOwner(world, accountId)
      const ask = (seconds: number) => capabilities.mint(accountId, request(world, albumId, { seconds }))
      const { jti } = notRefused(await capabilities.mint(accountId, request(world, other.albumId)))
      const answers = await Promise.all(Array.from({ length: BOUNDS['live capabilities'] + 4 }, () => ask(3600)))
      assert.equal(answers.filter((answer) => 'refused' in answer && answer.refused === 'limit_reached').length, 5)
      await capabilities.revoke(accountId, other.albumId, jti)
      notRefused(await ask(7200))
      assert.ok('refused' in (await ask(60)))
      world.clock.advance(3600)
      notRefused(await ask(60))
      const stranger = await newAlbumOwner(world)
      notRefused(await capabilities.mint(stranger.accountId, request(world, stranger.albumId)))
    }),
  )

  it(
    'limits an account to 1100 capabilities that have not ended, which bounds the public list',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      await world.store.write([], async (tx) => {
        const issuedAt = world.clock.now()
        const facts = { accountId, albumId, sessionId: undefined, peer, issuedAt, expiresAt: addSeconds(issuedAt, 60) }
        for (let count = 0; count < BOUNDS['capabilities that have not ended, revoked ones included']; count += 1)
          await tx.capabilities.insert({ ...facts, jti: defined(parseJti(randomUUID())) })
        await tx.capabilities.revokeAll(issuedAt)
      })
      const ask = () => world.rules.capabilities.mint(accountId, request(world, albumId))
      assert.ok('refused' in (await ask()))
      world.clock.advance(60)
      notRefused(await ask())
    }),
  )
})

describe('the capabilities of one session', () => {
  it(
    'leave the other sessions of the account some, revoked or not, until they end',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const [thief, owner] = [defined(parseSessionId(randomUUID())), defined(parseSessionId(randomUUID()))]
      const mint = (sessionId: typeof thief) =>
        world.rules.capabilities.mint(accountId, request(world, albumId, { seconds: 60, sessionId }))
      for (let count = 0; count < BOUNDS['capabilities of one session that have not ended']; count += 1) {
        const { jti } = notRefused(await mint(thief))
        if (count % 2 === 0) await world.rules.capabilities.revoke(accountId, albumId, jti)
      }
      assert.equal(Object(await mint(thief)).refused, 'limit_reached')
      notRefused(await mint(owner))
      world.clock.advance(60)
      notRefused(await mint(thief))
    }),
  )
})

describe('the capabilities of all accounts together', () => {
  it(
    'have a bound, beyond which an account with few of them still gets some',
    inWorld(async (world) => {
      const [rich, poor] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const maxUnended = 100
      const issuedAt = world.clock.now()
      const expiresAt = addSeconds(issuedAt, 60)
      await world.store.write([], async (tx) => {
        for (let count = 0; count < maxUnended; count += 1) {
          const { accountId, albumId } = rich
          await tx.capabilities.insert({
            accountId,
            albumId,
            sessionId: undefined,
            peer,
            issuedAt,
            expiresAt,
            jti: defined(parseJti(randomUUID())),
          })
        }
        await tx.capabilities.revokeAll(issuedAt)
      })
      const few = createCapabilities({ ...world, tokens: world.keys.tokens }, { ...world.settings, maxUnended })
      const ask = () => few.mint(poor.accountId, request(world, poor.albumId))
      for (let count = 0; count < UNENDED_OF_EACH; count += 1) notRefused(await ask())
      assert.equal(Object(await ask()).refused, 'rows_limited')
      world.clock.advance(61)
      notRefused(await ask())
    }),
  )
})

describe('minted capabilities', () => {
  it(
    'do not accumulate when they end within seconds: each mint prunes more than it adds',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const mint = async () =>
        notRefused(await world.rules.capabilities.mint(accountId, request(world, albumId, { seconds: 1.1 })))
      for (let count = 0; count < 6; count += 1) await mint()
      for (const left of [5, 4, 3, 2, 1]) {
        world.clock.advance(2)
        await mint()
        assert.deepEqual(await stored(world, accountId), { live: left, all: left, ofSession: 0 })
      }
    }),
  )

  it(
    'are signed with the present key, also right after a rotation by another process',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const { capabilities } = world.rules
      await world.keys.tokens.publicKey()
      await rotateSigningKey(world)
      const { jti, token } = notRefused(await capabilities.mint(accountId, request(world, albumId)))
      world.clock.advance(5)
      assert.ok(await world.keys.tokens.verify('capability+jwt', token))
      const live = notRefused(await capabilities.list(accountId, albumId))
      assert.deepEqual(
        live.map((capability) => capability.jti),
        [jti],
      )
      await rotateSigningKey(world)
      assert.deepEqual(await revoked(world), [jti])
    }),
  )
})

describe('the list of revoked capabilities', () => {
  it(
    'is cached for one second unless another one is revoked, and carries its read time',
    inWorld(async (world) => {
      const { capabilities, discovery } = world.rules
      const { accountId, albumId } = await newAlbumOwner(world)
      const { jti } = notRefused(await capabilities.mint(accountId, request(world, albumId)))
      const lists = await Promise.all(Array.from({ length: 8 }, () => discovery.revocations()))
      world.clock.advance(0.999)
      lists.push(await discovery.revocations())
      for (const list of lists) assert.equal(list, lists[0])
      world.clock.advance(0.001)
      assert.equal((await discovery.revocations()).at, world.clock.now())
      world.clock.advance(0.001)
      await capabilities.revoke(accountId, albumId, jti)
      const next = await discovery.revocations()
      assert.deepEqual([next.at, next.revoked.map((each) => each.jti)], [world.clock.now(), [jti]])
    }),
  )
})

describe('a capability', () => {
  it(
    'is listed until it ends or is revoked, oldest first',
    inWorld(async (world) => {
      const { capabilities } = world.rules
      const { accountId, albumId } = await newAlbumOwner(world)
      const minted = []
      for (const seconds of [300, 100, 200])
        minted.push(notRefused(await capabilities.mint(accountId, request(world, albumId, { seconds }))))
      const listed = async () => notRefused(await capabilities.list(accountId, albumId)).map(({ jti }) => jti)
      const [first, second, third] = minted.map(({ jti }) => jti)
      assert.deepEqual(await listed(), [first, second, third])
      world.clock.advance(100)
      assert.deepEqual(await listed(), [first, third])
      assert.equal(await capabilities.revoke(accountId, albumId, defined(first)), undefined)
      assert.deepEqual(await listed(), [third])
    }),
  )

  it(
    'is on the public list from its revocation to its end, and is pruned then, revoked or not',
    inWorld(async (world) => {
      const { capabilities, discovery, sweep } = world.rules
      const { accountId, albumId } = await newAlbumOwner(world)
      const mint = async (seconds: number) =>
        notRefused(await capabilities.mint(accountId, request(world, albumId, { seconds })))
      const [late, soon] = [await mint(200), await mint(100)]
      await mint(100)
      for (const { jti } of [late, soon, late]) await capabilities.revoke(accountId, albumId, jti)
      assert.deepEqual(await discovery.revocations(), {
        at: world.clock.now(),
        revoked: [soon, late].map(({ jti, expiresAt }) => ({ jti, expiresAt })),
      })
      world.clock.advance(99.999)
      await sweep.sweep()
      assert.deepEqual(await stored(world, accountId), { live: 1, all: 3, ofSession: 0 })
      world.clock.advance(0.001)
      assert.deepEqual(await revoked(world), [late.jti])
      await sweep.sweep()
      assert.deepEqual(await stored(world, accountId), { live: 0, all: 1, ofSession: 0 })
    }),
  )

  it(
    'ends with the key that signed it, and is on the public list then',
    inWorld(async (world) => {
      const { capabilities } = world.rules
      const { accountId, albumId } = await newAlbumOwner(world)
      const { jti, token } = notRefused(await capabilities.mint(accountId, request(world, albumId)))
      await rotateSigningKey(world)
      assert.deepEqual(await revoked(world), [jti])
      assert.deepEqual(await capabilities.list(accountId, albumId), [])
      world.clock.advance(5)
      assert.equal(await world.keys.tokens.verifyNow('capability+jwt', token), undefined)
      const next = notRefused(await capabilities.mint(accountId, request(world, albumId)))
      assert.ok(await world.keys.tokens.verify('capability+jwt', next.token))
    }),
  )
})
