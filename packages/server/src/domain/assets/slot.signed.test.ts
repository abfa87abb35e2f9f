import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AssetId, addSeconds, formatInstant, parseProtocolVersion, type UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { pendingDrops } from '../../contracts/store/world.ts'
import {
  assertBooks,
  assetRow,
  blobRow,
  landProvenance,
  objectsIn,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  assetOf,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  type Overrides,
} from '../../testing/assets.ts'
import { accountRow, append, bytes } from '../../testing/guest.ts'
import { lockReceiptLog } from '../../testing/receipts.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

/** The envelopes of a provenance and its original agree, whichever of the two comes first. */
const content = bytes(100)
const named = { original_blob_hash: sha256(content) }

type Fields = Partial<ManifestEnvelope>
type Pair = readonly [first: Fields, second: Fields]

const UNTIL = { retention_until: '2026-02-03T04:05:06Z' }
const OTHER: readonly Fields[] = [
  { amk_version: 2 },
  { key_mode: 'wrapped' },
  { plaintext_size: 1 },
  { chunk_size: 4096 },
  UNTIL,
]
const DIFFERENT: readonly Pair[] = [
  ...OTHER.flatMap((fields): Pair[] => [
    [{}, fields],
    [fields, {}],
  ]),
  [UNTIL, { retention_until: '2026-02-03T04:05:06.001Z' }],
]
const ALIKE: readonly Pair[] = [
  ...OTHER.map((fields): Pair => [fields, fields]),
  [{}, { retention_until: null }],
  [{ retention_until: null }, {}],
  // Another notation of the same instant.
  [UNTIL, { retention_until: '2026-02-03T06:05:06.000+02:00' }],
]
const differing = ([first, second]: Pair) => {
  const name = Object.keys({ ...first, ...second })[0]
  return `manifest_stale: ${name} of original and provenance differ`
}

function overrides(assetId: AssetId, fields: Fields): Overrides {
  return { assetId, keyMode: fields.key_mode ?? 'derived', envelope: { ...named, ...fields } }
}

function reasonOf(answer: unknown): string {
  if (!isRefusal(answer)) return 'landed'
  const { refused, detail } = Object(answer)
  return detail === undefined ? refused : `${refused}: ${detail}`
}

/** Sends an original or its provenance to an asset. Resolves with the answer. */
type Way = (world: World, albumOwner: AlbumOwner, assetId: AssetId, fields: Fields) => Promise<string>

const proofOf = (world: World, albumOwner: AlbumOwner, assetId: AssetId, fields: Fields) =>
  provenanceFor(world, albumOwner, content, overrides(assetId, fields))

const prove: Way = async (world, albumOwner, assetId, fields) => {
  const { declared, content } = proofOf(world, albumOwner, assetId, fields)
  const created = await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared)
  if (isRefusal(created)) return reasonOf(created)
  return reasonOf(await append(world, created.uploadId, { offset: 0, bytes: content }))
}

const upload: Way = async (world, albumOwner, assetId, fields) => {
  const declared = declaredFor(world, albumOwner, content, overrides(assetId, fields))
  const created = await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared)
  if (isRefusal(created)) return reasonOf(created)
  return reasonOf(await append(world, created.uploadId, { offset: 0, bytes: content }))
}

/** Adopts the pending drop, or a new one. */
const adoption: Way = async (world, albumOwner, assetId, fields) => {
  const [pending] = await world.store.read((tx) => pendingDrops(tx, albumOwner.accountId))
  const drop = pending ?? (await newDrop(world, albumOwner, content))
  return reasonOf(
    await adopt(world, albumOwner, drop, declaredFor(world, albumOwner, content, overrides(assetId, fields))),
  )
}

const WAYS = [
  ['uploaded', upload],
  ['adopted', adoption],
] as const

