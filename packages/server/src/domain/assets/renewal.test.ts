import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { addSeconds, formatInstant, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import {
  assertBooks,
  creation,
  objectsIn,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  assetOf,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  type Overrides,
} from '../../testing/assets.ts'
import { findingsIn } from '../../testing/fsck.ts'
import { accountRow, append, bytes } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import { MAX_RECEIPTS } from './slot.ts'

const original = bytes(100)
const [first, second, third] = [bytes(201), bytes(202), bytes(203)]
type Envelope = Partial<ManifestEnvelope>

/** An asset with a thumbnail and signed metadata, and what a client sends to renew them. */
async function scene(world: World, given: Envelope = {}) {
  const albumOwner = await newAlbumOwner(world)
  const assetId = newAssetId()
  await landBlob(world, albumOwner, original, { assetId, envelope: given })
  await landBlob(world, albumOwner, first, { assetId, role: 'metadata' })
  await landBlob(world, albumOwner, bytes(300), { assetId, role: 'derivative' })
  const named = (metadata: Uint8Array): Envelope => ({ ...given, metadata_blob_hash: sha256(metadata) })
  const sign = (envelope: Envelope) => provenanceFor(world, albumOwner, original, { assetId, envelope })
  const landSigned = async (envelope: Envelope): Promise<Sha256Hex> => {
    const { declared, content } = sign({ original_blob_hash: sha256(original), ...envelope })
    await landBlob(world, albumOwner, content, declared)
    return sha256(content)
  }
  const position = await landSigned(named(first))
  const step = (metadata: Uint8Array, prior = position): Envelope => ({
    ...named(metadata),
    ...replacing(original, prior),
  })
  const findings = () => findingsIn(world.store, { filled: { world, locations: new Map() } })
  return {
    albumOwner,
    assetId,
    position,
    sign,
    landSigned,
    step,
    view: () => assetOf(world, albumOwner, assetId),
    findings,
    books: async () => {
      await assertBooks(world, [albumOwner.accountId], [assetId])
      assert.deepEqual(await findings(), [])
    },
    waitWith: (metadata: Uint8Array, prior = position) =>
      landBlob(world, albumOwner, metadata, { assetId, role: 'metadata', envelope: step(metadata, prior) }),
  }
}

const hashesOf = ({ blobs }: Awaited<ReturnType<typeof assetOf>>, role: string) =>
  blobs.filter((blob) => blob.role === role).map(({ ciphertextHash }) => ciphertextHash)

async function answerTo(world: World, owner: AlbumOwner, { declared, content }: ReturnType<typeof provenanceFor>) {
  const opened = await creation(world, owner, declared)
  if (opened !== 'opened') return opened
  const answer = await append(world, await openDeclared(world, owner, declared), { offset: 0, bytes: content })
  return isRefusal(answer) ? answer.refused : 'landed'
}

describe('metadata that a client replaces', () => {
  it(
    'wait unseen, and are those of the asset when their manifest lands; original and thumbnail stay',
    inWorld(async (world) => {
      const { view, waitWith, landSigned, step, position, books, assetId } = await scene(world)
      const before = await view()
      await waitWith(second)
      assert.deepEqual(await view(), before)
      await books()
      const renewed = await landSigned(step(second))
      const after = await view()
      assert.deepEqual(hashesOf(after, 'metadata'), [sha256(second)])
      assert.deepEqual(hashesOf(after, 'provenance'), [renewed])
      assert.deepEqual(hashesOf(after, 'original'), [sha256(original)])
      assert.equal(hashesOf(after, 'derivative').length, 1)
      assert.ok(after.isComplete)
      assert.ok(after.asset.changedAt >= before.asset.changedAt)
      const { action, prior_provenance_hash: prior, ciphertext_hash: hash, metadata_blob_hash: named } = after.envelope
      assert.deepEqual([action, prior, hash, named], ['replace', position, sha256(original), sha256(second)])
      assert.equal((await objectsIn(world, 'orphaned')).length, 2)
      await books()
      const changed = await world.store.read((tx) =>
        tx.changes.assetsAfter({ accountId: before.asset.accountId, changeSeq: 0, max: 10 }),
      )
      assert.deepEqual(
        changed.map((one) => one.asset.assetId),
        [assetId],
      )
    }),
  )

  it(
    'can be replaced again and again, and thumbnails come in the step of the original or of the manifest',
    inWorld(async (world) => {
      const { albumOwner, assetId, view, waitWith, landSigned, step, books } = await scene(world)
      await waitWith(second)
      const renewed = await landSigned(step(second))
      await waitWith(third, renewed)
      const again = await landSigned(step(third, renewed))
      assert.deepEqual(hashesOf(await view(), 'metadata'), [sha256(third)])
      const derivative = (envelope: Envelope): Overrides => ({ assetId, role: 'derivative', envelope })
      const opened = (envelope: Envelope) =>
        creation(world, albumOwner, declaredFor(world, albumOwner, bytes(5), derivative(envelope)))
      assert.equal(await opened({}), 'opened')
      assert.equal(await opened(replacing(original, renewed)), 'opened')
      assert.equal(await opened(replacing(original, again)), 'manifest_stale')
      await books()
    }),
  )

  it(
    'of two writers, the manifest that lands first counts, and the other is refused',
    inWorld(async (world) => {
      const { albumOwner, view, waitWith, sign, step, books } = await scene(world)
      await waitWith(second)
      const [mine, theirs] = [sign(step(second)), sign(step(third))]
      const early = await openDeclared(world, albumOwner, mine.declared)
      await waitWith(third)
      // The later metadata took the place of those that waited.
      const refused = await answerTo(world, albumOwner, sign({ ...step(second), client_version: 'test/2' }))
      assert.equal(refused, 'manifest_stale')
      assert.equal(await answerTo(world, albumOwner, theirs), 'landed')
      const late = await append(world, early, { offset: 0, bytes: mine.content })
      assert.equal(isRefusal(late) ? late.refused : 'landed', 'manifest_stale')
      assert.deepEqual(hashesOf(await view(), 'metadata'), [sha256(third)])
      assert.equal((await view()).envelope.metadata_blob_hash, sha256(third))
      await books()
    }),
  )

  it(
    'are refused unless they continue from the present manifest, name its original, and agree with it',
    inWorld(async (world) => {
      const { albumOwner, waitWith, sign, step, view } = await scene(world)
      const before = await view()
      assert.equal(await answerTo(world, albumOwner, sign(step(second))), 'manifest_stale', 'no such metadata')
      await waitWith(second)
      const rows: readonly (readonly [string, Envelope])[] = [
        ['another prior manifest', step(second, sha256(bytes(1)))],
        ['no prior manifest', { ...step(second), prior_provenance_hash: null }],
        ['no metadata', { ...step(second), metadata_blob_hash: null }],
        ['another size', { ...step(second), plaintext_size: 7 }],
        ['another epoch', { ...step(second), amk_version: 2 }],
      ]
      for (const [what, envelope] of rows)
        assert.equal(await answerTo(world, albumOwner, sign(envelope)), 'manifest_stale', what)
      assert.deepEqual(await view(), before)
    }),
  )

  it(
    'do not shorten the retention, and a manifest alone may raise it',
    inWorld(async (world) => {
      const day = (days: number) => formatInstant(addSeconds(world.clock.now(), days * 86_400))
      const { albumOwner, assetId, waitWith, sign, landSigned, step, books } = await scene(world, {
        retention_until: day(10),
      })
      await waitWith(second)
      assert.equal(
        await answerTo(world, albumOwner, sign({ ...step(second), retention_until: day(9) })),
        'manifest_stale',
      )
      const renewed = await landSigned(step(second))
      await landSigned({ ...step(second, renewed), retention_until: day(20) })
      await books()
      for (const [days, refused] of [
        [11, 'asset_retained'],
        [21, undefined],
      ] as const) {
        world.clock.set(addSeconds(world.clock.now(), (days === 11 ? 11 : 10) * 86_400))
        const answer = await world.rules.assets.remove(albumOwner.accountId, assetId)
        assert.equal(answer?.refused, refused, `${days}`)
      }
    }),
  )

  it(
    'keep what the retention was raised to beside the signed one',
    inWorld(async (world) => {
      const { albumOwner, assetId, waitWith, landSigned, step, view } = await scene(world)
      const until = addSeconds(world.clock.now(), 86_400)
      await world.rules.retainAssets({ accountId: albumOwner.accountId }, { assetIds: [assetId], until })
      await waitWith(second)
      await landSigned(step(second))
      assert.equal((await view()).retainedUntil, until)
      assert.equal((await world.rules.assets.remove(albumOwner.accountId, assetId))?.refused, 'asset_retained')
    }),
  )

  it(
    'state the retention of the present manifest also where the operator has lowered the bound, and no other',
    inWorld(async (world) => {
      const day = (days: number) => formatInstant(addSeconds(world.clock.now(), days * 86_400))
      const { albumOwner, assetId, step } = await scene(world, { retention_until: day(10) })
      const { uploads } = world.rulesOver({}, { ...world.settings, retentionDaysMax: 0 })
      const spender = await accountRow(world, albumOwner.accountId)
      const answerTo = async (envelope: Envelope) => {
        const declared = declaredFor(world, albumOwner, second, { assetId, role: 'metadata', envelope })
        const answer = await uploads.create(spender, declared)
        return isRefusal(answer) ? answer.refused : 'opened'
      }
      assert.equal(await answerTo({ ...step(second), retention_until: day(11) }), 'retention_too_long')
      assert.equal(await answerTo(step(second)), 'opened')
      const other = await newAlbumOwner(world)
      const declared = declaredFor(world, other, second, { assetId, role: 'metadata', envelope: step(second) })
      const answer = await uploads.create(await accountRow(world, other.accountId), declared)
      assert.equal(isRefusal(answer) && answer.refused, 'retention_too_long', 'another account learns nothing')
    }),
  )

  it(
    'are refused for an asset with as many receipts as a client reads at once',
    inWorld(
      async (world) => {
        const { albumOwner, assetId, step } = await scene(world)
        const sent = declaredFor(world, albumOwner, second, { assetId, role: 'metadata', envelope: step(second) })
        const database = new DatabaseSync(defined(world.databasePath))
        // It has four.
        database.exec(`insert into receipts
          with recursive later (n) as (select 1 union all select n + 1 from later where n < ${MAX_RECEIPTS - 4})
          select receipt_seq + n, printf('%064d', n), x'00', key_id, upload_id || n, drop_id, received_at, asset_id
          from later, (select * from receipts order by receipt_seq desc limit 1)`)
        assert.equal(await creation(world, albumOwner, sent), 'limit_reached')
        database.exec('delete from receipts where receipt_seq = (select max(receipt_seq) from receipts)')
        database.close()
        assert.equal(await creation(world, albumOwner, sent), 'opened')
      },
      { isOnDisk: true },
    ),
  )

  it(
    'that wait go with the asset’s other blobs when a new original lands, and when it is deleted',
    inWorld(async (world) => {
      const { albumOwner, assetId, position, view, waitWith, books } = await scene(world)
      await waitWith(second)
      await landBlob(world, albumOwner, third, { assetId, envelope: replacing(third, position) })
      assert.deepEqual(
        (await view()).blobs.map(({ role }) => role),
        ['original'],
      )
      await books()
      const other = await scene(world)
      await other.waitWith(second)
      await world.rules.assets.remove(other.albumOwner.accountId, other.assetId)
      await assertBooks(world, [albumOwner.accountId, other.albumOwner.accountId], [assetId, other.assetId])
    }),
  )

  it(
    'are missed by fsck when their rows are lost, and the former ones are not',
    inWorld(async (world) => {
      const { view, waitWith, landSigned, step, books, findings } = await scene(world)
      await waitWith(second)
      const renewed = await landSigned(step(second))
      await waitWith(third, renewed)
      world.clock.set(addSeconds(world.clock.now(), world.settings.uploadIdleSeconds + 1))
      await world.rules.sweep.sweep()
      await books()
      for (const role of ['metadata', 'provenance'] as const) {
        const lost = defined((await view()).blobs.find((blob) => blob.role === role))
        await world.store.write([], (tx) => tx.assets.removeBlob(lost.location))
        const missed = (await findings()).filter(({ kind }) => kind === 'receipt_subject_wrong')
        assert.ok(
          missed.some(({ where }) => where.upload_id === lost.uploadId),
          role,
        )
      }
    }),
  )

  it(
    'that no manifest took are released by a sweep',
    inWorld(async (world) => {
      const { view, waitWith, landSigned, step, books } = await scene(world)
      await waitWith(second)
      const before = await view()
      await world.rules.sweep.sweep()
      world.clock.set(addSeconds(world.clock.now(), world.settings.uploadIdleSeconds + 1))
      await world.rules.sweep.sweep()
      await books()
      await assert.rejects(landSigned(step(second)), /manifest_stale/)
      assert.deepEqual(await view(), before)
    }),
  )

  it(
    'that cannot be released keep no others from it',
    inWorld(async (world) => {
      const [broken, other] = [await scene(world), await scene(world)]
      for (const { waitWith } of [broken, other]) await waitWith(second)
      const at = world.clock.now()
      await world.store.write([], async (tx) => {
        const waiting = (await tx.assets.blobsOf(broken.assetId)).find(({ pendingAfter }) => pendingAfter !== undefined)
        await tx.objects.move(defined(waiting).location, { from: 'kept', to: 'deleting', at })
      })
      const later = addSeconds(at, 1)
      await assert.rejects(world.rules.assets.removePending(later, 9), /no kept object/)
      const left = await world.store.read((tx) => tx.assets.pendingBefore(later, 9))
      assert.deepEqual(
        left.map(({ assetId }) => assetId),
        [broken.assetId],
      )
    }),
  )
})
