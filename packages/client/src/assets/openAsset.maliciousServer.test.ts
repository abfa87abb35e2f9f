/** A malicious server, played by a proxy, tampers with assets. The client must report each with its reason. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { decodeManifest, manifestHash } from '@blindkeep/protocol/manifest'
import {
  type Blob,
  type Body,
  blobAnswer,
  changedAsset,
  changedBlobs,
  devicesAnswer,
  hashOf,
  inventedDevice,
  servedBlob,
  swappedBlob,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipAt, flipInBase64 } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, type SentFile, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { newDevice, signManifest } from '../account/device.ts'
import { AnswerError } from '../http/errors.ts'
import type { Owner } from '../owner.ts'
import { createSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, finish } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import type { UploadState } from '../upload/uploadState.ts'
import { AssetError, type AssetFault, AssetIncomplete } from './assetError.ts'
import type { AssetFacts } from './assetFacts.ts'
import { sealMetadata } from './metadata.ts'
import type { OpenAssetOptions } from './openAsset.ts'

const MIB = 1024 * 1024

const { proxy, server } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** The asset under attack, and another one of the same account to take data from. */
let asset: AssetFacts
let other: AssetFacts
let state: UploadState
let content: Uint8Array<ArrayBuffer>

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  other = await kept(new Uint8Array(randomBytes(2 * MIB + 1000)))
  content = new Uint8Array(randomBytes(2 * MIB + 1000))
  asset = await kept(content)
})

