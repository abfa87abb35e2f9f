import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { parseAssetId } from '@blindkeep/protocol/ids'
import type { Drop } from '../../ports/store.ts'
import { both, reasonOf, used } from '../../testing/assetRaces.ts'
import { objectsIn } from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  assetOf,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
} from '../../testing/assets.ts'
import { findingsIn } from '../../testing/fsck.ts'
import { accountRow, bytes, land, linkRow, never, newLink, notRefused } from '../../testing/guest.ts'
import { askOne, fileOf, verifyOver } from '../../testing/verify.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'

const GRACE = 86_400
const NOT_FOUND = { refused: 'bin_entry_not_found' }

const findings = (world: World) => findingsIn(world.store, { filled: { world, locations: new Map() } })
const idsIn = async ({ rules }: World, { accountId }: Pick<AlbumOwner, 'accountId'>) =>
  (await rules.bin.list(accountId)).map(({ entryId }) => entryId)

/** A drop of a new owner, that the owner has discarded. */
async function discarded(world: World, given: { readonly owner?: AlbumOwner } = {}) {
  const owner = given.owner ?? (await newAlbumOwner(world))
  const drop = await newDrop(world, owner, bytes(100))
  notRefused(await world.rules.inbox.discard(owner.accountId, drop.dropId))
  return { owner, drop }
}