/** One asset per pair: the first blob lands, a differing second one is refused, and an agreeing one lands. */
async function eachPair(world: World, first: Way, second: Way): Promise<void> {
  const albumOwner = await newAlbumOwner(world)
  const assetIds: AssetId[] = []
  const begin = async (fields: Fields) => {
    const assetId = newAssetId()
    assetIds.push(assetId)
    assert.equal(await first(world, albumOwner, assetId, fields), 'landed')
    return assetId
  }
  for (const pair of DIFFERENT) {
    const assetId = await begin(pair[0])
    assert.equal(await second(world, albumOwner, assetId, pair[1]), differing(pair))
    assert.equal((await assetOf(world, albumOwner, assetId)).blobs.length, 1)
    assert.equal(await second(world, albumOwner, assetId, pair[0]), 'landed', JSON.stringify(pair))
  }
  for (const pair of ALIKE) {
    const assetId = await begin(pair[0])
    assert.equal(await second(world, albumOwner, assetId, pair[1]), 'landed', JSON.stringify(pair))
  }
  await assertBooks(world, [albumOwner.accountId], assetIds)
}

describe('a provenance and its original', () => {
  for (const [how, original] of WAYS) {
    it(
      `must agree when the original was ${how} before the provenance`,
      inWorld((world) => eachPair(world, original, prove)),
    )

    it(
      `must agree when the original is ${how} after the provenance`,
      inWorld((world) => eachPair(world, prove, original)),
    )
  }

  it(
    'may differ in device, timestamp, client version and protocol version',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const second = { ...(await newAlbumOwner(world, albumOwner.accountId)), albumId: albumOwner.albumId }
      const timestamp = formatInstant(addSeconds(world.clock.now(), 86_400))
      const protocolVersion = defined(parseProtocolVersion('2026-10-31'))
      const fields = { timestamp, client_version: 'test/2', protocol_version: protocolVersion }
      const assetIds = [newAssetId(), newAssetId()] as const
      const proof = (assetId: AssetId) =>
        provenanceFor(world, second, content, { ...overrides(assetId, fields), protocolVersion })
      const sendProof = async (assetId: AssetId) => {
        const { declared, content } = proof(assetId)
        await landBlob(world, second, content, { ...declared, role: 'provenance' })
      }
      assert.equal(await upload(world, albumOwner, assetIds[0], {}), 'landed')
      await sendProof(assetIds[0])
      await sendProof(assetIds[1])
      assert.equal(await upload(world, albumOwner, assetIds[1], {}), 'landed')
      for (const assetId of assetIds) assert.equal((await assetOf(world, albumOwner, assetId)).blobs.length, 2)
    }),
  )

  it(
    'of a replace must agree with each other, not with the replaced ones',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (const fields of OTHER) {
        const assetId = newAssetId()
        await landBlob(world, albumOwner, content, { assetId })
        const { position } = await landProvenance(world, albumOwner, { assetId, original: content })
        const next = bytes(50)
        const step = (other: Fields) => overrides(assetId, { ...replacing(next, position), ...other })
        await landBlob(world, albumOwner, next, step(fields))
        const proofWith = async (other: Fields) => {
          const { declared } = provenanceFor(world, albumOwner, next, step(other))
          return reasonOf(await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared))
        }
        assert.equal(await proofWith({}), differing([fields, {}]))
        assert.equal(await proofWith(fields), 'landed')
      }
    }),
  )
})

describe('a provenance that is uploaded before its original', () => {
  it(
    'must name it, or is refused when it is declared, without a reserved id or a charge',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const refused =
        'manifest_stale: original_blob_hash is missing: a provenance that comes before its original must give it'
      const fresh = newAssetId()
      const unnamed = { original_blob_hash: null }
      assert.equal(await prove(world, albumOwner, fresh, unnamed), refused)
      assert.equal(await assetRow(world, fresh), undefined)
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 0)
      const assetIds = [fresh]
      for (const [, original] of WAYS) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await openBlob(world, albumOwner, bytes(3), { assetId, role: 'metadata' })
        const incoming = await openBlob(world, albumOwner, content, { assetId })
        assert.equal(await prove(world, albumOwner, assetId, unnamed), refused)
        await world.rules.ending.cancel(await blobRow(world, incoming))
        assert.equal(await original(world, albumOwner, assetId, {}), 'landed')
        assert.equal(await prove(world, albumOwner, assetId, unnamed), 'landed')
      }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )
})

