import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { type Keeper, landBlob, newAssetId, newKeeper } from '../../testing/assets.ts'
import { admitted, bytes } from '../../testing/guest.ts'
import { inWorld, known, type World } from '../../testing/world.ts'
import type { AssetView } from '../assets/assets.ts'
import { isRefusal } from '../refusals.ts'
import type { CappedList } from './events.ts'

/** Random changes between random reads, cut anywhere: what the reads together say has to be what has become. */
type Step =
  | { readonly what: 'add' | 'grow' | 'remove'; readonly pick: number }
  | { readonly what: 'page'; readonly most: number }
  | { readonly what: 'hear' | 'cut' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constantFrom('add' as const, 'grow' as const, 'remove' as const), pick: fc.nat(20) }),
  fc.record({ what: fc.constant('page' as const), most: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ what: fc.constantFrom('hear' as const, 'cut' as const) }),
)

async function change(world: World, keeper: Keeper, assets: AssetId[], { what, pick }: Step & { pick: number }) {
  const assetId = assets[pick % Math.max(1, assets.length)]
  if (what === 'add' || assetId === undefined) {
    const added = newAssetId()
    assets.push(added)
    await landBlob(world, keeper, bytes(8), { assetId: added })
  } else if (what === 'remove') await world.rules.assets.remove(keeper.accountId, assetId)
  else if (!isRefusal(await world.rules.assets.get(keeper.accountId, assetId)))
    await landBlob(world, keeper, bytes(6), { assetId, role: 'derivative' })
}

/** Reads the feed, and keeps of each asset what was said last, as a client does. */
function createReader(world: World, keeper: Keeper) {
  const known = new Map<AssetId, AssetView | undefined>()
  let cursor: string | undefined
  let lastSeq = 0
  return {
    known,
    async page(most: number): Promise<boolean> {
      const page = admitted(await world.rules.feed.page(keeper.accountId, { cursor, most }))
      assert.ok(page.entries.length <= most)
      for (const { changeSeq, assetId, view } of page.entries) {
        assert.ok(changeSeq > lastSeq, 'each change comes once, in order')
        lastSeq = changeSeq
        known.set(assetId, view)
      }
      cursor = page.nextCursor
      return page.hasMore
    },
  }
}

/** Hears events over connections that are cut, and goes on after the last one. */
async function createHearer(world: World, keeper: Keeper) {
  const { accessToken } = await world.rules.sessions.open(keeper.accountId, undefined)
  const caller = admitted(await world.rules.sessions.authenticate(accessToken))
  const heard: CappedList[] = []
  let lastId: string | undefined
  let listening = admitted(world.rules.events.listen(caller, lastId))
  const hear = async () => {
    for (let told = await listening.next(); told.length > 0; told = await listening.next()) {
      assert.ok(told !== 'over')
      lastId = told.at(-1)?.id
      heard.push(...told)
    }
  }
  await hear()
  return {
    heard,
    hear,
    cut() {
      listening.leave()
      listening = admitted(world.rules.events.listen(caller, lastId))
    },
  }
}

describe('whoever was away', () => {
  it(
    'reads the last state of each asset, and hears each change once, however changes, reads and cuts fall',
    inWorld(async (world) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const keeper = await newKeeper(world)
          const assets: AssetId[] = []
          const reader = createReader(world, keeper)
          const hearer = await createHearer(world, keeper)
          for (const each of steps) {
            if ('pick' in each) await change(world, keeper, assets, each)
            else if ('most' in each) await reader.page(each.most)
            else await hearer[each.what]()
          }
          while (await reader.page(3));
          await hearer.hear()
          hearer.cut()
          for (const assetId of assets) {
            const present = await world.rules.assets.get(keeper.accountId, assetId)
            assert.deepEqual(reader.known.get(assetId), isRefusal(present) ? undefined : present)
          }
          assert.equal(reader.known.size, assets.length)
          await assertHeard(world, keeper, hearer.heard)
        }),
        { numRuns: 25 },
      )
    }),
  )
})

/** Every event that was noted while the client listened or was cut off, in order; what tells nothing new may be told later, and fewer times. */
async function assertHeard(world: World, { accountId }: Keeper, heard: readonly CappedList[]): Promise<void> {
  const noted = await world.store.read((tx) => tx.changes.eventsAfter({ accountId, changeSeq: 0, max: 1000 }))
  const told = heard.flatMap(({ event }) => (event === undefined ? [] : [event]))
  const exact = (events: typeof told) => events.filter(({ name }) => name !== 'quota.changed')
  assert.deepEqual(exact(told), exact(noted.map(({ change }) => change)))
  const last = known(noted.at(-1) ?? { changeSeq: 0 })
  assert.equal(heard.at(-1)?.id.split('-')[1], String(last.changeSeq))
}