describe('a discarded drop', () => {
  it(
    'comes back as it was, once, with its charge and without its cap',
    inWorld(async (world) => {
      const { bin, inbox } = world.rules
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, {}, owner)
      for (const size of [3, 4, 5]) {
        await land(world, opaqueId, bytes(size))
        world.clock.advance(1)
      }
      const before = await inbox.list(owner)
      const drop = defined(before[1])
      const caps = await linkRow(world, opaqueId)
      notRefused(await inbox.discard(owner, drop.dropId))
      assert.deepEqual(
        (await bin.list(owner)).map(({ entryId, size, deletedAt, emptiesAt }) => [
          entryId,
          size,
          emptiesAt - deletedAt,
        ]),
        [[drop.dropId, 4, GRACE * 1000]],
      )
      assert.equal((await accountRow(world, owner)).usedBytes, 12)
      world.clock.advance(10)
      await world.rules.sweep.sweep()
      assert.equal(await bin.restore(owner, drop.dropId), undefined)
      assert.equal(await bin.restore(owner, drop.dropId), undefined, 'a repeat')
      assert.deepEqual(await inbox.list(owner), before)
      assert.deepEqual([await bin.list(owner), await bin.bytesOf(owner)], [[], 0])
      assert.deepEqual(await linkRow(world, opaqueId), caps)
      assert.equal((await accountRow(world, owner)).usedBytes, 12)
      assert.deepEqual(await findings(world), [])
      const events = await world.store.read((tx) => tx.changes.eventsAfter({ accountId: owner, changeSeq: 0, max: 99 }))
      const last = events.map(({ change }) => change).filter(({ name }) => name === 'drop.restored')
      assert.deepEqual(last, [{ name: 'drop.restored', dropId: drop.dropId, opaqueId }])
    }),
  )

  it(
    'can be restored until the end of the grace window, and then the space is free',
    inWorld(async (world) => {
      const { owner, drop } = await discarded(world)
      world.clock.advance(GRACE - 1)
      await world.rules.sweep.sweep()
      assert.deepEqual(await idsIn(world, owner), [drop.dropId])
      world.clock.advance(1)
      assert.deepEqual(await world.rules.bin.restore(owner.accountId, drop.dropId), NOT_FOUND)
      assert.deepEqual(await world.rules.bin.content(owner.accountId, drop.dropId, drop.ciphertextHash), NOT_FOUND)
      await rm(fileOf(world, drop))
      assert.deepEqual(
        await world.rules.bin.restore(owner.accountId, drop.dropId),
        NOT_FOUND,
        'its bytes may be deleted',
      )
      await world.rules.sweep.sweep()
      assert.deepEqual(await idsIn(world, owner), [])
      assert.equal((await accountRow(world, owner.accountId)).usedBytes, 0)
    }),
  )

  it(
    'stays as it is when the collector has begun, when bytes are missing, or when the inbox is full',
    inWorld(
      async (world) => {
        const { bin } = world.rules
        const owner = await newAlbumOwner(world)
        const restore = async ({ dropId }: Drop) => reasonOf(await bin.restore(owner.accountId, dropId))
        const [begun, missing, third] = [
          (await discarded(world, { owner })).drop,
          (await discarded(world, { owner })).drop,
          (await discarded(world, { owner })).drop,
        ]
        const at = world.clock.now()
        await world.store.write([], async (tx) => {
          await tx.objects.move(begun.location, { from: 'orphaned', to: 'deleting', at })
        })
        assert.equal(await restore(begun), 'bin_entry_not_found')
        await rm(fileOf(world, missing))
        assert.equal(await restore(missing), 'storage_unavailable')
        await newDrop(world, owner, bytes(7))
        assert.equal(await restore(third), 'inbox_full')
        assert.deepEqual(await idsIn(world, owner), [begun.dropId, missing.dropId, third.dropId])
        assert.equal((await world.rules.inbox.list(owner.accountId)).length, 1)
        assert.equal((await accountRow(world, owner.accountId)).usedBytes, 307)
        await world.rules.inbox.discard(
          owner.accountId,
          defined((await world.rules.inbox.list(owner.accountId))[0]).dropId,
        )
        assert.equal(await restore(third), 'done')
      },
      { settings: { inboxFilesMax: 1 } },
    ),
  )

  it(
    'is in the bin of its owner alone, whose space comes back when it is emptied',
    inWorld(async (world) => {
      const { owner, drop } = await discarded(world)
      const { bin } = world.rules
      const stranger = await newAccount(world)
      assert.deepEqual(await bin.list(stranger), [])
      assert.deepEqual(await bin.restore(stranger, drop.dropId), NOT_FOUND)
      assert.deepEqual(await bin.content(stranger, drop.dropId, drop.ciphertextHash), NOT_FOUND)
      await bin.end(stranger, drop.dropId)
      await bin.empty(stranger)
      const { location } = drop
      const content = notRefused(await bin.content(owner.accountId, drop.dropId, drop.ciphertextHash))
      assert.deepEqual([content.location, content.size], [location, 100])
      await bin.end(owner.accountId, drop.dropId)
      await bin.end(owner.accountId, drop.dropId)
      assert.equal((await accountRow(world, owner.accountId)).usedBytes, 0)
      assert.deepEqual(await bin.restore(owner.accountId, drop.dropId), NOT_FOUND)
      assert.deepEqual(await objectsIn(world, 'orphaned'), [location], 'its bytes wait for their window')
    }),
  )

  it(
    'leaves when the bin is emptied, also after the clock was set back',
    inWorld(async (world) => {
      const { owner } = await discarded(world)
      world.clock.advance(-10)
      await world.rules.bin.empty(owner.accountId)
      assert.deepEqual(await idsIn(world, owner), [])
      assert.equal((await accountRow(world, owner.accountId)).usedBytes, 0)
    }),
  )

  it(
    'that a reader cannot read comes back withheld, until the scrubber has read it intact',
    inWorld(async (world) => {
      const { owner, drop } = await discarded(world)
      await world.rules.scrub.suspect(drop.location)
      assert.equal(await world.rules.bin.restore(owner.accountId, drop.dropId), undefined)
      assert.deepEqual(await world.rules.inbox.list(owner.accountId), [{ ...drop, withheld: 'damaged' }])
      await world.rules.scrub.again(never)
      assert.deepEqual(await world.rules.inbox.list(owner.accountId), [drop])
    }),
  )

  it(
    'is not served while its content is on hold',
    inWorld(async (world) => {
      const { owner, drop } = await discarded(world)
      const { ciphertextHash } = drop
      await world.store.write([], (tx) =>
        tx.holds.add({ ciphertextHash, reason: 'court order', createdAt: world.clock.now() }),
      )
      const content = () => world.rules.bin.content(owner.accountId, drop.dropId, ciphertextHash)
      assert.deepEqual(await content(), { refused: 'blob_withheld' })
      assert.equal(await world.rules.bin.restore(owner.accountId, drop.dropId), undefined)
      assert.deepEqual(await world.rules.inbox.servable(owner.accountId, drop.dropId), { refused: 'blob_withheld' })
    }),
  )

  it(
    'that is restored and removed from the bin at once is either there or gone',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const { bin, inbox } = world.rules
      for (let round = 0; round < 9; round += 1) {
        const { drop } = await discarded(world, { owner })
        const [restored] = await both(
          round,
          () => bin.restore(owner.accountId, drop.dropId).then(reasonOf),
          () => bin.end(owner.accountId, drop.dropId),
        )
        const listed = (await inbox.list(owner.accountId)).length
        assert.deepEqual([restored, listed], restored === 'done' ? ['done', 1] : ['bin_entry_not_found', 0])
        assert.equal((await accountRow(world, owner.accountId)).usedBytes, listed * 100)
        if (listed > 0) await inbox.discard(owner.accountId, drop.dropId)
        await bin.empty(owner.accountId)
      }
      assert.deepEqual(await findings(world), [])
    }),
  )
})

