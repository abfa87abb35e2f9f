import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import {
  both,
  count,
  heights,
  inOneBatch,
  ROUNDS,
  reasonOf,
  uploadWhole,
  used,
  whole,
} from '../../testing/assetRaces.ts'
import {
  assertBooks,
  assetRow,
  blobRow,
  cancelBlob,
  creation,
  ofOriginal,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  adopt,
  assetOf,
  declaredFor,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  replacingByDrop,
} from '../../testing/assets.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes } from '../../testing/guest.ts'
import { inWorld } from '../../testing/world.ts'

const content = bytes(100)

describe('of requests at once for one asset,', () => {
  it(
    '64 sessions of one role with different hashes admit one',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (const role of ['original', 'metadata', 'provenance'] as const) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        const contents = Array.from({ length: 64 }, () => bytes(100))
        const overrides = role === 'original' ? { assetId } : { ...ofOriginal(role, content), assetId }
        const answers = await Promise.all(
          contents.map((own) => creation(world, albumOwner, declaredFor(world, albumOwner, own, overrides))),
        )
        assert.deepEqual([count(answers, 'opened'), count(answers, 'asset_id_taken')], [1, 63])
      }
      assert.equal(await used(world, albumOwner), 300)
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )

  it(
    '12 accounts admit one, and at most one again when the first gives the id up',
    inWorld(async (world) => {
      const assetId = newAssetId()
      const albumOwners = await Promise.all(Array.from({ length: 12 }, () => newAlbumOwner(world)))
      const ask = () =>
        Promise.all(
          albumOwners.map((albumOwner) =>
            creation(world, albumOwner, declaredFor(world, albumOwner, content, { assetId })),
          ),
        )
      const answers = await ask()
      assert.deepEqual([count(answers, 'opened'), count(answers, 'asset_id_taken')], [1, 11])
      const owner = (await assetRow(world, assetId))?.accountId
      const [open] = await world.store.read((tx) => tx.uploads.unclosedOfAsset(assetId))
      assert.equal(open?.accountId, owner)
      // Given up and requested by all at once: one account has it, or none.
      if (open !== undefined) await Promise.all([cancelBlob(world, open.uploadId), ask()])
      const unclosed = await world.store.read((tx) => tx.uploads.unclosedOfAsset(assetId))
      assert.ok(unclosed.length <= 1)
      assert.equal((await assetRow(world, assetId))?.accountId, unclosed[0]?.accountId)
      await assertBooks(
        world,
        albumOwners.map(({ accountId }) => accountId),
        [assetId],
      )
    }),
  )

  it(
    '33 derivatives and an original land as 32 blobs',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, content, { assetId })
      const derivatives = Array.from({ length: 33 }, () => bytes(9))
      const answers = await Promise.all(
        derivatives.map(async (content) => {
          const declared = declaredFor(world, albumOwner, content, { assetId, role: 'derivative' })
          return uploadWhole(world, albumOwner, declared, content)
        }),
      )
      assert.deepEqual([count(answers, 'done'), count(answers, 'limit_reached')], [31, 2])
      assert.equal((await assetOf(world, albumOwner, assetId)).blobs.length, 32)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )
})

