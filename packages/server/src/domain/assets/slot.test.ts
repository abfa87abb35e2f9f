import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AssetId, formatInstant, instantOf } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import {
  assertBooks,
  cancelBlob,
  creation,
  landProvenance,
  ofOriginal,
  openBlob,
  replacing,
} from '../../testing/assetSessions.ts'
import { declaredFor, landBlob, newAlbumOwner, newAssetId, type Overrides } from '../../testing/assets.ts'
import { accountRow, bytes } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

/** Two contents that an original may have; a companion names one of them, or none. */
const [one, other] = [bytes(20), bytes(20)]
const companions = ['derivative', 'metadata', 'provenance'] as const satisfies readonly BlobRole[]

/** Brings an asset into a state before a candidate is judged. */
type Before = (assetId: AssetId) => Promise<unknown>
type Row = readonly [answer: 'opened' | 'asset_id_taken' | 'manifest_stale', before: string, ...candidates: Overrides[]]

async function scene(world: World) {
  const albumOwner = await newAlbumOwner(world)
  const landed =
    (content: Uint8Array, overrides: Overrides): Before =>
    (assetId) =>
      landBlob(world, albumOwner, content, { ...overrides, assetId })
  const open =
    (content: Uint8Array, overrides: Overrides): Before =>
    (assetId) =>
      openBlob(world, albumOwner, content, { ...overrides, assetId })
  const provenance =
    (original: Uint8Array): Before =>
    (assetId) => {
      const envelope = { original_blob_hash: sha256(original) }
      return landProvenance(world, albumOwner, { assetId, original, envelope })
    }
  const states: Readonly<Record<string, Before>> = {
    nothing: async () => undefined,
    'one landed': landed(one, {}),
    'one open': open(one, {}),
    'other open': open(other, {}),
    'metadata landed': landed(bytes(3), { role: 'metadata' }),
    'metadata of one landed': landed(bytes(3), ofOriginal('metadata', one)),
    'metadata of other landed': landed(bytes(3), ofOriginal('metadata', other)),
    'metadata open': open(bytes(3), { role: 'metadata' }),
    'derivative of one open': open(bytes(3), ofOriginal('derivative', one)),
    'derivative of other landed': landed(bytes(3), ofOriginal('derivative', other)),
    'derivative of other open': open(bytes(3), ofOriginal('derivative', other)),
    'provenance of one landed': provenance(one),
    'provenance of other landed': provenance(other),
    'provenance of other open': open(bytes(3), ofOriginal('provenance', other)),
    'one replaced by other': async (assetId) => {
      await landed(one, {})(assetId)
      await landed(other, { envelope: replacing(other) })(assetId)
    },
  }

  /** Asserts the answer to each candidate, each in an asset of its own in the row's state. */
  async function agree(rows: readonly Row[]): Promise<void> {
    const assetIds: AssetId[] = []
    for (const [answer, before, ...candidates] of rows) {
      for (const overrides of candidates) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        for (const state of before.split(', ')) await defined(states[state])(assetId)
        const content = overrides.role === undefined ? one : bytes(4)
        const message = `${overrides.role ?? 'original'} ${JSON.stringify(overrides.envelope ?? {})} after ${before}`
        assert.equal(
          await creation(world, albumOwner, declaredFor(world, albumOwner, content, { ...overrides, assetId })),
          answer,
          message,
        )
      }
    }
    await assertBooks(world, [albumOwner.accountId], assetIds)
  }
  return { albumOwner, landed, agree }
}

/** A companion that names this original, or none. */
const naming = (role: BlobRole, original?: Uint8Array): Overrides =>
  original === undefined ? { role } : ofOriginal(role, original)
const each = (original?: Uint8Array): Overrides[] => companions.map((role) => naming(role, original))
/** Companions that need not name their original to come before it. */
const unnamed: Overrides[] = [naming('derivative'), naming('metadata')]
const replaces = (original: Uint8Array, position?: ReturnType<typeof sha256>): Overrides => ({
  envelope: replacing(original, position),
})