describe('a deleted asset', () => {
  it(
    'comes back with its blobs, its drop and its album, and is durable again, not before',
    inWorld(async (world) => {
      const { albums, assets, bin, feed } = world.rules
      const owner = await newAlbumOwner(world)
      const { accountId, albumId } = owner
      const [assetId, drop] = [newAssetId(), await newDrop(world, owner, bytes(50))]
      notRefused(await adopt(world, owner, drop, declaredForDrop(world, owner, drop, { assetId })))
      await landBlob(world, owner, bytes(20), { assetId, role: 'derivative' })
      assert.equal(await albums.name(accountId, albumId, bytes(9)), undefined)
      const sealedName = defined((await albums.list(accountId))[0]).sealedName
      const before = await assetOf(world, owner, assetId)
      const verdict = async () =>
        (await askOne(verifyOver(world), accountId, { assetId, ciphertextHash: drop.ciphertextHash })).durable
      assert.equal(await verdict(), true)
      notRefused(await assets.remove(accountId, assetId))
      notRefused(await albums.remove(accountId, albumId))
      assert.deepEqual(await assets.get(accountId, assetId), { refused: 'asset_not_found' })
      assert.equal(await verdict(), false)
      world.clock.advance(10)
      await world.rules.sweep.sweep()
      assert.equal(await bin.restore(accountId, assetId), undefined)
      assert.equal(await bin.restore(accountId, assetId), undefined, 'a repeat')
      assert.equal(await verdict(), true)
      const after = await assetOf(world, owner, assetId)
      const { changedAt, ...asset } = before.asset
      assert.deepEqual(after, { ...before, asset: { ...asset, changedAt: world.clock.now() } })
      assert.deepEqual(
        (await albums.list(accountId)).map((album) => [album.albumId, album.sealedName]),
        [[albumId, sealedName]],
      )
      assert.equal(await used(world, owner), 70)
      const { entries } = notRefused(await feed.page(accountId, { cursor: undefined, max: 9 }))
      assert.deepEqual(
        entries.map((entry) => [entry.assetId, entry.view?.blobs.length]),
        [[assetId, 2]],
      )
      assert.deepEqual(await findings(world), [])
    }),
  )

  it(
    'whose id a drop in the bin has is deleted for good',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const { drop } = await discarded(world, { owner })
      const assetId = defined(parseAssetId(drop.dropId))
      await landBlob(world, owner, bytes(20), { assetId })
      assert.deepEqual(await findings(world), [])
      notRefused(await world.rules.assets.remove(owner.accountId, assetId))
      assert.equal((await accountRow(world, owner.accountId)).usedBytes, 100)
      assert.equal(await world.rules.bin.restore(owner.accountId, drop.dropId), undefined)
      assert.deepEqual(await world.rules.assets.get(owner.accountId, assetId), { refused: 'asset_not_found' })
    }),
  )
})