describe('replacing an original', () => {
  it(
    '32 times at once succeeds once, and each time drops all former blobs',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, content, { assetId })
      for (let round = 1; round <= 4; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 32 }, async () => {
            const next = bytes(100 + round)
            const declared = declaredFor(world, albumOwner, next, { assetId, envelope: replacing(next) })
            return uploadWhole(world, albumOwner, declared, next)
          }),
        )
        assert.deepEqual([count(answers, 'done'), count(answers, 'asset_id_taken')], [1, 31])
        assert.equal(await used(world, albumOwner), 100 + round)
        assert.equal((await assetOf(world, albumOwner, assetId)).blobs.length, 1)
      }
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'and landing the provenance of the replaced one has one winner, the first, also in one batch of receipts',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      const ways = ['replacement first', 'provenance first', 'at once', 'in one batch'] as const
      for (let round = 0; round < 2 * ways.length; round += 1) {
        const way = ways[round % ways.length]
        const assetId = newAssetId()
        assetIds.push(assetId)
        await landBlob(world, albumOwner, content, { assetId })
        const next = bytes(50)
        const proof = provenanceFor(world, albumOwner, content, { assetId })
        const proofId = await openDeclared(world, albumOwner, proof.declared)
        const nextId = await openBlob(world, albumOwner, next, { assetId, envelope: replacing(next) })
        const height = await heights(world)
        const replace = () => whole(world, nextId, next)
        const prove = () => whole(world, proofId, proof.content)
        const race = () => both(round >> 2, replace, prove)
        const early = way === 'replacement first' ? await replace() : way === 'provenance first' ? await prove() : ''
        const answers =
          way === 'in one batch'
            ? await inOneBatch(world, albumOwner, { ids: [nextId, proofId], work: race })
            : await race()
        const lost = answers.filter((answer) => answer !== 'done')
        assert.equal(lost.length, 1, way)
        // A replacement ends open sessions; a finishing one finds no slot.
        assert.ok(['manifest_stale', 'upload_not_found'].includes(String(lost[0])), `${way}: ${lost[0]}`)
        assert.equal((await heights(world)) - height, way === 'in one batch' ? 2 : 1)
        const isReplaced = answers[0] === 'done'
        if (early !== '') assert.deepEqual([early, isReplaced], ['done', way === 'replacement first'])
        const { blobs } = await assetOf(world, albumOwner, assetId)
        const [last] = isReplaced ? blobs : blobs.slice(1)
        assert.equal(last?.uploadId, isReplaced ? nextId : proofId)
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )

  it(
    'by upload and by drop at once leaves one original, and a drop that lost stays pending',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await landBlob(world, albumOwner, content, { assetId })
        const drop = await newDrop(world, albumOwner, bytes(10))
        const next = bytes(50)
        const [uploaded, adopted] = await both(
          round,
          async () => {
            const declared = declaredFor(world, albumOwner, next, { assetId, envelope: replacing(next) })
            return uploadWhole(world, albumOwner, declared, next)
          },
          () =>
            adopt(
              world,
              albumOwner,
              drop,
              declaredForDrop(world, albumOwner, drop, { assetId, ...replacingByDrop(drop) }),
            ).then(reasonOf),
        )
        const pending = await world.rules.inbox.list(albumOwner.accountId)
        const { blobs, asset } = await assetOf(world, albumOwner, assetId)
        assert.equal(blobs.length, 1)
        // Both may succeed one after the other, because no provenance is present to name; the last one stays.
        assert.ok(uploaded === 'done' || adopted === 'done')
        assert.equal(
          pending.some(({ dropId }) => dropId === drop.dropId),
          adopted !== 'done',
        )
        assert.equal(asset.drop === undefined, blobs[0]?.size === 50)
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )
})

describe('adopting a drop and uploading the original of the same asset at once', () => {
  it(
    'has one winner in every round',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        const drop = await newDrop(world, albumOwner, content)
        const other = round % 3 === 0 ? content : bytes(60)
        const [uploaded, adopted] = await both(
          round,
          async () => {
            const declared = declaredFor(world, albumOwner, other, { assetId })
            return uploadWhole(world, albumOwner, declared, other)
          },
          () => adopt(world, albumOwner, drop, declaredFor(world, albumOwner, content, { assetId })).then(reasonOf),
        )
        // When the drop has landed the same bytes first, the upload answers with them.
        const outcomes =
          other === content && uploaded === 'done'
            ? [
                ['done', 'done'],
                ['asset_id_taken', 'done'],
              ]
            : [['asset_id_taken', 'done']]
        assert.ok(
          outcomes.some((each) => String(each) === String([uploaded, adopted].toSorted())),
          `${uploaded}, ${adopted}`,
        )
        assert.equal((await assetOf(world, albumOwner, assetId)).blobs.length, 1)
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )
})

describe('a batch of receipts whose commit is reported as failed', () => {
  it('refuses no blob that it vouches for', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [first, second] = [bytes(10), bytes(20)]
        const ids = [await openBlob(world, albumOwner, first), await openBlob(world, albumOwner, second)] as const
        const answers = await inOneBatch(world, albumOwner, {
          ids,
          work: () => Promise.all([whole(world, ids[0], first), whole(world, ids[1], second)]),
          hold: async () => faults.arm('storeWrite', { after: 1, times: 1, isApplied: true }),
        })
        assert.deepEqual(answers, ['done', 'done'])
        assert.equal(await heights(world), 3)
        const assetIds = await Promise.all(ids.map(async (uploadId) => (await blobRow(world, uploadId)).assetId))
        await assertBooks(world, [albumOwner.accountId], assetIds)
      },
      { around: faults.around },
    )()
  })
})
