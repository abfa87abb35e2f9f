import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { BLOB_ROLES } from '@blindkeep/protocol/schemas/receipts'
import fc from 'fast-check'
import { assertBooks, blobRow, provenanceFor, replacing } from '../../testing/assetSessions.ts'
import { adopt, declaredFor, type Keeper, newAssetId, newDrop, newKeeper } from '../../testing/assets.ts'
import { accountRow, append, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'
import type { Declared } from './manifest.ts'

/** All operations at once in any order: the books are right afterwards. */
interface Scene {
  readonly world: World
  readonly keepers: readonly Keeper[]
  readonly assetIds: readonly AssetId[]
}

type Deed = (scene: Scene) => Promise<unknown>

const contents = Array.from({ length: 4 }, () => bytes(50))
const pick = <Item>(items: readonly Item[], at: number): Item => known(items[at % items.length])

const index = fc.nat(20)
const uploading = fc
  .record({ who: index, of: index, role: fc.constantFrom(...BLOB_ROLES), content: index, replaces: fc.boolean() })
  .map(
    ({ who, of, role, content, replaces }): Deed =>
      async ({ world, keepers, assetIds }) => {
        const keeper = pick(keepers, who)
        const assetId = pick(assetIds, of)
        const original = pick(contents, content)
        const envelope = replaces ? replacing(original) : { original_blob_hash: sha256(original) }
        const sent = role === 'original' || role === 'provenance' ? original : bytes(30)
        const sending: { declared: Declared; content: Uint8Array } =
          role === 'provenance'
            ? provenanceFor(world, keeper, original, { assetId, envelope })
            : { content: sent, declared: declaredFor(world, keeper, sent, { assetId, role, envelope }) }
        const created = await world.rules.uploads.create(await accountRow(world, keeper.accountId), sending.declared)
        if (isRefusal(created) || created.offset === sending.content.length) return
        const half = sending.content.length >> 1
        await append(world, created.uploadId, { offset: 0, bytes: sending.content.subarray(0, half) })
        await append(world, created.uploadId, { offset: half, bytes: sending.content.subarray(half) })
      },
  )

const cancelling = fc.tuple(index, index).map(
  ([who, at]): Deed =>
    async ({ world, keepers }) => {
      const open = await world.rules.uploads.list(pick(keepers, who).accountId)
      if (open.length > 0) await world.rules.ending.cancel(await blobRow(world, pick(open, at).uploadId))
    },
)

const adopting = fc.record({ who: index, of: index, at: index, replaces: fc.boolean() }).map(
  ({ who, of, at, replaces }): Deed =>
    async ({ world, keepers, assetIds }) => {
      const keeper = pick(keepers, who)
      const pending = await world.rules.inbox.list(keeper.accountId)
      if (pending.length === 0) return
      const drop = pick(pending, at)
      const { ciphertextHash, size } = drop
      const envelope = replaces ? ({ action: 'replace', original_blob_hash: ciphertextHash } as const) : {}
      const over = { assetId: pick(assetIds, of), ciphertextHash, size, envelope }
      await adopt(world, keeper, drop, declaredFor(world, keeper, bytes(0), over))
    },
)

const discarding = fc.tuple(index, index).map(
  ([who, at]): Deed =>
    async ({ world, keepers }) => {
      const { accountId } = pick(keepers, who)
      const pending = await world.rules.inbox.list(accountId)
      if (pending.length > 0) await world.rules.inbox.discard(accountId, pick(pending, at).dropId)
    },
)

const deleting = fc.tuple(index, index).map(
  ([who, of]): Deed =>
    async ({ world, keepers, assetIds }) => {
      await world.rules.assets.remove(pick(keepers, who).accountId, pick(assetIds, of))
    },
)

const sweeping = fc.constant<Deed>(({ world }) => world.rules.sweep.sweep())

const deed = fc.oneof(
  { weight: 10, arbitrary: uploading },
  { weight: 2, arbitrary: cancelling },
  { weight: 3, arbitrary: adopting },
  { weight: 1, arbitrary: discarding },
  { weight: 2, arbitrary: deleting },
  { weight: 1, arbitrary: sweeping },
)

describe('uploads, adoptions, replacements, deletions and cancellations all at once', () => {
  it('never throw, and leave use, objects and reservations consistent with the rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 30, maxLength: 60, size: 'max' }), (deeds) =>
        inWorld(async (world) => {
          const keepers = [await newKeeper(world), await newKeeper(world)]
          const assetIds = Array.from({ length: 4 }, newAssetId)
          for (const keeper of keepers) for (const content of contents) await newDrop(world, keeper, content)
          const scene = { world, keepers, assetIds }
          const outcomes = await Promise.allSettled(deeds.map((deed) => deed(scene)))
          for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
          await assertBooks(
            world,
            keepers.map(({ accountId }) => accountId),
            assetIds,
          )
          assert.deepEqual(await world.store.read((tx) => tx.uploads.finishing()), [])
          await world.rules.sweep.sweep()
          for (const assetId of assetIds) {
            const blobs = await world.store.read((tx) => tx.assets.blobsOf(assetId))
            for (const role of ['original', 'metadata', 'provenance'] as const)
              assert.ok(blobs.filter((blob) => blob.role === role).length <= 1)
            const original = blobs.find(({ role }) => role === 'original')
            for (const { envelope } of original === undefined ? [] : blobs)
              assert.equal(envelope.original_blob_hash ?? original?.ciphertextHash, original?.ciphertextHash)
          }
        })(),
      ),
      { numRuns: Number(process.env.STORM_RUNS ?? 5) },
    )
  })
})
