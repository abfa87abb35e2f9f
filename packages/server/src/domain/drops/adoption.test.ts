import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import type { Store } from '../../ports/store.ts'
import { used } from '../../testing/assetRaces.ts'
import {
  adopt,
  assetOf,
  chargedRows,
  declaredFor,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  replacingByDrop,
} from '../../testing/assets.ts'
import { accountRow, bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const content = bytes(1000)
const NOT_FOUND = { refused: 'drop_not_found' }
const pending = (world: World, accountId: AccountId) => world.rules.inbox.list(accountId)

describe('adopting a drop', () => {
  it(
    'makes it the original of an asset, with a receipt besides that of its landing',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, content)
      const declared = declaredFor(world, albumOwner, content, { keyMode: 'wrapped', contentType: 'image/png' })
      const before = await accountRow(world, albumOwner.accountId)
      assert.equal(await adopt(world, albumOwner, drop, declared), declared.assetId)
      const { asset, blobs } = await assetOf(world, albumOwner, declared.assetId)
      const { dropId, opaqueId, kemCt, receivedAt, uploadId, location } = drop
      assert.deepEqual(asset.drop, { dropId, opaqueId, kemCt, receivedAt })
      assert.deepEqual(
        blobs.map((blob) => [blob.role, blob.location, blob.contentType, blob.envelope]),
        [['original', location, 'image/png', declared.envelope]],
      )
      assert.deepEqual(await pending(world, albumOwner.accountId), [])
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, before.usedBytes)
      const receipts = notRefused(await world.rules.assets.receipts(albumOwner.accountId, declared.assetId))
      assert.deepEqual(
        receipts.map((row) => [row.uploadId, row.dropId, row.assetId]),
        [
          [uploadId, dropId, undefined],
          [uploadId, undefined, declared.assetId],
        ],
      )
      assert.equal(readReceipt(defined(receipts[1]).receiptCbor).ciphertext_hash, drop.ciphertextHash)
    }),
  )

  it(
    'succeeds for one of 64 assets at once; 64 repeats of one request are one adoption',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, content)
      const requests = Array.from({ length: 64 }, () => declaredFor(world, albumOwner, content))
      const answers = await Promise.all(requests.map((declared) => adopt(world, albumOwner, drop, declared)))
      const won = answers.filter((answer) => !isRefusal(answer))
      assert.equal(won.length, 1)
      assert.ok(answers.every((answer) => !isRefusal(answer) || answer.refused === 'drop_not_found'))
      const again = await newDrop(world, albumOwner, bytes(10))
      const same = declaredForDrop(world, albumOwner, again)
      const repeats = await Promise.all(Array.from({ length: 64 }, () => adopt(world, albumOwner, again, same)))
      assert.deepEqual([...new Set(repeats.map(String))], [same.assetId])
      const assets = [...requests.map(({ assetId }) => assetId), same.assetId]
      assert.equal(
        (await accountRow(world, albumOwner.accountId)).usedBytes,
        await chargedRows(world, albumOwner.accountId, assets),
      )
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 1010)
    }),
  )

  it(
    'and discarding it at the same time has one winner, 40 times over',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (let round = 0; round < 40; round++) {
        const drop = await newDrop(world, albumOwner, bytes(10))
        const declared = declaredForDrop(world, albumOwner, drop)
        const [adopted, discarded] = await Promise.all([
          adopt(world, albumOwner, drop, declared),
          world.rules.inbox.discard(albumOwner.accountId, drop.dropId),
        ])
        assert.notEqual(isRefusal(adopted), isRefusal(discarded), 'exactly one of the two succeeds')
        assert.equal(await used(world, albumOwner), isRefusal(adopted) ? 0 : 10)
        if (!isRefusal(adopted)) notRefused(await world.rules.assets.remove(albumOwner.accountId, declared.assetId))
        assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 10)
        await world.rules.bin.empty(albumOwner.accountId)
      }
    }),
  )

  it(
    'is refused in the order of its rules, and does not change the drop',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const drop = await newDrop(world, albumOwner, content)
      const overrides = (more: Parameters<typeof declaredFor>[3]) => declaredFor(world, albumOwner, content, more)
      const taken = newAssetId()
      await landBlob(world, albumOwner, bytes(5), { assetId: taken })
      const cases = [
        ['suite_unknown', overrides({ suiteId: 2, envelope: { created_by_user: stranger.accountId } })],
        ['content_type_unsupported', overrides({ contentType: 'text/html' })],
        ['manifest_mismatch', overrides({ envelope: { file_id: newAssetId() }, albumId: stranger.albumId })],
        ['manifest_invalid', overrides({ envelope: { plaintext_size: 1001, created_by_device: stranger.deviceId } })],
        ['timestamp_out_of_range', overrides({ envelope: { timestamp: '2020-01-01T00:00:00Z' } })],
        [
          'device_not_authorized',
          overrides({ albumId: stranger.albumId, envelope: { created_by_device: stranger.deviceId } }),
        ],
        ['album_not_available', overrides({ albumId: stranger.albumId, size: 5 })],
        ['adoption_mismatch', overrides({ size: 1001, assetId: taken })],
        ['adoption_mismatch', overrides({ ciphertextHash: sha256(bytes(9)), assetId: taken })],
        ['asset_id_taken', overrides({ assetId: taken })],
        ['manifest_stale', overrides({ envelope: { action: 'replace', original_blob_hash: drop.ciphertextHash } })],
      ] as const
      for (const [refused, declared] of cases) {
        const answer = await adopt(world, albumOwner, drop, declared)
        assert.equal(isRefusal(answer) && answer.refused, refused)
      }
      assert.deepEqual(await adopt(world, stranger, drop, declaredFor(world, stranger, content)), NOT_FOUND)
      assert.deepEqual(await pending(world, albumOwner.accountId), [drop])
    }),
  )

  it(
    'replaces an original and gives the charge of all replaced blobs back',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, bytes(300), { assetId })
      await landBlob(world, albumOwner, bytes(20), { assetId, role: 'metadata' })
      const drop = await newDrop(world, albumOwner, content)
      const overrides = { assetId, ...replacingByDrop(drop) }
      notRefused(await adopt(world, albumOwner, drop, declaredForDrop(world, albumOwner, drop, overrides)))
      const { blobs, asset } = await assetOf(world, albumOwner, assetId)
      assert.deepEqual(
        blobs.map(({ role, size }) => [role, size]),
        [['original', 1000]],
      )
      assert.equal(asset.drop?.dropId, drop.dropId)
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 1000)
    }),
  )
})