describe('the slot of a new original', () => {
  it(
    'is free while no original is present or incoming, and no other blob names another one',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      const candidates: Overrides[] = [{}, { envelope: { original_blob_hash: sha256(one) } }]
      await agree([
        ['opened', 'nothing', ...candidates],
        ['opened', 'metadata landed', ...candidates],
        ['opened', 'metadata open', ...candidates],
        ['opened', 'metadata of one landed, derivative of one open', ...candidates],
        ['opened', 'provenance of one landed', ...candidates],
        ['asset_id_taken', 'other open', ...candidates],
        ['asset_id_taken', 'metadata of other landed', ...candidates],
        ['asset_id_taken', 'derivative of other landed', ...candidates],
        ['asset_id_taken', 'derivative of other open', ...candidates],
        ['asset_id_taken', 'provenance of other landed', ...candidates],
        ['asset_id_taken', 'provenance of other open', ...candidates],
        ['asset_id_taken', 'metadata landed, derivative of other open', ...candidates],
        ['asset_id_taken', 'one replaced by other', ...candidates],
      ])
    }),
  )
})

describe('the slot of a companion', () => {
  it(
    'is free once per role, before the original and after it',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      const metadata = [naming('metadata'), naming('metadata', one)]
      await agree([
        ['opened', 'nothing', ...unnamed, ...each(one)],
        ['opened', 'one open', ...unnamed, ...each(one)],
        ['opened', 'one landed', ...each(), ...each(one)],
        ['asset_id_taken', 'metadata landed', ...metadata],
        ['asset_id_taken', 'metadata open', ...metadata],
        ['asset_id_taken', 'one landed, metadata of one landed', ...metadata],
        ['opened', 'metadata landed', naming('provenance', one), naming('derivative')],
        ['opened', 'one landed, metadata open', naming('provenance'), naming('derivative')],
        ['asset_id_taken', 'provenance of one landed', naming('provenance', one)],
        ['asset_id_taken', 'provenance of other open', naming('provenance', other)],
        ['opened', 'derivative of one open', ...unnamed, ...each(one)],
      ])
    }),
  )

  it(
    'requires that it names the present or incoming original, or the one that others name',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      await agree([
        ['manifest_stale', 'one landed', ...each(other)],
        ['asset_id_taken', 'one open', ...each(other)],
        ['asset_id_taken', 'derivative of one open', ...each(other)],
        ['asset_id_taken', 'derivative of other landed', ...each(one)],
        ['asset_id_taken', 'derivative of other open', ...each(one)],
        // A companion that names none fits any original.
        ['opened', 'derivative of other landed', ...unnamed],
        ['opened', 'derivative of other open', ...unnamed],
        // A provenance must name its original, because it signs that one.
        ...['nothing', 'one open', 'metadata landed', 'derivative of other landed', 'derivative of other open'].map(
          (before): Row => ['manifest_stale', before, naming('provenance')],
        ),
      ])
    }),
  )

  it(
    'of a replace is free after the original that replaces, if it continues the same provenance',
    inWorld(async (world) => {
      const { albumOwner, agree, landed } = await scene(world)
      const step = (original: Uint8Array, position?: ReturnType<typeof sha256>): Overrides[] =>
        companions.map((role) => ({ role, ...replaces(original, position) }))
      await agree([
        ['manifest_stale', 'nothing', ...step(one)],
        ['manifest_stale', 'one open', ...step(one)],
        ['manifest_stale', 'metadata of one landed', { role: 'derivative', ...replaces(one) }],
        ['manifest_stale', 'one landed', ...step(one), ...step(other)],
        ['opened', 'one replaced by other', ...step(other)],
        ['manifest_stale', 'one replaced by other', ...step(one), ...step(other, sha256(one))],
        ['manifest_stale', 'one replaced by other', ...each(), ...each(other)],
      ])
      const assetId = newAssetId()
      await landed(one, {})(assetId)
      const { position } = await landProvenance(world, albumOwner, { assetId, original: one })
      await landed(other, replaces(other, position))(assetId)
      const companion = (overrides: Overrides) =>
        creation(world, albumOwner, declaredFor(world, albumOwner, bytes(3), { ...overrides, assetId }))
      for (const overrides of step(other)) assert.equal(await companion(overrides), 'manifest_stale')
      for (const overrides of step(other, sha256(one))) assert.equal(await companion(overrides), 'manifest_stale')
      for (const overrides of step(other, position)) assert.equal(await companion(overrides), 'opened')
    }),
  )
})

