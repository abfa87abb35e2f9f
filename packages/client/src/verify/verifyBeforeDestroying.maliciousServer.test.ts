/** Whether a file may be destroyed: every tampering of a malicious server must lead to a no, with its reason. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { decodeManifest, manifestHash } from '@blindkeep/protocol/manifest'
import {
  assetAnswer,
  type Body,
  blobAnswer,
  changedBlobs,
  changedReceipts,
  changedVerdict,
  devicesAnswer,
  hashOf,
  keysAnswer,
  servedBlob,
  swappedBlob,
  type Verdict,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipAt, flipInBase64 } from '../../../../testing/maliciousServer.ts'
import { newDevice, signManifest } from '../account/device.ts'
import { createVerificationWorld } from '../testing/verificationWorld.ts'
import type { DoubtReason } from './verifyBeforeDestroying.ts'

const world = await createVerificationWorld()
const { proxy, asset, other, blobBytes, ask, assertNo } = world
const { owner } = world.keeper

describe('a verdict of a malicious server', () => {
  const eachBlob = (change: (blob: Verdict['blobs'][number]) => void) => (verdict: Verdict) =>
    verdict.blobs.forEach(change)

  const changes: readonly (readonly [string, DoubtReason, (verdict: Verdict, body: Body) => void])[] = [
    ['is about another asset', 'tampered', (verdict) => Object.assign(verdict, { asset_id: other.assetId })],
    ['is none', 'tampered', (_, body) => Object.assign(body, { verdicts: [] })],
    ['is one too many', 'tampered', (verdict, body) => Object.assign(body, { verdicts: [verdict, verdict] })],
    ['is shortened', 'tampered', (verdict) => verdict.blobs.pop()],
    ['is empty, as a conjunction over nothing is true', 'tampered', (verdict) => Object.assign(verdict, { blobs: [] })],
    ['is lengthened', 'tampered', (verdict) => verdict.blobs.push(...verdict.blobs.slice(0, 1))],
    ['has another order', 'tampered', (verdict) => verdict.blobs.reverse()],
    [
      'is about another hash',
      'tampered',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { hash: hashOf(other, 'original') }),
    ],
    [
      'is three times about one blob',
      'tampered',
      (verdict) =>
        Object.assign(verdict, {
          blobs: verdict.blobs.flatMap((_, index, all) => (index === 2 ? [all[2], all[2], all[2]] : [])),
        }),
    ],
    [
      'is durable over a blob that is not stored',
      'tampered',
      ({ blobs }) => Object.assign(blobs[1] ?? {}, { stored: false }),
    ],
    [
      'is durable over a blob that is not indexed',
      'tampered',
      ({ blobs }) => Object.assign(blobs[2] ?? {}, { indexed: false }),
    ],
    [
      'is durable over a blob that is withheld',
      'tampered',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { retrievable: false }),
    ],
    [
      'is durable over a blob that is damaged',
      'tampered',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { deep: 'corrupt' }),
    ],
    [
      'is durable over a blob of unknown role',
      'tampered',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { role: 'unknown' }),
    ],
    [
      'holds the file as a derivative',
      'not_durable',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { role: 'derivative' }),
    ],
    ['was not deep, though it was asked to be', 'not_examined', eachBlob((blob) => delete blob.deep)],
    ['was deep for two of three', 'not_examined', ({ blobs }) => delete blobs[1]?.deep],
    ['had no budget to be deep', 'rate_limited', eachBlob((blob) => Object.assign(blob, { deep: 'rate_limited' }))],
    [
      'had no budget for one of three',
      'rate_limited',
      ({ blobs }) => Object.assign(blobs[2] ?? {}, { deep: 'rate_limited' }),
    ],
    ['is not durable', 'not_durable', (verdict) => Object.assign(verdict, { durable: false })],
    [
      'misses a blob',
      'not_durable',
      (verdict) =>
        Object.assign(verdict, { durable: false }) &&
        Object.assign(verdict.blobs[1] ?? {}, { stored: false, retrievable: false }),
    ],
    [
      'found one damaged',
      'corrupt',
      (verdict) =>
        Object.assign(verdict, { durable: false }) &&
        Object.assign(verdict.blobs[0] ?? {}, { retrievable: false, deep: 'corrupt' }),
    ],
    ['is of no form', 'answer_broken', (verdict) => Object.assign(verdict, { durable: 'yes' })],
    ['is nothing', 'answer_broken', (_, body) => delete body.verdicts],
  ]
  for (const [how, reason, change] of changes)
    it(`is a no when it ${how}`, async () => {
      proxy.tamper(changedVerdict(change))
      await assertNo(reason)
    })

  it('is a yes without a deep scan only if the caller allows it', async () => {
    proxy.tamper(changedVerdict(eachBlob((blob) => Object.assign(blob, { deep: 'rate_limited' }))))
    const allowed = await ask({ depth: 'deep_if_allowed' })
    assert.ok(allowed.safe)
    assert.equal(allowed.examined, 'structural')
    proxy.tamper(changedVerdict(eachBlob((blob) => delete blob.deep)))
    await assertNo('not_examined', { depth: 'deep_if_allowed' })
    proxy.tamper()
    const structural = await ask({ depth: 'structural' })
    assert.ok(structural.safe)
    assert.equal(structural.examined, 'structural')
    const deep = await ask({ depth: 'deep_if_allowed' })
    assert.ok(deep.safe)
    assert.equal(deep.examined, 'deep')
  })

  it('is a no when it reports a scan that was not requested', async () => {
    proxy.tamper(changedVerdict(eachBlob((blob) => Object.assign(blob, { deep: 'intact' }))))
    await assertNo('tampered', { depth: 'structural' })
  })
})

describe('receipts, keys and blobs of a malicious server', () => {
  const withoutRole = (role: string) => changedBlobs((blobs) => blobs.filter((blob) => blob.role !== role))

  it('are a no when any receipt is missing', async () => {
    for (const index of [0, 1, 2]) {
      proxy.tamper(changedReceipts((receipts) => receipts.toSpliced(index, 1)))
      await assertNo('tampered')
    }
    proxy.tamper(changedReceipts(() => []))
    await assertNo('tampered')
  })

  it('are a no when the receipts are another asset’s', async () => {
    const { receipts } = await owner.assetReceipts(other.assetId)
    proxy.tamper(changedReceipts(() => receipts.map(({ receipt }) => receipt)))
    await assertNo('tampered')
  })

  it('are a no when the keys are not the pinned ones', async () => {
    const { keys } = await owner.assetReceipts(asset.assetId)
    proxy.tamper({
      matches: keysAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assertNo('tampered', { pinned: keys })
    await assertNo('tampered')
  })

  for (const role of ['original', 'metadata', 'provenance'])
    it(`are a no when the asset has no ${role}`, async () => {
      proxy.tamper(withoutRole(role))
      await assertNo(role === 'provenance' ? 'unsigned' : 'incomplete')
    })

  it('are a no when an invented device signed the provenance', async () => {
    const device = newDevice()
    const { envelope } = decodeManifest(await blobBytes(hashOf(asset, 'provenance')))
    const forged = signManifest(device, { envelope: { ...envelope, created_by_device: device.deviceId } })
    const hash = manifestHash(forged)
    proxy.tamper(swappedBlob('provenance', { hash, size: forged.length }), servedBlob(hash, forged), {
      matches: devicesAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.devices))
        body.devices.push({ ...body.devices[0], device_id: device.deviceId, public_key: toBase64(device.publicKey) })
      }),
    })
    await assertNo('tampered')
  })

  it('are a no when they are another asset’s of the same size', async () => {
    proxy.tamper({
      matches: assetAnswer,
      answer: changeBody((body) => Object.assign(body, { blobs: other.blobs, envelope: other.envelope })),
    })
    await assertNo('tampered')
  })

  it('are a no when the stored header is another blob’s, truncated or altered', async () => {
    const hash = hashOf(asset, 'original')
    proxy.tamper(servedBlob(hash, await blobBytes(hashOf(other, 'original'))))
    await assertNo('unreadable')
    const whole = await blobBytes(hash)
    proxy.tamper(servedBlob(hash, whole.subarray(0, 1000)))
    await assertNo('unreadable')
    for (const position of [0, 5, 30, 500]) {
      proxy.tamper({ matches: blobAnswer(hash), answer: flipAt(position) })
      await assertNo('unreadable')
    }
  })

  it('are a no when metadata or provenance are altered or refused', async () => {
    for (const role of ['metadata', 'provenance']) {
      proxy.tamper({ matches: blobAnswer(hashOf(asset, role)), answer: flipAt(300) })
      await assertNo('tampered')
      proxy.tamper({ matches: blobAnswer(hashOf(asset, role)), answer: (message) => ({ ...message, status: 500 }) })
      await assertNo('refused')
    }
  })

  it('are a no when the server states another size of the original', async () => {
    proxy.tamper(changedBlobs((blobs) => blobs.map((blob) => ({ ...blob, size: 10 }))))
    await assertNo('tampered')
  })
})
