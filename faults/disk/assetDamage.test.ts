import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import type { StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { jsonOf, pause } from '../harness/api.ts'
import { planAdoption, sendAdoption } from '../harness/assets/adopt.ts'
import { acknowledgedBlobsOf, newAsset } from '../harness/assets/assetLedger.ts'
import { ownBlob, uploadBlob } from '../harness/assets/uploadBlob.ts'
import type { Asset, Link } from '../harness/ledger.ts'
import { createWorld, type World } from '../harness/load.ts'
import { fileOf, flipBit, landed, newLink } from '../harness/session.ts'

const SIZE = 100_003
const MAX_LOGGING_MS = 60_000
let logged = 0

describe('a blob of an asset', () => {
  const harms: readonly {
    readonly what: string
    readonly apply: (path: string) => Promise<void>
    /** Expected members of the verdict: stored, retrievable, durable, deep. */
    readonly structural: readonly unknown[]
    readonly deep: readonly unknown[]
  }[] = [
    {
      what: 'has one flipped bit',
      apply: (path) => flipBit(path, SIZE - 2),
      // A structural verification does not read the bytes.
      structural: [true, true, true, undefined],
      deep: [true, false, false, 'corrupt'],
    },
    {
      what: 'is truncated',
      apply: (path) => truncate(path, SIZE - 1),
      structural: [false, false, false, undefined],
      deep: [false, false, false, undefined],
    },
    {
      what: 'is longer',
      apply: (path) => truncate(path, SIZE + 1),
      structural: [false, false, false, undefined],
      deep: [false, false, false, undefined],
    },
    {
      what: 'is missing',
      apply: (path) => rm(path),
      structural: [false, false, false, undefined],
      deep: [false, false, false, undefined],
    },
    {
      what: 'is whole',
      apply: async () => undefined,
      structural: [true, true, true, undefined],
      deep: [true, true, true, 'intact'],
    },
  ]
  let world: World
  const harmed: { readonly adopted: Asset; readonly uploaded: Asset }[] = []

  before(async () => {
    world = await createWorld('harmed')
    const link = await newLink(world, 'harmed')
    for (const { what, apply } of harms) {
      const assets = { adopted: await adoptedAsset(world, link, what), uploaded: await uploadedAsset(world, what) }
      for (const asset of Object.values(assets)) await apply(originalFileOf(world, asset))
      harmed.push(assets)
    }
  })
  after(() => world?.close())

  for (const [index, { what, structural, deep }] of harms.entries()) {
    for (const origin of ['adopted', 'uploaded'] as const) {
      it(`gets the right verdict when the file of an ${origin} original ${what}`, async () => {
        const asset = harmed[index]?.[origin]
        assert.ok(asset)
        assert.deepEqual(await verdictOn(world, asset, false), structural)
        assert.deepEqual(await verdictOn(world, asset, true), deep)
        // A verification changes nothing (specification, Storage verification, rule 1); the scrubber reads the bytes by
        // itself and marks damage.
        const isFoundCorrupt = deep.includes('corrupt')
        if (isFoundCorrupt) await untilLogged(world, 'an object is damaged')
        assert.deepEqual(
          await verdictOn(world, asset, false),
          isFoundCorrupt ? [true, false, false, undefined] : structural,
        )
      })
    }
  }

  it('gets its own verdict in a request about damaged and intact blobs', async () => {
    const assets = harmed.map(({ adopted }) => adopted)
    const verdicts = await verdictsOf(world, assets, true)
    assert.deepEqual(
      verdicts.map(({ durable }) => durable),
      harms.map(({ deep: [, , isDurable] }) => isDurable),
    )
  })
})

/** Waits for one more line with this text than the last call saw. */
async function untilLogged({ api, server }: World, event: string): Promise<void> {
  const expected = ++logged
  const deadline = api.deadline(MAX_LOGGING_MS)
  while (server.log().split(event).length <= expected) {
    if (deadline.isOver()) throw new Error(`it was not logged within ${MAX_LOGGING_MS} ms: ${event}`)
    await pause(20)
  }
}

async function adoptedAsset(world: World, link: Link, name: string): Promise<Asset> {
  const attempt = await landed(world, link, { name: `adopted-${name.replaceAll(' ', '-')}`, size: SIZE })
  const asset = newAsset(link.owner)
  assert.equal((await sendAdoption(world, planAdoption(world, attempt, asset)))?.status, 200)
  return asset
}

async function uploadedAsset(world: World, name: string): Promise<Asset> {
  const [owner] = world.owners
  assert.ok(owner)
  const asset = newAsset(owner)
  const blob = ownBlob('original', `uploaded ${name}`, SIZE)
  const bundle = { action: 'create' as const, original: blob, metadata: undefined }
  asset.bundles.push(bundle)
  await uploadBlob(world, { asset, bundle, blob }, { chunkBytes: SIZE })
  return asset
}

function originalFileOf(world: World, { bundles }: Asset): string {
  return fileOf(world.server.dataDir, { uploadId: bundles[0]?.original.uploadId })
}

async function verdictsOf({ api }: World, assets: readonly Asset[], deep: boolean) {
  const json = {
    assets: assets.map((asset) => ({
      asset_id: asset.assetId,
      blob_hashes: acknowledgedBlobsOf(asset).map(({ hash }) => hash),
    })),
    deep,
  }
  const token = assets[0]?.owner.token ?? ''
  const reply = await api.askUntilAnswered({ method: 'POST', path: '/v1/storage/verify', token, json })
  assert.equal(reply.status, 200)
  return jsonOf<StorageVerifyResponse>(reply).verdicts
}

async function verdictOn(world: World, asset: Asset, deep: boolean): Promise<readonly unknown[]> {
  const [verdict] = await verdictsOf(world, [asset], deep)
  const [blob] = verdict?.blobs ?? []
  assert.deepEqual([blob?.role, blob?.indexed], ['original', true])
  return [blob?.stored, blob?.retrievable, verdict?.durable, blob?.deep]
}
