import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { channel } from './channels.ts'
import {
  account,
  accountId,
  asset,
  assetBlob,
  assetId,
  at,
  event,
  type InStore,
  link,
  object,
  seedWithAlbums,
  session,
} from './world.ts'

export function describeStatus(inStore: InStore): void {
  describe('the status', () => {
    it(
      'has each account with its live links and newest session, page by page, and says which are deleted',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          await tx.accounts.insert(account(3))
          const { signInKeyHash } = account(3)
          await tx.accountDeletions.begin({ accountId: accountId(3), signInKeyHash, at: at(5) })
          for (const [number, expiresAt] of [
            [3, at(9)],
            [4, at(11)],
            [5, undefined],
          ] as const)
            await tx.links.insert(link(number, { expiresAt }))
          await tx.links.revoke(link(5).opaqueId, accountId(1), at(6))
          await tx.sessions.insert(session(1, { createdAt: at(7) }))
          await tx.sessions.insert(session(2, { createdAt: at(3), lastUsedAt: at(8) }))
        })
        const page = (after: string) => store.ask((tx) => tx.status.accounts(after, at(10), 2))
        const [deleted, first] = await page('')
        assert.deepEqual([deleted?.accountId, deleted?.deletedAt], [accountId(3), at(5)])
        assert.deepEqual([first?.email, first?.liveLinks, first?.lastSignInAt], ['owner-1@example.org', 2, at(7)])
        const [second, ...more] = await page(first?.email ?? '')
        assert.deepEqual([second?.accountId, second?.liveLinks, second?.lastSignInAt], [accountId(2), 1, undefined])
        assert.deepEqual(more, [])
      }),
    )

    it(
      'has what is kept in the order of its arrival, and nothing else',
      inStore(async (store) => {
        await store.write([], async (tx) => {
          for (const [number, since] of [
            [1, 5],
            [2, 3],
            [3, 3],
            [4, 9],
          ] as const)
            await tx.objects.insert(object(number, { state: number === 4 ? 'orphaned' : 'kept', since: at(since) }))
        })
        const from = { since: at(0), location: '' }
        const [first, second, ...more] = await store.ask((tx) => tx.status.arrived(from, 2))
        assert.ok(second !== undefined)
        assert.deepEqual([first?.location, second.location, more], [object(2).location, object(3).location, []])
        const { location, size } = object(1)
        assert.deepEqual(await store.ask((tx) => tx.status.arrived(second, 2)), [{ location, size, since: at(5) }])
      }),
    )

    it(
      'counts files in albums, not their other blobs, up to a bound',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          for (let number = 1; number <= 3; number += 1) {
            await tx.assets.reserve(asset(number))
            await tx.assets.addBlob(assetBlob(number, { assetId: assetId(number), role: 'original' }))
            await tx.assets.addBlob(assetBlob(number + 10, { assetId: assetId(number), role: 'metadata' }))
          }
        })
        const count = (after: string, max: number) => store.read((tx) => tx.status.originals(after, max))
        assert.deepEqual(await count('', 9), { count: 3 })
        assert.deepEqual(await count('', 2), { count: 2, next: assetId(2) })
        assert.deepEqual(await count(assetId(2), 2), { count: 1 })
        assert.deepEqual(await count(assetId(3), 2), { count: 0 })
      }),
    )

    it(
      'has the channels with their failures',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          for (const number of [1, 2]) await tx.channels.insert(channel(number))
          const { channelId } = channel(2)
          await tx.changes.insertNextEvents([event(1)])
          await tx.channels.claim(channelId, { claimId: 'one', after: 0, upTo: 1, at: at(3), until: at(9) })
          const failure = { claimId: 'one', at: at(4), fault: 'timed_out', state: 'active', dueAt: at(9) } as const
          await tx.channels.fail(channelId, failure)
        })
        const [first, ...later] = await store.ask((tx) => tx.status.channels(0, 9))
        assert.deepEqual([first?.attempts, ...later.map(({ attempts }) => attempts)], [0, 1])
        assert.deepEqual(await store.ask((tx) => tx.status.channels(first?.channelSeq ?? 0, 9)), later)
      }),
    )
  })
}
