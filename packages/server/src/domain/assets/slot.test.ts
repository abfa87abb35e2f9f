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
import { declaredFor, landBlob, newAssetId, newKeeper, type Over } from '../../testing/assets.ts'
import { accountRow, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

/** Two contents that an original may have; a companion names one of them, or none. */
const [one, other] = [bytes(20), bytes(20)]
const companions = ['derivative', 'metadata', 'provenance'] as const satisfies readonly BlobRole[]

/** What an asset holds, or has coming, before somebody asks for a place in it. */
type Before = (assetId: AssetId) => Promise<unknown>
type Row = readonly [answer: 'opened' | 'asset_id_taken' | 'manifest_stale', before: string, ...wanted: Over[]]

async function scene(world: World) {
  const keeper = await newKeeper(world)
  const held =
    (content: Uint8Array, over: Over): Before =>
    (assetId) =>
      landBlob(world, keeper, content, { ...over, assetId })
  const coming =
    (content: Uint8Array, over: Over): Before =>
    (assetId) =>
      openBlob(world, keeper, content, { ...over, assetId })
  const provenance =
    (original: Uint8Array): Before =>
    (assetId) => {
      const envelope = { original_blob_hash: sha256(original) }
      return landProvenance(world, keeper, { assetId, original, envelope })
    }
  const states: Readonly<Record<string, Before>> = {
    nothing: async () => undefined,
    'one held': held(one, {}),
    'one coming': coming(one, {}),
    'other coming': coming(other, {}),
    'metadata held': held(bytes(3), { role: 'metadata' }),
    'metadata of one held': held(bytes(3), ofOriginal('metadata', one)),
    'metadata of other held': held(bytes(3), ofOriginal('metadata', other)),
    'metadata coming': coming(bytes(3), { role: 'metadata' }),
    'derivative of one coming': coming(bytes(3), ofOriginal('derivative', one)),
    'derivative of other held': held(bytes(3), ofOriginal('derivative', other)),
    'derivative of other coming': coming(bytes(3), ofOriginal('derivative', other)),
    'provenance of one held': provenance(one),
    'provenance of other held': provenance(other),
    'provenance of other coming': coming(bytes(3), ofOriginal('provenance', other)),
    'one replaced by other': async (assetId) => {
      await held(one, {})(assetId)
      await held(other, { envelope: replacing(other) })(assetId)
    },
  }

  /** One asset a row: in this state, what is wanted gets this answer. */
  async function agree(rows: readonly Row[]): Promise<void> {
    const assetIds: AssetId[] = []
    for (const [answer, before, ...wanted] of rows) {
      for (const over of wanted) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        for (const state of before.split(', ')) await known(states[state])(assetId)
        const content = over.role === undefined ? one : bytes(4)
        const said = `${over.role ?? 'original'} ${JSON.stringify(over.envelope ?? {})} after ${before}`
        assert.equal(
          await creation(world, keeper, declaredFor(world, keeper, content, { ...over, assetId })),
          answer,
          said,
        )
      }
    }
    await assertBooks(world, [keeper.accountId], assetIds)
  }
  return { keeper, held, agree }
}

/** A companion that names this original, or none. */
const naming = (role: BlobRole, original?: Uint8Array): Over =>
  original === undefined ? { role } : ofOriginal(role, original)
const each = (original?: Uint8Array): Over[] => companions.map((role) => naming(role, original))
/** Those that need not name their original to come before it. */
const quiet: Over[] = [naming('derivative'), naming('metadata')]
const replaces = (original: Uint8Array, position?: ReturnType<typeof sha256>): Over => ({
  envelope: replacing(original, position),
})