async function kept(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts> {
  const source = sourceOfBytes(bytes)
  state = await owner.prepareUpload({ source, ...keeper, name: 'a plan.pdf' })
  const { assetId } = await owner.finishUpload({ state, source })
  return owner.asset(assetId)
}

/** Matches requests for one blob of an asset. */
const blobOf = (of: AssetFacts, role: string) => blobAnswer(hashOf(of, role))
const changedEnvelope = (changes: Body): Tampering =>
  changedAsset((body) => {
    body.envelope = Object.assign(body.envelope ?? {}, changes)
  })

async function read(): Promise<Uint8Array> {
  const opened = await owner.openAsset(asset.assetId)
  return new Uint8Array(await new Response(opened.content).arrayBuffer())
}

const tampered = (reason: AssetFault) => (error: unknown) => error instanceof AssetError && error.reason === reason

describe('an asset of a malicious server', () => {
  it('detects another asset', async () => {
    proxy.tamper(changedAsset((body) => Object.assign(body, { asset_id: other.assetId })))
    await assert.rejects(read(), AnswerError)
    proxy.tamper(changedAsset((body) => Object.assign(body, { envelope: other.envelope, blobs: other.blobs })))
    await assert.rejects(read(), tampered('provenance_invalid'))
  })

  const envelopeChanges: readonly (readonly [string, Body])[] = [
    ['plaintext_size', { plaintext_size: 1 }],
    ['amk_version', { amk_version: 2 }],
    ['key_mode', { key_mode: 'wrapped' }],
    ['action', { action: 'replace' }],
    ['chunk_size', { chunk_size: 1 }],
    ['retention_until', { retention_until: '2999-01-01T00:00:00.000Z' }],
    ['original_blob_hash', { original_blob_hash: '0'.repeat(64) }],
  ]
  for (const [field, changes] of envelopeChanges)
    it(`detects another ${field} than the signed one`, async () => {
      proxy.tamper(changedEnvelope(changes))
      await assert.rejects(read(), tampered('envelope_differs'))
    })

  const blobChanges: readonly (readonly [string, AssetFault, (blobs: Blob[]) => Blob[]])[] = [
    ['another original', 'asset_differs', (blobs) => replaced(blobs, 'original')],
    ['another metadata', 'metadata_differs', (blobs) => replaced(blobs, 'metadata')],
    [
      'two originals',
      'asset_differs',
      (blobs) => [
        ...blobs.map((blob) => ({ ...blob })),
        { role: 'original', hash: hashOf(other, 'original'), size: 1 },
      ],
    ],
    ['another asset’s provenance', 'provenance_invalid', (blobs) => replaced(blobs, 'provenance')],
  ]
  for (const [what, reason, change] of blobChanges)
    it(`detects ${what}`, async () => {
      proxy.tamper(changedBlobs(change))
      await assert.rejects(read(), tampered(reason))
    })

  function replaced(blobs: Blob[], role: string): Blob[] {
    return blobs.map((blob) => (blob.role === role ? { ...blob, hash: hashOf(other, role) } : blob))
  }

  it('detects another album than the signed one', async () => {
    const { albumId } = await owner.createAlbum()
    proxy.tamper(changedAsset((body) => Object.assign(body, { album_id: albumId })))
    await assert.rejects(read(), tampered('asset_differs'))
  })

  it('opens as it was signed when the server invents a drop for it', async () => {
    const link = await owner.createLink()
    const { state: guest } = await sendFile(link.url, randomBytes(10))
    const drop = {
      drop_id: asset.assetId,
      opaque_id: guest.opaqueId,
      kem_ct: guest.kemCt,
      received_at: '2026-01-01T00:00:00.000Z',
    }
    proxy.tamper(changedAsset((body) => Object.assign(body, { drop })))
    assert.deepEqual(await read(), content)
  })
})

describe('an asset whose signature the server withholds', () => {
  const withheld = (complete: boolean) => (body: Body) => {
    assert.ok(Array.isArray(body.blobs))
    body.blobs = body.blobs.filter(({ role }: Blob) => role !== 'provenance')
    body.complete = complete
  }

  it('is not opened, described or shared, whatever the server says of its completeness', async () => {
    for (const complete of [true, false]) {
      proxy.tamper(changedAsset(withheld(complete)))
      await assert.rejects(read(), { name: 'AssetUnsigned', revoked: undefined })
      await assert.rejects(owner.openAsset(asset.assetId, { allowRevokedDevice: true }), { name: 'AssetUnsigned' })
      const stated = await owner.asset(asset.assetId)
      assert.equal(stated.complete, false)
      await assert.rejects(owner.describeAsset(stated), { name: 'AssetUnsigned' })
      await assert.rejects(owner.createShare([asset.assetId]), { name: 'AssetUnsigned' })
    }
    proxy.tamper(changedAsset((body) => Object.assign(body, { complete: false })))
    assert.ok((await owner.asset(asset.assetId)).complete)
  })

  it('opens as another guest’s drop only for an owner who accepts unsigned files', async () => {
    const link = await owner.createLink()
    const sent = await sendFile(link.url, randomBytes(10), { name: 'a plan.pdf' })
    const drop = await dropOf(owner, sent.landed)
    const { dropId, opaqueId, kemCt, ciphertextHash: hash, sealedBytes: size } = drop
    const response = await fetch(`${server.url}/v1/drops/${dropId}/content`, {
      headers: { authorization: `Bearer ${owner.tokens().accessToken}` },
    })
    const sealed = new Uint8Array(await response.arrayBuffer())
    const shown = await owner.asset(asset.assetId)
    const lie = changedAsset((body) => {
      body.blobs = [{ role: 'original', hash, size }]
      body.envelope = Object.assign(body.envelope ?? {}, { key_mode: 'wrapped', ciphertext_hash: hash })
      body.drop = { drop_id: dropId, opaque_id: opaqueId, kem_ct: kemCt, received_at: drop.receivedAt }
    })
    proxy.tamper(lie, servedBlob(hash, sealed))
    await assert.rejects(read(), { name: 'AssetUnsigned', revoked: undefined })
    const accepted = await owner.openAsset(asset.assetId, { allowUnsigned: true })
    assert.equal(new Uint8Array(await new Response(accepted.content).arrayBuffer()).length, 10)
    // What a page has shown is what it opens, whatever the server says since.
    const opened = await owner.openAsset(shown)
    assert.deepEqual(new Uint8Array(await new Response(opened.content).arrayBuffer()), content)
  })
})

describe('a provenance of a malicious server', () => {
  /** The asset's manifest, signed by a device that no client added, with all support that a server can give. */
  function forged({ mac }: { readonly mac: string | null }): readonly Tampering[] {
    const device = newDevice()
    const { envelope } = decodeManifest(fromBase64(state.provenance.bytes))
    const provenance = signManifest(device, { envelope: { ...envelope, created_by_device: device.deviceId } })
    const hash = manifestHash(provenance)
    return [
      swappedBlob('provenance', { hash, size: provenance.length }),
      servedBlob(hash, provenance),
      inventedDevice({
        device_id: device.deviceId,
        public_key: toBase64(device.publicKey),
        ...(mac === null ? {} : { mac }),
        created_at: '2026-01-01T00:00:00.000Z',
      }),
    ]
  }

  it('detects an invented device by its missing or wrong MAC', async () => {
    for (const mac of [null, toBase64(new Uint8Array(32).fill(7))]) {
      proxy.tamper(...forged({ mac }))
      await assert.rejects(read(), tampered('device_unknown'))
    }
  })

  it('detects another public key of the device', async () => {
    proxy.tamper({
      matches: devicesAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.devices))
        for (const device of body.devices) device.public_key = flipInBase64(device.public_key, 3)
      }),
    })
    await assert.rejects(read(), tampered('device_unknown'))
  })

  it('detects a flip of any byte', async () => {
    const size = asset.blobs.find(({ role }) => role === 'provenance')?.size ?? 0
    for (let position = 0; position < size; position += 401) {
      proxy.tamper({ matches: blobOf(asset, 'provenance'), answer: flipAt(position) })
      await assert.rejects(read(), tampered('hash_differs'), `byte ${position}`)
    }
  })

  it('detects a flipped byte even when its hash is changed to match', async () => {
    const provenance = fromBase64(state.provenance.bytes)
    // In the ML-DSA-65 signature, which ends the blob.
    provenance[provenance.length - 100] = (provenance.at(-100) ?? 0) ^ 1
    const hash = manifestHash(provenance)
    proxy.tamper(swappedBlob('provenance', { hash }), servedBlob(hash, provenance))
    await assert.rejects(read(), tampered('provenance_invalid'))
  })

  it('needs consent by name when its device is revoked, and reports the revocation', async () => {
    const device = await owner.addDevice(undefined, { tie: false })
    const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...keeper, device })
    await owner.revokeDevice(device.deviceId)
    const other = anotherClient(proxy.url, owner)
    await assert.rejects(other.openAsset(assetId, { allowUnsigned: true }), { name: 'AssetUnsigned' })
    await assert.rejects(other.createShare([assetId]), { name: 'AssetUnsigned' })
    const opened = await other.openAsset(assetId, { allowRevokedDevice: true })
    await opened.content.cancel()
    assert.ok(Date.parse(opened.signed?.deviceRevokedAt ?? '') > 0)
  })
})