describe('the slot of an original that replaces', () => {
  it(
    'is free when an original is present and none is incoming',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      await agree([
        ['manifest_stale', 'nothing', replaces(one)],
        ['manifest_stale', 'metadata landed', replaces(one)],
        ['manifest_stale', 'provenance of one landed', replaces(one)],
        ['asset_id_taken', 'other open', replaces(one)],
        ['opened', 'one replaced by other', replaces(one)],
        ['manifest_stale', 'one replaced by other', replaces(one, sha256(one))],
      ])
    }),
  )

  it(
    'requires the hash of the present provenance, or none when none is present',
    inWorld(async (world) => {
      const { albumOwner, landed } = await scene(world)
      const assetId = newAssetId()
      await landed(one, {})(assetId)
      const ask = (envelope: Overrides['envelope']) =>
        creation(world, albumOwner, declaredFor(world, albumOwner, other, { assetId, envelope: { ...envelope } }))
      const stale = sha256(bytes(9))
      assert.equal(await ask(replacing(other, stale)), 'manifest_stale')
      const { position } = await landProvenance(world, albumOwner, { assetId, original: one })
      for (const prior of [undefined, stale, sha256(one)])
        assert.equal(await ask(replacing(other, prior)), 'manifest_stale')
      assert.equal(await ask({ ...replacing(other), prior_provenance_hash: null }), 'manifest_stale')
      await cancelBlob(world, await openBlob(world, albumOwner, other, { assetId, ...replaces(other, position) }))
      // An incoming provenance does not count.
      const bare = newAssetId()
      await landed(one, {})(bare)
      await openBlob(world, albumOwner, bytes(3), { assetId: bare, role: 'provenance' })
      const declared = declaredFor(world, albumOwner, other, { assetId: bare, ...replaces(other) })
      assert.equal(await creation(world, albumOwner, declared), 'opened')
    }),
  )

  it(
    'is already taken by the landed session when the content is the same',
    inWorld(async (world) => {
      const { albumOwner, landed } = await scene(world)
      const assetId = newAssetId()
      await landed(one, {})(assetId)
      assert.equal(
        await creation(world, albumOwner, declaredFor(world, albumOwner, one, { assetId, ...replaces(one) })),
        'present',
      )
    }),
  )

  it(
    'never shortens the retention of a signed manifest, also while the provenance of a replacement is not there yet',
    inWorld(async (world) => {
      const { albumOwner } = await scene(world)
      const until = Date.UTC(2027, 0, 1)
      const at = (ms: number) => formatInstant(instantOf(until + ms))
      for (const replacements of [0, 1, 2]) {
        const [assetId, envelope] = [newAssetId(), { retention_until: at(0) }]
        await landBlob(world, albumOwner, one, { assetId, envelope })
        const { position } = await landProvenance(world, albumOwner, { assetId, original: one, envelope })
        for (let count = 1; count <= replacements; count += 1) {
          const prior = count === 1 ? position : undefined
          await landBlob(world, albumOwner, other, { assetId, envelope: { ...replacing(other, prior), ...envelope } })
        }
        const next = bytes(20)
        const ask = async (retention?: string | null) => {
          const retained = retention === undefined ? {} : { retention_until: retention }
          const declared = declaredFor(world, albumOwner, next, {
            assetId,
            envelope: { ...replacing(next, replacements > 0 ? undefined : position), ...retained },
          })
          const answer = await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared)
          if (!isRefusal(answer)) await cancelBlob(world, answer.uploadId)
          return isRefusal(answer) ? answer.refused : 'opened'
        }
        for (const earlier of [undefined, null, at(-1), '2026-12-31T23:59:59Z', '2027-01-01T00:00:00+00:01'])
          assert.equal(await ask(earlier), 'manifest_stale', `${earlier} after ${replacements}`)
        for (const later of [at(0), at(1), '2027-01-01T01:00:00+01:00', '2027-06-01T23:59:59Z'])
          assert.equal(await ask(later), 'opened', `${later} after ${replacements}`)
      }
    }),
  )
})