describe('the place of an original that is new', () => {
  it(
    'is free as long as none is there or coming, and nothing that is names another',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      const wanted: Over[] = [{}, { envelope: { original_blob_hash: sha256(one) } }]
      await agree([
        ['opened', 'nothing', ...wanted],
        ['opened', 'metadata held', ...wanted],
        ['opened', 'metadata coming', ...wanted],
        ['opened', 'metadata of one held, derivative of one coming', ...wanted],
        ['opened', 'provenance of one held', ...wanted],
        ['asset_id_taken', 'other coming', ...wanted],
        ['asset_id_taken', 'metadata of other held', ...wanted],
        ['asset_id_taken', 'derivative of other held', ...wanted],
        ['asset_id_taken', 'derivative of other coming', ...wanted],
        ['asset_id_taken', 'provenance of other held', ...wanted],
        ['asset_id_taken', 'provenance of other coming', ...wanted],
        ['asset_id_taken', 'metadata held, derivative of other coming', ...wanted],
        ['asset_id_taken', 'one replaced by other', ...wanted],
      ])
    }),
  )
})

describe('the place of a companion', () => {
  it(
    'is free in each role once, before the original and after it',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      const metadata = [naming('metadata'), naming('metadata', one)]
      await agree([
        ['opened', 'nothing', ...quiet, ...each(one)],
        ['opened', 'one coming', ...quiet, ...each(one)],
        ['opened', 'one held', ...each(), ...each(one)],
        ['asset_id_taken', 'metadata held', ...metadata],
        ['asset_id_taken', 'metadata coming', ...metadata],
        ['asset_id_taken', 'one held, metadata of one held', ...metadata],
        ['opened', 'metadata held', naming('provenance', one), naming('derivative')],
        ['opened', 'one held, metadata coming', naming('provenance'), naming('derivative')],
        ['asset_id_taken', 'provenance of one held', naming('provenance', one)],
        ['asset_id_taken', 'provenance of other coming', naming('provenance', other)],
        ['opened', 'derivative of one coming', ...quiet, ...each(one)],
      ])
    }),
  )

  it(
    'is where its original is the one that is there, is coming, or is named by others',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      await agree([
        ['manifest_stale', 'one held', ...each(other)],
        ['asset_id_taken', 'one coming', ...each(other)],
        ['asset_id_taken', 'derivative of one coming', ...each(other)],
        ['asset_id_taken', 'derivative of other held', ...each(one)],
        ['asset_id_taken', 'derivative of other coming', ...each(one)],
        // Who names none goes with whatever comes.
        ['opened', 'derivative of other held', ...quiet],
        ['opened', 'derivative of other coming', ...quiet],
        // A provenance has to know which: what it signs is that one.
        ...['nothing', 'one coming', 'metadata held', 'derivative of other held', 'derivative of other coming'].map(
          (before): Row => ['manifest_stale', before, naming('provenance')],
        ),
      ])
    }),
  )

  it(
    'of a replace is there after the original that replaces, and goes on from where that went on',
    inWorld(async (world) => {
      const { keeper, agree, held } = await scene(world)
      const step = (original: Uint8Array, position?: ReturnType<typeof sha256>): Over[] =>
        companions.map((role) => ({ role, ...replaces(original, position) }))
      await agree([
        ['manifest_stale', 'nothing', ...step(one)],
        ['manifest_stale', 'one coming', ...step(one)],
        ['manifest_stale', 'metadata of one held', { role: 'derivative', ...replaces(one) }],
        ['manifest_stale', 'one held', ...step(one), ...step(other)],
        ['opened', 'one replaced by other', ...step(other)],
        ['manifest_stale', 'one replaced by other', ...step(one), ...step(other, sha256(one))],
        ['manifest_stale', 'one replaced by other', ...each(), ...each(other)],
      ])
      const assetId = newAssetId()
      await held(one, {})(assetId)
      const { position } = await landProvenance(world, keeper, { assetId, original: one })
      await held(other, replaces(other, position))(assetId)
      const companion = (over: Over) =>
        creation(world, keeper, declaredFor(world, keeper, bytes(3), { ...over, assetId }))
      for (const over of step(other)) assert.equal(await companion(over), 'manifest_stale')
      for (const over of step(other, sha256(one))) assert.equal(await companion(over), 'manifest_stale')
      for (const over of step(other, position)) assert.equal(await companion(over), 'opened')
    }),
  )
})

