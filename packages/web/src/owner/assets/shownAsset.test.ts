import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AssetError, AssetUnsigned, ProblemError } from '@blindkeep/client/errors'
import type { AssetDescription, AssetFacts, AssetPermissions } from '@blindkeep/client/owner'
import { parseAssetId, parseDeviceId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { albumsTexts } from '../ground/texts.ts'
import { shownName } from './assetNames.ts'
import { consentTo, doubtfulOf, factsKey, fileKey, isGone, showAsset } from './shownAsset.ts'

const assetId = parseAssetId('3f2a91bc-0000-4000-8000-000000000001') ?? assert.fail()
const deviceId = parseDeviceId('00000000-0000-4000-8000-000000000002') ?? assert.fail()
const hash = (fill: string) => parseSha256Hex(fill.repeat(64)) ?? assert.fail()
const revokedAt = '2026-05-06T07:08:09.000Z'

const blobs = (['original', 'metadata', 'provenance'] as const).map((role, index) => ({
  role,
  hash: hash(String(index)),
  size: 10,
}))
const asset = { assetId, blobs, changedAt: '1', complete: true } as unknown as AssetFacts

function describing(deviceRevokedAt: string | undefined): AssetDescription {
  const signed = { deviceId, deviceRevokedAt, timestamp: revokedAt, provenanceHash: hash('2') }
  const facts = { type: undefined, note: undefined, sender: undefined, modifiedAt: undefined }
  return { ...facts, name: 'contract.txt', safeName: 'contract.txt', size: 5, signed }
}

/** A client that describes every asset so, or fails so, and notes what it was allowed. */
function clientOf(result: AssetDescription | Error) {
  const asked: AssetPermissions[] = []
  return {
    asked,
    describeAsset: async (_: AssetFacts, options: AssetPermissions = {}) => {
      asked.push(options)
      if (result instanceof Error) throw result
      return result
    },
  }
}

describe('an asset that a page shows', () => {
  it('is signed, by a live device or by a revoked one', async () => {
    const live = await showAsset(clientOf(describing(undefined)), asset)
    assert.deepEqual([live.trust, live.description?.name], [{ kind: 'signed' }, 'contract.txt'])
    const revoked = await showAsset(clientOf(describing(revokedAt)), asset)
    assert.deepEqual(revoked.trust, { kind: 'revoked', revokedAt })
  })

  it('has no description without a signature, and is never allowed to have one', async () => {
    const client = clientOf(new AssetUnsigned())
    const shown = await showAsset(client, asset)
    assert.deepEqual([shown.trust, shown.description, shown.asset], [{ kind: 'unsigned' }, undefined, asset])
    assert.ok(client.asked.every(({ allowUnsigned }) => allowUnsigned !== true))
    const named = await showAsset(clientOf({ ...describing(undefined), signed: undefined }), asset)
    assert.deepEqual([named.trust, named.description], [{ kind: 'unsigned' }, undefined])
  })

  it('has a name of this page’s own without a signature', async () => {
    const unsigned = await showAsset(clientOf(new AssetUnsigned()), asset)
    for (const language of ['en', 'de'] as const) assert.match(shownName(unsigned, albumsTexts[language]), /3f2a91bc$/)
    assert.equal(shownName(await showAsset(clientOf(describing(undefined)), asset), albumsTexts.en), 'contract.txt')
  })

  it('is not shown when its facts contradict its signature', async () => {
    for (const error of [new AssetError('envelope_differs', 'x'), new AssetUnsigned({ deviceId, revokedAt })])
      await assert.rejects(showAsset(clientOf(error), asset), error)
  })
})

describe('the consent to open an asset', () => {
  it('is needed for each asset without the signature of a live device, and gives no other permission', async () => {
    const all = [
      await showAsset(clientOf(describing(undefined)), asset),
      await showAsset(clientOf(describing(revokedAt)), asset),
      await showAsset(clientOf(new AssetUnsigned()), asset),
    ]
    assert.deepEqual(
      doubtfulOf(all).map(({ trust }) => trust.kind),
      ['revoked', 'unsigned'],
    )
    assert.deepEqual(
      consentTo(all).map(({ permissions }) => permissions),
      [{}, { allowRevokedDevice: true }, { allowUnsigned: true }],
    )
    assert.ok(consentTo(all).every((consented) => consented.asset === asset))
  })
})

describe('what was verified for an asset', () => {
  it('says nothing about other facts of its file, whatever the server says of its last change', () => {
    for (const role of ['original', 'metadata', 'provenance']) {
      const changed = {
        ...asset,
        blobs: asset.blobs.map((blob) => (blob.role === role ? { ...blob, hash: hash('f') } : blob)),
      }
      assert.notEqual(fileKey(changed), fileKey(asset))
    }
    assert.notEqual(fileKey({ ...asset, blobs: asset.blobs.slice(0, 2) }), fileKey(asset))
  })

  it('stays valid when a thumbnail was added', () => {
    const derivative = { role: 'derivative', hash: hash('d'), size: 1 } as const
    const changed = { ...asset, changedAt: '2', blobs: [...asset.blobs, derivative] }
    assert.equal(fileKey(changed), fileKey(asset))
    assert.notEqual(factsKey(changed), factsKey(asset))
  })

  it('was removed when the server no longer has a part or the asset', () => {
    const problem = (code: 'error.blob.not_found' | 'error.asset.not_found' | 'error.blob.withheld') =>
      new ProblemError({ operation: 'blob', status: 404, code, requestId: undefined })
    assert.ok(isGone(problem('error.blob.not_found')) && isGone(problem('error.asset.not_found')))
    assert.ok(!isGone(problem('error.blob.withheld')) && !isGone(new AssetUnsigned()))
  })
})