/** A process that dies after some writes: later writes fail and change nothing. */
function dying(real: Store): { readonly store: Store; dieAfterWrites(count: number): void } {
  let left = Number.POSITIVE_INFINITY
  return {
    store: {
      ...real,
      write: async (locks, work) => (left-- > 0 ? real.write(locks, work) : Promise.reject(new Error('dead'))),
    },
    dieAfterWrites: (count) => {
      left = count
    },
  }
}

describe('an adoption whose process died after it claimed', () => {
  let process: ReturnType<typeof dying> | undefined
  const around = {
    store(real: Store) {
      process = dying(real)
      return process.store
    },
  }

  /** A drop that was claimed and never settled. */
  async function leaveClaimed(world: World) {
    const albumOwner = await newAlbumOwner(world)
    const drop = await newDrop(world, albumOwner, content)
    const declared = declaredFor(world, albumOwner, content)
    defined(process).dieAfterWrites(1)
    await assert.rejects(adopt(world, albumOwner, drop, declared), /dead/)
    assert.notEqual((await pending(world, albumOwner.accountId))[0]?.leasedUntil, undefined)
    defined(process).dieAfterWrites(Number.POSITIVE_INFINITY)
    return { albumOwner, drop, declared, rules: { rules: world.restarted() } }
  }

  it(
    'shows as adopting, and keeps other requests from the drop until the lease has expired',
    inWorld(
      async (world) => {
        const { albumOwner, drop, rules } = await leaveClaimed(world)
        const other = declaredFor(world, albumOwner, content)
        const before = await accountRow(world, albumOwner.accountId)
        assert.deepEqual(await adopt(rules, albumOwner, drop, other), NOT_FOUND)
        assert.deepEqual(await rules.rules.inbox.discard(albumOwner.accountId, drop.dropId), NOT_FOUND)
        world.clock.advance(60)
        assert.equal((await pending(world, albumOwner.accountId))[0]?.leasedUntil !== undefined, true)
        assert.equal(await adopt(rules, albumOwner, drop, other), other.assetId)
        assert.deepEqual(await accountRow(world, albumOwner.accountId), before)
        assert.equal(notRefused(await rules.rules.assets.receipts(albumOwner.accountId, other.assetId)).length, 2)
      },
      { around },
    ),
  )

  it(
    'is completed by the same request at once, and gives way to a discard after the lease',
    inWorld(
      async (world) => {
        const first = await leaveClaimed(world)
        assert.equal(await adopt(first.rules, first.albumOwner, first.drop, first.declared), first.declared.assetId)
        const second = await leaveClaimed(world)
        world.clock.advance(61)
        notRefused(await second.rules.rules.inbox.discard(second.albumOwner.accountId, second.drop.dropId))
        assert.equal(await used(world, second.albumOwner), 0)
      },
      { around },
    ),
  )
})
