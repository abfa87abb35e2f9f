import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { BLOB_ROLES } from '@blindkeep/protocol/schemas/receipts'
import fc from 'fast-check'
import { assertBooks, blobRow, provenanceFor, replacing } from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  declaredFor,
  declaredForDrop,
  newAlbumOwner,
  newAssetId,
  newDrop,
  replacingByDrop,
} from '../../testing/assets.ts'
import { accountRow, append, bytes } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { Declared } from './manifest.ts'

/** All operations at once in any order: the books are right afterwards. */
interface Scene {
  readonly world: World
  readonly albumOwners: readonly AlbumOwner[]
  readonly assetIds: readonly AssetId[]
}

type Deed = (scene: Scene) => Promise<unknown>

const contents = Array.from({ length: 4 }, () => bytes(50))
const pick = <Item>(items: readonly Item[], at: number): Item => defined(items[at % items.length])

const index = fc.nat(20)
const uploading = fc
  .record({ who: index, of: index, role: fc.constantFrom(...BLOB_ROLES), content: index, replaces: fc.boolean() })
  .map(
    ({ who, of, role, content, replaces }): Deed =>
      async ({ world, albumOwners, assetIds }) => {
        const albumOwner = pick(albumOwners, who)
        const assetId = pick(assetIds, of)
        const original = pick(contents, content)
        const envelope = replaces ? replacing(original) : { original_blob_hash: sha256(original) }
        const sent = role === 'original' || role === 'provenance' ? original : bytes(30)
        const sending: { declared: Declared; content: Uint8Array } =
          role === 'provenance'
            ? provenanceFor(world, albumOwner, original, { assetId, envelope })
            : { content: sent, declared: declaredFor(world, albumOwner, sent, { assetId, role, envelope }) }
        const created = await world.rules.uploads.create(
          await accountRow(world, albumOwner.accountId),
          sending.declared,
        )
        if (isRefusal(created) || created.offset === sending.content.length) return
        const half = sending.content.length >> 1
        await append(world, created.uploadId, { offset: 0, bytes: sending.content.subarray(0, half) })
        await append(world, created.uploadId, { offset: half, bytes: sending.content.subarray(half) })
      },
  )

const cancelling = fc.tuple(index, index).map(
  ([who, at]): Deed =>
    async ({ world, albumOwners }) => {
      const open = await world.rules.uploads.list(pick(albumOwners, who).accountId)
      if (open.length > 0) await world.rules.ending.cancel(await blobRow(world, pick(open, at).uploadId))
    },
)

const adopting = fc.record({ who: index, of: index, at: index, replaces: fc.boolean() }).map(
  ({ who, of, at, replaces }): Deed =>
    async ({ world, albumOwners, assetIds }) => {
      const albumOwner = pick(albumOwners, who)
      const pending = await world.rules.inbox.list(albumOwner.accountId)
      if (pending.length === 0) return
      const drop = pick(pending, at)
      const overrides = { assetId: pick(assetIds, of), ...(replaces && replacingByDrop(drop)) }
      await adopt(world, albumOwner, drop, declaredForDrop(world, albumOwner, drop, overrides))
    },
)

const discarding = fc.tuple(index, index).map(
  ([who, at]): Deed =>
    async ({ world, albumOwners }) => {
      const { accountId } = pick(albumOwners, who)
      const pending = await world.rules.inbox.list(accountId)
      if (pending.length > 0) await world.rules.inbox.discard(accountId, pick(pending, at).dropId)
    },
)

const deleting = fc.tuple(index, index).map(
  ([who, of]): Deed =>
    async ({ world, albumOwners, assetIds }) => {
      await world.rules.assets.remove(pick(albumOwners, who).accountId, pick(assetIds, of))
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
          const albumOwners = [await newAlbumOwner(world), await newAlbumOwner(world)]
          const assetIds = Array.from({ length: 4 }, newAssetId)
          for (const albumOwner of albumOwners)
            for (const content of contents) await newDrop(world, albumOwner, content)
          const scene = { world, albumOwners, assetIds }
          const outcomes = await Promise.allSettled(deeds.map((deed) => deed(scene)))
          for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
          await assertBooks(
            world,
            albumOwners.map(({ accountId }) => accountId),
            assetIds,
          )
          assert.deepEqual(
            await world.store.read((tx) => tx.uploads.finishing({ by: 'any', at: world.clock.now() })),
            [],
          )
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