describe('altered bytes of a malicious server', () => {
  const sealFault = (reason: string) => (error: unknown) => error instanceof SealError && error.reason === reason

  it('fail at the altered segment', async () => {
    proxy.tamper({ matches: blobOf(asset, 'original'), answer: flipAt(2 * MIB) })
    await assert.rejects(read(), sealFault('altered'))
    proxy.tamper({
      matches: blobOf(asset, 'original'),
      answer: (message) => ({ ...message, body: message.body.subarray(0, 1090 + 2 * MIB) }),
    })
    await assert.rejects(read(), sealFault('truncated'))
  })

  it('are detected in the metadata as in any blob', async () => {
    proxy.tamper({ matches: blobOf(asset, 'metadata'), answer: flipAt(500) })
    await assert.rejects(read(), tampered('hash_differs'))
    proxy.tamper({
      matches: blobOf(asset, 'metadata'),
      answer: (message) => ({ ...message, body: Buffer.alloc(2 * MIB) }),
    })
    await assert.rejects(read(), tampered('hash_differs'))
  })

  it('are detected when they are another asset’s', async () => {
    const response = await fetch(`${server.url}/v1/blob/${hashOf(other, 'original')}`, {
      headers: { authorization: `Bearer ${owner.tokens().accessToken}` },
    })
    const body = Buffer.from(await response.arrayBuffer())
    proxy.tamper({ matches: blobOf(asset, 'original'), answer: (message) => ({ ...message, body }) })
    await assert.rejects(read(), sealFault('wrong_key'))
  })
})