describe('of an open provenance and an open original that differ,', () => {
  /** Asserts that the session has failed, without bytes or a receipt. */
  async function assertOver(world: World, uploadId: UploadId, bytes: Uint8Array): Promise<void> {
    const { state, failure, location } = await blobRow(world, uploadId)
    assert.deepEqual([state, failure], ['failed', 'manifest_stale'])
    assert.equal(
      reasonOf(await append({ rules: world.restarted() }, uploadId, { offset: 0, bytes })),
      'manifest_stale: the session has failed and cannot be resumed',
    )
    assert.ok((await objectsIn(world, 'deleting')).includes(location))
    assert.equal(await world.store.read((tx) => tx.receipts.ofUpload(uploadId)), undefined)
  }

  async function openBoth(world: World, albumOwner: AlbumOwner, [fields, other]: Pair) {
    const assetId = newAssetId()
    const proof = proofOf(world, albumOwner, assetId, fields)
    const proofId = await openDeclared(world, albumOwner, proof.declared)
    const originalId = await openBlob(world, albumOwner, content, overrides(assetId, other))
    return {
      assetId,
      proof: { uploadId: proofId, bytes: proof.content },
      original: { uploadId: originalId, bytes: content },
    }
  }

  for (const winner of ['proof', 'original'] as const)
    it(
      `the ${winner} lands first, and the other fails with its last byte and gives its quota back`,
      inWorld(async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const assetIds: AssetId[] = []
        let used = 0
        for (const pair of DIFFERENT) {
          const both = await openBoth(world, albumOwner, pair)
          const { assetId, [winner]: won, [winner === 'proof' ? 'original' : 'proof']: lost } = both
          assetIds.push(assetId)
          assert.equal(reasonOf(await append(world, won.uploadId, { offset: 0, bytes: won.bytes })), 'landed')
          assert.equal(reasonOf(await append(world, lost.uploadId, { offset: 0, bytes: lost.bytes })), differing(pair))
          await assertOver(world, lost.uploadId, lost.bytes)
          used += won.bytes.length
          assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, used)
          const [first] = (await assetOf(world, albumOwner, assetId)).blobs
          assert.equal(first?.uploadId, won.uploadId)
        }
        await assertBooks(world, [albumOwner.accountId], assetIds)
      }),
    )

  it(
    'one lands when their receipts are appended at once, by upload or adoption',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      const countPending = async () => (await world.rules.inbox.list(albumOwner.accountId)).length
      for (const [round, pair] of DIFFERENT.entries())
        for (const [how, original] of WAYS) {
          const assetId = newAssetId()
          assetIds.push(assetId)
          if ((await countPending()) === 0) await newDrop(world, albumOwner, content)
          const both = [
            () => prove(world, albumOwner, assetId, pair[0]),
            () => original(world, albumOwner, assetId, pair[1]),
          ]
          const answers = await atOnce(world, round % 2 === 0 ? both : both.toReversed())
          assert.deepEqual(answers.toSorted(), ['landed', differing(pair)], how)
          const { blobs } = await assetOf(world, albumOwner, assetId)
          assert.equal(blobs.length, 1)
          const isAdopted = how === 'adopted' && blobs[0]?.role === 'original'
          assert.equal(await countPending(), isAdopted ? 0 : 1, 'a drop that lost is still pending')
        }
      await assertBooks(world, [albumOwner.accountId], assetIds)
    }),
  )

  /** Starts all while the receipt log is locked, so that those that get that far wait there for the others. */
  async function atOnce(world: World, all: readonly (() => Promise<string>)[]): Promise<readonly string[]> {
    const log = await lockReceiptLog(world)
    const answers = Promise.all(all.map((start) => start()))
    for (let turn = 0; turn < 300; turn += 1) await new Promise(setImmediate)
    await log.release()
    return answers
  }
})
