import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AssetId, addSeconds, formatInstant, parseProtocolVersion, type UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
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
  adopt,
  assetOf,
  declaredFor,
  type Keeper,
  landBlob,
  newAssetId,
  newDrop,
  newKeeper,
  type Over,
} from '../../testing/assets.ts'
import { createGate } from '../../testing/faults.ts'
import { accountRow, append, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

/** A provenance says of its original what the envelope of that says, whichever of the two comes first. */
const content = bytes(100)
const named = { original_blob_hash: sha256(content) }

type Says = Partial<ManifestEnvelope>
type Pair = readonly [first: Says, second: Says]

const UNTIL = { retention_until: '2026-02-03T04:05:06Z' }
const OTHER: readonly Says[] = [
  { amk_version: 2 },
  { key_mode: 'wrapped' },
  { plaintext_size: 1 },
  { chunk_size: 4096 },
  UNTIL,
]
const DIFFERENT: readonly Pair[] = [
  ...OTHER.flatMap((says): Pair[] => [
    [{}, says],
    [says, {}],
  ]),
  [UNTIL, { retention_until: '2026-02-03T04:05:06.001Z' }],
]
const ALIKE: readonly Pair[] = [
  ...OTHER.map((says): Pair => [says, says]),
  [{}, { retention_until: null }],
  [{ retention_until: null }, {}],
  // The same instant in other words.
  [UNTIL, { retention_until: '2026-02-03T06:05:06.000+02:00' }],
]
const differing = ([first, second]: Pair) => {
  const name = Object.keys({ ...first, ...second })[0]
  return `manifest_stale: ${name} of original and provenance differ`
}

function over(assetId: AssetId, says: Says): Over {
  return { assetId, keyMode: says.key_mode ?? 'derived', envelope: { ...named, ...says } }
}

function reasonOf(answer: unknown): string {
  if (!isRefusal(answer)) return 'landed'
  const { refused, detail } = Object(answer)
  return detail === undefined ? refused : `${refused}: ${detail}`
}

/** How an original or its provenance comes to an asset, and what is answered. */
type Way = (world: World, keeper: Keeper, assetId: AssetId, says: Says) => Promise<string>

const proofOf = (world: World, keeper: Keeper, assetId: AssetId, says: Says) =>
  provenanceFor(world, keeper, content, over(assetId, says))

const prove: Way = async (world, keeper, assetId, says) => {
  const { declared, content } = proofOf(world, keeper, assetId, says)
  const created = await world.rules.uploads.create(await accountRow(world, keeper.accountId), declared)
  if (isRefusal(created)) return reasonOf(created)
  return reasonOf(await append(world, created.uploadId, { offset: 0, bytes: content }))
}

const upload: Way = async (world, keeper, assetId, says) => {
  const declared = declaredFor(world, keeper, content, over(assetId, says))
  const created = await world.rules.uploads.create(await accountRow(world, keeper.accountId), declared)
  if (isRefusal(created)) return reasonOf(created)
  return reasonOf(await append(world, created.uploadId, { offset: 0, bytes: content }))
}

/** The drop that waits, or a new one. */
const adoption: Way = async (world, keeper, assetId, says) => {
  const [waiting] = await world.store.read((tx) => tx.drops.pendingOf(keeper.accountId))
  const drop = waiting ?? (await newDrop(world, keeper, content))
  return reasonOf(await adopt(world, keeper, drop, declaredFor(world, keeper, content, over(assetId, says))))
}

const WAYS = [
  ['uploaded', upload],
  ['adopted', adoption],
] as const

/** One asset for each pair: what came first stands, what comes second is answered so, and once it says the same it lands. */
async function eachPair(world: World, first: Way, second: Way): Promise<void> {
  const keeper = await newKeeper(world)
  const assetIds: AssetId[] = []
  const begin = async (says: Says) => {
    const assetId = newAssetId()
    assetIds.push(assetId)
    assert.equal(await first(world, keeper, assetId, says), 'landed')
    return assetId
  }
  for (const pair of DIFFERENT) {
    const assetId = await begin(pair[0])
    assert.equal(await second(world, keeper, assetId, pair[1]), differing(pair))
    assert.equal((await assetOf(world, keeper, assetId)).blobs.length, 1)
    assert.equal(await second(world, keeper, assetId, pair[0]), 'landed', JSON.stringify(pair))
  }
  for (const pair of ALIKE) {
    const assetId = await begin(pair[0])
    assert.equal(await second(world, keeper, assetId, pair[1]), 'landed', JSON.stringify(pair))
  }
  await assertBooks(world, [keeper.accountId], assetIds)
}

describe('a provenance and its original', () => {
  for (const [how, original] of WAYS) {
    it(
      `have to say the same of it when the original was ${how} and the provenance comes after it`,
      inWorld((world) => eachPair(world, original, prove)),
    )

    it(
      `have to say the same of it when the provenance was there and the original is ${how} after it`,
      inWorld((world) => eachPair(world, prove, original)),
    )
  }

  it(
    'may be of two devices, at two times, by two versions',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const second = { ...(await newKeeper(world, keeper.accountId)), albumId: keeper.albumId }
      const timestamp = formatInstant(addSeconds(world.clock.now(), 86_400))
      const protocolVersion = known(parseProtocolVersion('2026-10-31'))
      const says = { timestamp, client_version: 'test/2', protocol_version: protocolVersion }
      const assetIds = [newAssetId(), newAssetId()] as const
      const proof = (assetId: AssetId) =>
        provenanceFor(world, second, content, { ...over(assetId, says), protocolVersion })
      const sendProof = async (assetId: AssetId) => {
        const { declared, content } = proof(assetId)
        await landBlob(world, second, content, { ...declared, role: 'provenance' })
      }
      assert.equal(await upload(world, keeper, assetIds[0], {}), 'landed')
      await sendProof(assetIds[0])
      await sendProof(assetIds[1])
      assert.equal(await upload(world, keeper, assetIds[1], {}), 'landed')
      for (const assetId of assetIds) assert.equal((await assetOf(world, keeper, assetId)).blobs.length, 2)
    }),
  )

  it(
    'of a replace have to agree with each other, and not with what was there before',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      for (const says of OTHER) {
        const assetId = newAssetId()
        await landBlob(world, keeper, content, { assetId })
        const { position } = await landProvenance(world, keeper, { assetId, original: content })
        const next = bytes(50)
        const step = (other: Says) => over(assetId, { ...replacing(next, position), ...other })
        await landBlob(world, keeper, next, step(says))
        const proofWith = async (other: Says) => {
          const { declared } = provenanceFor(world, keeper, next, step(other))
          return reasonOf(await world.rules.uploads.create(await accountRow(world, keeper.accountId), declared))
        }
        assert.equal(await proofWith({}), differing([says, {}]))
        assert.equal(await proofWith(says), 'landed')
      }
    }),
  )
})

