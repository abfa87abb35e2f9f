import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { type AlbumOwner, landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import type { AssetView } from '../assets/assetView.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { StreamEvent } from './events.ts'

/** Random changes between random reads that are cut anywhere. All reads together must give the present state. */
type Step =
  | { readonly what: 'add' | 'grow' | 'remove'; readonly pick: number }
  | { readonly what: 'page'; readonly max: number }
  | { readonly what: 'listen' | 'cut' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constantFrom('add' as const, 'grow' as const, 'remove' as const), pick: fc.nat(20) }),
  fc.record({ what: fc.constant('page' as const), max: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ what: fc.constantFrom('listen' as const, 'cut' as const) }),
)

async function change(
  world: World,
  albumOwner: AlbumOwner,
  assets: AssetId[],
  { what, pick }: Step & { pick: number },
) {
  const assetId = assets[pick % Math.max(1, assets.length)]
  if (what === 'add' || assetId === undefined) {
    const added = newAssetId()
    assets.push(added)
    await landBlob(world, albumOwner, bytes(8), { assetId: added })
  } else if (what === 'remove') await world.rules.assets.remove(albumOwner.accountId, assetId)
  else if (!isRefusal(await world.rules.assets.get(albumOwner.accountId, assetId)))
    await landBlob(world, albumOwner, bytes(6), { assetId, role: 'derivative' })
}

/** Reads the feed and keeps the last view of each asset, as a client does. */
function createReader(world: World, albumOwner: AlbumOwner) {
  const seen = new Map<AssetId, AssetView | undefined>()
  let cursor: string | undefined
  let lastSeq = 0
  return {
    seen,
    async page(max: number): Promise<boolean> {
      const page = notRefused(await world.rules.feed.page(albumOwner.accountId, { cursor, max }))
      assert.ok(page.entries.length <= max)
      for (const { changeSeq, assetId, view } of page.entries) {
        assert.ok(changeSeq > lastSeq, 'each change comes once, in order')
        lastSeq = changeSeq
        seen.set(assetId, view)
      }
      cursor = page.nextCursor
      return page.hasMore
    },
  }
}

/** Reads events over connections that are cut, and continues after the last one. */
async function createListener(world: World, albumOwner: AlbumOwner) {
  const { accessToken } = await world.rules.sessions.open(albumOwner.accountId, undefined)
  const caller = notRefused(await world.rules.sessions.authenticate(accessToken))
  const received: StreamEvent[] = []
  let lastId: string | undefined
  let listening = notRefused(await world.rules.events.listen(caller, lastId))
  const listen = async () => {
    for (let events = await listening.next(); events.length > 0; events = await listening.next()) {
      assert.ok(events !== 'over')
      lastId = events.at(-1)?.id
      received.push(...events)
    }
  }
  await listen()
  return {
    received,
    listen,
    async cut() {
      listening.leave()
      listening = notRefused(await world.rules.events.listen(caller, lastId))
    },
  }
}

describe('a client that was away', () => {
  it(
    'reads the present state of each asset, and gets each event once, in any order of changes, reads and cuts',
    inWorld(async (world) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const albumOwner = await newAlbumOwner(world)
          const assets: AssetId[] = []
          const reader = createReader(world, albumOwner)
          const listener = await createListener(world, albumOwner)
          for (const each of steps) {
            if ('pick' in each) await change(world, albumOwner, assets, each)
            else if ('max' in each) await reader.page(each.max)
            else await listener[each.what]()
          }
          while (await reader.page(3));
          await listener.listen()
          await listener.cut()
          for (const assetId of assets) {
            const present = await world.rules.assets.get(albumOwner.accountId, assetId)
            assert.deepEqual(reader.seen.get(assetId), isRefusal(present) ? undefined : present)
          }
          assert.equal(reader.seen.size, assets.length)
          await assertReceived(world, albumOwner, listener.received)
        }),
        { numRuns: 25 },
      )
    }),
  )
})

/** All events in order. Those of the quota may come later and fewer times, as they carry no value. */
async function assertReceived(
  world: World,
  { accountId }: AlbumOwner,
  received: readonly StreamEvent[],
): Promise<void> {
  const noted = await world.store.read((tx) => tx.changes.eventsAfter({ accountId, changeSeq: 0, max: 1000 }))
  const events = received.flatMap(({ event }) => (event === undefined ? [] : [event]))
  const withoutQuota = (list: typeof events) => list.filter(({ name }) => name !== 'quota.changed')
  assert.deepEqual(withoutQuota(events), withoutQuota(noted.map(({ change }) => change)))
  const last = defined(noted.at(-1) ?? { changeSeq: 0 })
  assert.equal(received.at(-1)?.id.split('-')[1], String(last.changeSeq))
}
