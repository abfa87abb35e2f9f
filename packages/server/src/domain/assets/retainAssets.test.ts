import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AssetId, addSeconds, formatInstant, type Instant, parseSessionId } from '@blindkeep/protocol/ids'
import { landProvenance, replacing } from '../../testing/assetSessions.ts'
import { type AlbumOwner, assetOf, landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { keyRules } from '../../testing/signInKeys.ts'
import { beginDeletion, defined, inWorld, type World } from '../../testing/world.ts'

const DAY_SECONDS = 86_400
const content = bytes(30)
const RETAINED = { refused: 'asset_retained' }

const inDays = ({ clock }: World, days: number): Instant => addSeconds(clock.now(), days * DAY_SECONDS)
const retain = ({ rules }: World, { accountId }: Pick<AlbumOwner, 'accountId'>, assetIds: AssetId[], until: Instant) =>
  rules.retainAssets({ accountId }, { assetIds, until })

/** An original with its signed manifest, which may state a retention of so many days. */
async function landSigned(world: World, albumOwner: AlbumOwner, days?: number) {
  const assetId = newAssetId()
  const envelope = days === undefined ? {} : { retention_until: formatInstant(inDays(world, days)) }
  await landBlob(world, albumOwner, content, { assetId, envelope })
  const { position } = await landProvenance(world, albumOwner, { assetId, original: content, envelope })
  return { assetId, position, envelope }
}

const endOf = async (world: World, albumOwner: AlbumOwner, assetId: AssetId) =>
  (await assetOf(world, albumOwner, assetId)).retainedUntil
const feedOf = async ({ rules }: World, { accountId }: AlbumOwner) =>
  notRefused(await rules.feed.page(accountId, { cursor: undefined, max: 999 })).entries

describe('raising the retention of assets', () => {
  it(
    'only raises it, is a change in the feed, and the same request once more is none',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const signed = await Promise.all([5, 20, undefined].map((days) => landSigned(world, albumOwner, days)))
      const [short, long, none] = signed.map(({ assetId }) => assetId)
      const ids = [defined(short), defined(long), defined(none), defined(none)]
      const seen = await feedOf(world, albumOwner)
      const until = inDays(world, 10)
      assert.deepEqual(await retain(world, albumOwner, ids, until), { raised: 2, skipped: [] })
      const ends = () => Promise.all(ids.slice(0, 3).map((assetId) => endOf(world, albumOwner, assetId)))
      assert.deepEqual(await ends(), [until, inDays(world, 20), until])
      const raised = await feedOf(world, albumOwner)
      assert.deepEqual(
        raised.slice(-2).map(({ assetId }) => assetId),
        [short, none],
      )
      assert.equal(raised.length, seen.length)
      for (const [days, expected] of [
        [10, 0],
        [1, 0],
      ] as const)
        assert.deepEqual(await retain(world, albumOwner, ids, inDays(world, days)), { raised: expected, skipped: [] })
      assert.deepEqual(await feedOf(world, albumOwner), raised)
      assert.deepEqual(await ends(), [until, inDays(world, 20), until])
    }),
  )

  it(
    'keeps asset and account until then, and not longer',
    inWorld(async (world) => {
      const { deleteAccount, newAccount } = keyRules(world)
      const accountId = await newAccount()
      const albumOwner = await newAlbumOwner(world, accountId)
      const { assetId } = await landSigned(world, albumOwner)
      notRefused(await retain(world, albumOwner, [assetId], addSeconds(world.clock.now(), 100)))
      world.clock.advance(99.999)
      assert.deepEqual(await world.rules.assets.remove(accountId, assetId), RETAINED)
      assert.deepEqual(await deleteAccount(accountId), RETAINED)
      world.clock.advance(0.001)
      assert.equal(await world.rules.assets.remove(accountId, assetId), undefined)
      assert.equal(await deleteAccount(accountId), undefined)
    }),
  )

  it(
    'skips what the account does not have, has deleted, or no device has signed',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const foreign = await landSigned(world, await newAlbumOwner(world))
      const deleted = await landSigned(world, albumOwner)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, deleted.assetId), undefined)
      const unsigned = newAssetId()
      for (const role of ['original', 'metadata', 'derivative'] as const)
        await landBlob(world, albumOwner, bytes(9), { assetId: unsigned, role })
      const ids = [newAssetId(), foreign.assetId, deleted.assetId, unsigned]
      const until = inDays(world, 1)
      assert.deepEqual(await retain(world, albumOwner, ids, until), { raised: 0, skipped: ids })
      assert.equal(await world.store.read((tx) => tx.assets.retainedUntil(albumOwner.accountId)), undefined)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, unsigned), undefined)
    }),
  )

  it(
    'binds a replacement: its manifest states no earlier end',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, position, envelope } = await landSigned(world, albumOwner, 5)
      const until = inDays(world, 10)
      notRefused(await retain(world, albumOwner, [assetId], until))
      const next = bytes(31)
      const replace = (stated: object) =>
        landBlob(world, albumOwner, next, { assetId, envelope: { ...replacing(next, position), ...stated } })
      await assert.rejects(replace(envelope), /manifest_stale/)
      await replace({ retention_until: formatInstant(until) })
      assert.equal(await endOf(world, albumOwner, assetId), until)
      assert.deepEqual(await world.rules.assets.remove(albumOwner.accountId, assetId), RETAINED)
    }),
  )

  it(
    'is refused beyond the bound, for a time that has passed, and to an account that was deleted meanwhile',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const { assetId } = await landSigned(world, albumOwner)
        const reason = async (until: Instant) => {
          const answer = await retain(world, albumOwner, [assetId], until)
          return 'refused' in answer ? answer.refused : undefined
        }
        const most = inDays(world, 7)
        assert.equal(await reason(addSeconds(most, 0.001)), 'retention_too_long')
        assert.equal(await reason(world.clock.now()), 'request_unprocessable')
        assert.equal(await endOf(world, albumOwner, assetId), undefined)
        assert.equal(await reason(most), undefined)
        const gone = await newAlbumOwner(world)
        const left = await landSigned(world, gone)
        await beginDeletion(world, gone.accountId)
        assert.deepEqual(await retain(world, gone, [left.assetId], most), { refused: 'session_over' })
      },
      { settings: { retentionDaysMax: 7 } },
    ),
  )

  it(
    'costs a session what it raises, and leaves others their share',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const signed = await Promise.all(Array.from({ length: 3 }, () => landSigned(world, albumOwner)))
      const assetIds = signed.map(({ assetId }) => assetId)
      const spender = { accountId: albumOwner.accountId, sessionId: defined(parseSessionId(randomUUID())) }
      const within = (most: number, added: number) =>
        world.rules.rowBudget.within('raises', spender, { most, add: async () => added, addedBy: (count) => count })
      assert.equal(await within(99_999, 99_997), 99_997)
      const until = inDays(world, 3)
      const unknown = assetIds.map(() => newAssetId())
      assert.deepEqual(await world.rules.retainAssets(spender, { assetIds: unknown, until }), {
        raised: 0,
        skipped: unknown,
      })
      assert.deepEqual(await world.rules.retainAssets(spender, { assetIds, until }), { raised: 3, skipped: [] })
      const later = { assetIds, until: inDays(world, 4) }
      const limited = { refused: 'rows_limited', retryAfterSeconds: DAY_SECONDS }
      assert.deepEqual(await world.rules.retainAssets(spender, later), limited)
      const other = { ...spender, sessionId: defined(parseSessionId(randomUUID())) }
      assert.deepEqual(await world.rules.retainAssets(other, later), { raised: 3, skipped: [] })
    }),
  )
})