describe('a provenance that comes before its original', () => {
  it(
    'names it, or is refused when it is declared, and neither the id nor any byte is kept for it',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const refused =
        'manifest_stale: original_blob_hash is missing, which a provenance gives that comes before its original'
      const fresh = newAssetId()
      const silent = { original_blob_hash: null }
      assert.equal(await prove(world, keeper, fresh, silent), refused)
      assert.equal(await assetRow(world, fresh), undefined)
      assert.equal((await accountRow(world, keeper.accountId)).usedBytes, 0)
      const assetIds = [fresh]
      for (const [, original] of WAYS) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await openBlob(world, keeper, bytes(3), { assetId, role: 'metadata' })
        const coming = await openBlob(world, keeper, content, { assetId })
        assert.equal(await prove(world, keeper, assetId, silent), refused)
        await world.rules.ending.cancel(await blobRow(world, coming))
        assert.equal(await original(world, keeper, assetId, {}), 'landed')
        assert.equal(await prove(world, keeper, assetId, silent), 'landed')
      }
      await assertBooks(world, [keeper.accountId], assetIds)
    }),
  )
})

describe('of a provenance and an original that differ and are both on their way', () => {
  /** The session is over for good, and nothing is left of it. */
  async function assertOver(world: World, uploadId: UploadId, bytes: Uint8Array): Promise<void> {
    const { state, failure, location } = await blobRow(world, uploadId)
    assert.deepEqual([state, failure], ['failed', 'manifest_stale'])
    assert.equal(
      reasonOf(await append({ rules: world.restarted() }, uploadId, { offset: 0, bytes })),
      'manifest_stale: the session failed and is over',
    )
    assert.ok((await objectsIn(world, 'deleting')).includes(location))
    assert.equal(await world.store.read((tx) => tx.receipts.ofUpload(uploadId)), undefined)
  }

  async function openBoth(world: World, keeper: Keeper, [says, other]: Pair) {
    const assetId = newAssetId()
    const proof = proofOf(world, keeper, assetId, says)
    const proofId = await openDeclared(world, keeper, proof.declared)
    const originalId = await openBlob(world, keeper, content, over(assetId, other))
    return {
      assetId,
      proof: { uploadId: proofId, bytes: proof.content },
      original: { uploadId: originalId, bytes: content },
    }
  }

  for (const winner of ['proof', 'original'] as const)
    it(
      `the ${winner} that lands first stands, and the other fails with its last byte and gives everything back`,
      inWorld(async (world) => {
        const keeper = await newKeeper(world)
        const assetIds: AssetId[] = []
        let used = 0
        for (const pair of DIFFERENT) {
          const both = await openBoth(world, keeper, pair)
          const { assetId, [winner]: won, [winner === 'proof' ? 'original' : 'proof']: lost } = both
          assetIds.push(assetId)
          assert.equal(reasonOf(await append(world, won.uploadId, { offset: 0, bytes: won.bytes })), 'landed')
          assert.equal(reasonOf(await append(world, lost.uploadId, { offset: 0, bytes: lost.bytes })), differing(pair))
          await assertOver(world, lost.uploadId, lost.bytes)
          used += won.bytes.length
          assert.equal((await accountRow(world, keeper.accountId)).usedBytes, used)
          const [first] = (await assetOf(world, keeper, assetId)).blobs
          assert.equal(first?.uploadId, won.uploadId)
        }
        await assertBooks(world, [keeper.accountId], assetIds)
      }),
    )

  it(
    'one lands when their receipts are appended at once, by an upload or by an adoption',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const assetIds: AssetId[] = []
      const waits = async () => (await world.rules.inbox.list(keeper.accountId)).length
      for (const [round, pair] of DIFFERENT.entries())
        for (const [how, original] of WAYS) {
          const assetId = newAssetId()
          assetIds.push(assetId)
          if ((await waits()) === 0) await newDrop(world, keeper, content)
          const both = [() => prove(world, keeper, assetId, pair[0]), () => original(world, keeper, assetId, pair[1])]
          const answers = await atOnce(world, round % 2 === 0 ? both : both.toReversed())
          assert.deepEqual(answers.toSorted(), ['landed', differing(pair)], how)
          const { blobs } = await assetOf(world, keeper, assetId)
          assert.equal(blobs.length, 1)
          const isAdopted = how === 'adopted' && blobs[0]?.role === 'original'
          assert.equal(await waits(), isAdopted ? 0 : 1, 'a drop that lost still waits')
        }
      await assertBooks(world, [keeper.accountId], assetIds)
    }),
  )

  /** Runs all while the log of receipts is held, so that what gets that far waits there for the others. */
  async function atOnce(world: World, all: readonly (() => Promise<string>)[]): Promise<readonly string[]> {
    const [isHeld, gate] = [createGate(), createGate()]
    const log = world.store.withReceiptLogLock(async () => {
      isHeld.open()
      await gate.passed
    })
    await isHeld.passed
    const answers = Promise.all(all.map((start) => start()))
    for (let turn = 0; turn < 300; turn += 1) await new Promise(setImmediate)
    gate.open()
    await log
    return answers
  }
})