describe('a guest who helps a malicious server', () => {
  // The sender of a drop chose its key and can seal other content under it. Signed is the content that was adopted.
  let sent: SentFile
  let adopted: AssetFacts
  before(async () => {
    const link = await owner.createLink()
    sent = await sendFile(link.url, randomBytes(1000), { name: 'honest.pdf' })
    const drop = await dropOf(owner, sent.landed)
    const { assetId } = await owner.adoptDrop(drop, keeper)
    adopted = await owner.asset(assetId)
  })

  const open = (options?: OpenAssetOptions) => owner.openAsset(adopted.assetId, options)

  it('cannot substitute another content under the same key', async () => {
    const { state: guest } = sent
    const sealer = await createSealer({
      key: fromBase64(guest.key),
      purpose: 'original',
      contextId: fromHex(guest.opaqueId),
      kemCt: fromBase64(guest.kemCt),
      header: { size: 5 },
    })
    const body = Buffer.concat([sealer.prefix, await sealer.sealSegment(0, new Uint8Array(5))])
    proxy.tamper({ matches: blobOf(adopted, 'original'), answer: (message) => ({ ...message, body }) })
    const { content: swapped } = await open()
    await assert.rejects(new Response(swapped).arrayBuffer(), tampered('hash_differs'))
  })

  it('cannot substitute other metadata under the same key, signed or not', async () => {
    const forged = await sealMetadata(
      { key: fromBase64(sent.state.key), assetId: adopted.assetId },
      { name: 'trust me.exe' },
    )
    const hash = createHash('sha256').update(forged).digest('hex')
    const isForged = servedBlob(hash, forged)
    const swapped = (blobs: Blob[]) => blobs.map((blob) => (blob.role === 'metadata' ? { ...blob, hash } : blob))
    proxy.tamper(changedBlobs(swapped), isForged)
    await assert.rejects(open(), tampered('metadata_differs'))
    proxy.tamper(
      changedBlobs((blobs) => swapped(blobs).filter(({ role }) => role !== 'provenance')),
      isForged,
    )
    await assert.rejects(open(), { name: 'AssetUnsigned', revoked: undefined })
    const unsigned = await open({ allowUnsigned: true })
    await unsigned.content.cancel()
    assert.deepEqual([unsigned.name, unsigned.signed], ['honest.pdf', undefined])
  })

  it('cannot make the drop open through another link or with another key', async () => {
    const { opaqueId } = await owner.createLink()
    proxy.tamper(changedAsset((body) => Object.assign(body.drop ?? {}, { opaque_id: opaqueId })))
    await assert.rejects(open(), (error) => error instanceof SealError && error.reason === 'wrong_key')
    const isUnsigned = (blobs: Blob[]) => blobs.filter(({ role }) => role === 'original')
    proxy.tamper(
      changedAsset((body) => {
        assert.ok(Array.isArray(body.blobs))
        body.blobs = isUnsigned(body.blobs)
        Object.assign(body.drop ?? {}, { kem_ct: flipInBase64(sent.state.kemCt, 1100) })
      }),
    )
    await assert.rejects(open(), { name: 'AssetUnsigned' })
    await assert.rejects(open({ allowUnsigned: true }), SealError)
  })
})

describe('the completion of an asset of a malicious server', () => {
  // Only the original exists, and the values of the manifest come from the server: a device signs only what the
  // key proves.
  const cut = (change: (body: Body) => void): Tampering =>
    changedAsset((body) => {
      assert.ok(Array.isArray(body.blobs))
      body.blobs = body.blobs.filter(({ role }) => role === 'original')
      change(body)
    })
  const envelope = (changes: Body) => (body: Body) => void Object.assign(body.envelope ?? {}, changes)

  const changes: readonly (readonly [string, AssetFault | 'incomplete', (body: Body) => void])[] = [
    ['another plaintext_size', 'envelope_differs', envelope({ plaintext_size: 1 })],
    ['another key_mode', 'envelope_differs', envelope({ key_mode: 'wrapped' })],
    ['another chunk_size', 'envelope_differs', envelope({ chunk_size: 1024 * 1024 })],
    ['an epoch that no album has', 'key_unreadable', envelope({ amk_version: 2 ** 40 })],
    ['two albums', 'asset_differs', (body) => void Object.assign(body, { album_id: other.assetId })],
    ['a replace', 'incomplete', envelope({ action: 'replace' })],
  ]
  for (const [what, reason, change] of changes)
    it(`signs nothing when the server states ${what}`, async () => {
      const asked = proxy.seen.length
      proxy.tamper(cut(change))
      await assert.rejects(finish(owner, asset.assetId, keeper), (error) =>
        reason === 'incomplete' ? error instanceof AssetIncomplete : tampered(reason)(error),
      )
      assert.ok(proxy.seen.slice(asked).every(({ method }) => method === 'GET'))
    })

  it('signs nothing when the key does not open the original', async () => {
    for (const change of [envelope({ amk_version: 2 }), swapOriginal]) {
      proxy.tamper(cut(change))
      await assert.rejects(finish(owner, asset.assetId, keeper), SealError)
    }
  })

  function swapOriginal(body: Body): void {
    body.blobs = other.blobs.filter(({ role }) => role === 'original')
  }
})
