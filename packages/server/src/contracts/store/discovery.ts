import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Jti, parseJti, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { Capability, Deprecation, RevokedCapability, Store } from '../../ports/store.ts'
import { accountId, albumId, at, type InStore, seedWithAlbums, sessionId } from './world.ts'

export function jti(number: number): Jti {
  const id = parseJti(`00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`)
  assert.ok(id !== undefined)
  return id
}

export function deprecation(date: string, given: Partial<Deprecation> = {}): Deprecation {
  const minProtocolVersion = parseProtocolVersion(date)
  assert.ok(minProtocolVersion !== undefined)
  return { minProtocolVersion, announcedAt: at(0), cutoff: at(1_000), detailUrl: undefined, ...given }
}

/** Ends at the second of its number. */
export function capability(number: number, given: Partial<Capability> = {}): Capability {
  return {
    jti: jti(number),
    accountId: accountId(1),
    sessionId: undefined,
    albumId: albumId(1),
    peer: 'https://peer.example',
    issuedAt: at(0),
    expiresAt: at(number),
    ...given,
  }
}

const insert = (store: Store, capabilities: readonly Capability[]) =>
  store.write([], async (tx) => {
    for (const each of capabilities) await tx.capabilities.insert(each)
  })
const revoked = async (store: Store, seconds: number) =>
  (await store.read((tx) => tx.capabilities.revoked(at(seconds), { max: 10 }))).map((each) => each.jti)

export function describeDiscovery(inStore: InStore): void {
  describe('deprecations', () => {})

  describe('capabilities', () => {
    it(
      'are listed by album in the order of issue, while they are live',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const minted = [capability(30), capability(10), capability(20, { peer: 'http://[::1]:8080' })]
        await insert(store, [...minted, capability(40, { accountId: accountId(2), albumId: albumId(2) })])
        const live = async (seconds: number) =>
          (await store.read((tx) => tx.capabilities.page({ albumId: albumId(1), at: at(seconds) }, { max: 10 }))).rows
        assert.deepEqual(await live(9), minted)
        assert.deepEqual(await live(10), [minted[0], minted[2]])
        await store.write([], (tx) => tx.capabilities.revoke(jti(30), albumId(1), at(11)))
        assert.deepEqual(await live(11), [minted[2]])
        assert.deepEqual(await live(20), [])
      }),
    )

    it(
      'are counted by account: the live ones, all that have not ended, and those of a session',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await insert(store, [capability(10), capability(20, { sessionId: sessionId(1) }), capability(30)])
        await store.write([], (tx) => tx.capabilities.revoke(jti(20), albumId(1), at(1)))
        const count = (number: number, seconds: number) =>
          store.read((tx) => tx.capabilities.count(accountId(number), at(seconds), sessionId(1)))
        assert.deepEqual(await count(1, 5), { live: 2, all: 3, ofSession: 1 })
        assert.deepEqual(await count(1, 10), { live: 1, all: 2, ofSession: 1 })
        assert.deepEqual(await count(1, 30), { live: 0, all: 0, ofSession: 0 })
        assert.deepEqual(await count(2, 5), { live: 0, all: 0, ofSession: 0 })
      }),
    )

    it(
      'are on the list of revoked ones until they end, in the order of their ends, if revoked for their album',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await insert(store, [capability(30), capability(10), capability(20), capability(40)])
        for (const number of [30, 10, 20, 10, 99])
          await store.write([], (tx) => tx.capabilities.revoke(jti(number), albumId(1), at(1)))
        await store.write([], (tx) => tx.capabilities.revoke(jti(40), albumId(2), at(1)))
        const mark = (seconds: number) => store.read((tx) => tx.capabilities.revokedMark(at(seconds)))
        assert.deepEqual(await revoked(store, 5), [jti(10), jti(20), jti(30)])
        const before = await mark(5)
        assert.equal(await mark(5), before)
        await store.write([], (tx) => tx.capabilities.revoke(jti(40), albumId(1), at(1)))
        assert.notEqual(await mark(5), before)
        // One has ended, and another was revoked: as many as before, and others.
        assert.notEqual(await mark(10), before)
        assert.deepEqual(await revoked(store, 10), [jti(20), jti(30), jti(40)])
        const page = (after: RevokedCapability | undefined) =>
          store.read((tx) => tx.capabilities.revoked(at(10), { after, max: 2 }))
        const first = await page(undefined)
        assert.deepEqual(
          [...first, ...(await page(first.at(-1)))].map((each) => each.jti),
          [jti(20), jti(30), jti(40)],
        )
        assert.deepEqual(await revoked(store, 40), [])
      }),
    )

    it(
      'can all be revoked together, except those that have ended',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await insert(store, [
          capability(10),
          capability(20),
          capability(30, { accountId: accountId(2), albumId: albumId(2) }),
        ])
        await store.write([], (tx) => tx.capabilities.revokeAll(at(10)))
        assert.deepEqual(await revoked(store, 0), [jti(20), jti(30)])
      }),
    )

    it(
      'are pruned after their end, revoked or not, at most as many as requested',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await insert(store, [capability(10), capability(20), capability(30), capability(40)])
        for (const number of [20, 40])
          await store.write([], (tx) => tx.capabilities.revoke(jti(number), albumId(1), at(1)))
        const left = () => store.read((tx) => tx.capabilities.count(accountId(1), at(0)))
        await store.write([], (tx) => tx.capabilities.prune(at(30), 2))
        assert.deepEqual(await left(), { live: 1, all: 2, ofSession: 0 })
        assert.deepEqual(await revoked(store, 0), [jti(40)])
        for (const seconds of [30, 39]) await store.write([], (tx) => tx.capabilities.prune(at(seconds), 2))
        assert.deepEqual(await left(), { live: 0, all: 1, ofSession: 0 })
      }),
    )
  })
}