describe('the place of an original that replaces', () => {
  it(
    'is there when an original is, and no other is coming',
    inWorld(async (world) => {
      const { agree } = await scene(world)
      await agree([
        ['manifest_stale', 'nothing', replaces(one)],
        ['manifest_stale', 'metadata held', replaces(one)],
        ['manifest_stale', 'provenance of one held', replaces(one)],
        ['asset_id_taken', 'other coming', replaces(one)],
        ['opened', 'one replaced by other', replaces(one)],
        ['manifest_stale', 'one replaced by other', replaces(one, sha256(one))],
      ])
    }),
  )

  it(
    'goes on from the provenance that is there, and from none when there is none',
    inWorld(async (world) => {
      const { keeper, held } = await scene(world)
      const assetId = newAssetId()
      await held(one, {})(assetId)
      const ask = (envelope: Over['envelope']) =>
        creation(world, keeper, declaredFor(world, keeper, other, { assetId, envelope: { ...envelope } }))
      const stale = sha256(bytes(9))
      assert.equal(await ask(replacing(other, stale)), 'manifest_stale')
      const { position } = await landProvenance(world, keeper, { assetId, original: one })
      for (const prior of [undefined, stale, sha256(one)])
        assert.equal(await ask(replacing(other, prior)), 'manifest_stale')
      assert.equal(await ask({ ...replacing(other), prior_provenance_hash: null }), 'manifest_stale')
      await cancelBlob(world, await openBlob(world, keeper, other, { assetId, ...replaces(other, position) }))
      // A provenance that is merely on its way is not yet one to go on from.
      const bare = newAssetId()
      await held(one, {})(bare)
      await openBlob(world, keeper, bytes(3), { assetId: bare, role: 'provenance' })
      const declared = declaredFor(world, keeper, other, { assetId: bare, ...replaces(other) })
      assert.equal(await creation(world, keeper, declared), 'opened')
    }),
  )

  it(
    'is the same content again as that which is there: it has landed already',
    inWorld(async (world) => {
      const { keeper, held } = await scene(world)
      const assetId = newAssetId()
      await held(one, {})(assetId)
      assert.equal(
        await creation(world, keeper, declaredFor(world, keeper, one, { assetId, ...replaces(one) })),
        'present',
      )
    }),
  )

  it(
    'never lets what is retained end earlier, by its original or by what came with it',
    inWorld(async (world) => {
      const { keeper } = await scene(world)
      const until = Date.UTC(2030, 0, 1)
      const at = (ms: number) => formatInstant(instantOf(until + ms))
      for (const role of ['original', 'metadata', 'derivative'] as const) {
        const assetId = newAssetId()
        await landBlob(world, keeper, one, { assetId })
        if (role === 'original')
          await landBlob(world, keeper, other, { assetId, envelope: { ...replacing(other), retention_until: at(0) } })
        else await landBlob(world, keeper, bytes(3), { assetId, role, envelope: { retention_until: at(0) } })
        const next = bytes(20)
        const ask = async (retention?: string | null) => {
          const retained = retention === undefined ? {} : { retention_until: retention }
          const declared = declaredFor(world, keeper, next, { assetId, envelope: { ...replacing(next), ...retained } })
          const answer = await world.rules.uploads.create(await accountRow(world, keeper.accountId), declared)
          if (!isRefusal(answer)) await cancelBlob(world, answer.uploadId)
          return isRefusal(answer) ? answer.refused : 'opened'
        }
        for (const earlier of [undefined, null, at(-1), '2029-12-31T23:59:59Z', '2030-01-01T00:00:00+00:01'])
          assert.equal(await ask(earlier), 'manifest_stale', `${earlier} after a ${role}`)
        for (const later of [at(0), at(1), '2030-01-01T01:00:00+01:00', '9999-12-31T23:59:59Z'])
          assert.equal(await ask(later), 'opened', `${later} after a ${role}`)
      }
    }),
  )
})
