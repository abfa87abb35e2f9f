/** A server that lies about assets: each lie is told by a proxy in front of the real one, and the client has to say which it was. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { decodeManifest, manifestHash } from '@blindkeep/protocol/manifest'
import {
  type Blob,
  type Body,
  blobAnswer,
  devicesAnswer,
  giving,
  hashOf,
  inventing,
  lyingAsset,
  lyingBlobs,
  swapping,
} from '../../../../testing/maliciousAssets.ts'
import { flipAt, flipInBase64, lie } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, type SentFile, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { newDevice, signManifest } from '../account/device.ts'
import { AnswerError } from '../http/errors.ts'
import type { Owner } from '../owner.ts'
import { createSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import type { UploadState } from '../upload/uploadState.ts'
import { AssetError, type AssetFault, AssetIncomplete } from './assetError.ts'
import type { AssetFacts } from './assetFacts.ts'
import { sealMetadata } from './metadata.ts'

const MIB = 1024 * 1024

const { proxy, server } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** The asset that is lied about, and another one of the same account to take lies from. */
let asset: AssetFacts
let other: AssetFacts
let state: UploadState
let content: Uint8Array<ArrayBuffer>

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  other = await kept(new Uint8Array(randomBytes(3 * MIB)))
  content = new Uint8Array(randomBytes(3 * MIB))
  asset = await kept(content)
})

async function kept(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts> {
  const source = sourceOfBytes(bytes)
  state = await owner.prepareUpload({ source, ...keeper, name: 'a plan.pdf' })
  const { assetId } = await owner.finishUpload({ state, source })
  return owner.asset(assetId)
}

/** Of the asset or of the other, by role. */
const blobOf = (of: AssetFacts, role: string) => blobAnswer(hashOf(of, role))
const lyingEnvelope = (changes: Body): Tampering =>
  lyingAsset((body) => {
    body.envelope = Object.assign(body.envelope ?? {}, changes)
  })

async function read(): Promise<Uint8Array> {
  const opened = await owner.openAsset(asset.assetId)
  return new Uint8Array(await new Response(opened.content).arrayBuffer())
}

const caught = (reason: AssetFault) => (error: unknown) => error instanceof AssetError && error.reason === reason

describe('an asset that the server lies about', () => {
  it('comes out whole when nobody lies', async () => {
    assert.deepEqual(await read(), content)
  })

  it('is not another asset', async () => {
    proxy.tamper(lyingAsset((body) => Object.assign(body, { asset_id: other.assetId })))
    await assert.rejects(read(), AnswerError)
    proxy.tamper(lyingAsset((body) => Object.assign(body, { envelope: other.envelope, blobs: other.blobs })))
    await assert.rejects(read(), caught('provenance_invalid'))
  })

  const envelopeLies: readonly (readonly [string, Body])[] = [
    ['plaintext_size', { plaintext_size: 1 }],
    ['amk_version', { amk_version: 2 }],
    ['key_mode', { key_mode: 'wrapped' }],
    ['action', { action: 'replace' }],
    ['chunk_size', { chunk_size: 1 }],
    ['retention_until', { retention_until: '2999-01-01T00:00:00.000Z' }],
    ['original_blob_hash', { original_blob_hash: '0'.repeat(64) }],
  ]
  for (const [field, changes] of envelopeLies)
    it(`is caught with another ${field} than was signed`, async () => {
      proxy.tamper(lyingEnvelope(changes))
      await assert.rejects(read(), caught('envelope_differs'))
    })

  const blobLies: readonly (readonly [string, AssetFault, (blobs: Blob[]) => Blob[]])[] = [
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
  for (const [what, reason, change] of blobLies)
    it(`is caught with ${what}`, async () => {
      proxy.tamper(lyingBlobs(change))
      await assert.rejects(read(), caught(reason))
    })

  function replaced(blobs: Blob[], role: string): Blob[] {
    return blobs.map((blob) => (blob.role === role ? { ...blob, hash: hashOf(other, role) } : blob))
  }

  it('is caught in another album than was signed', async () => {
    const { albumId } = await owner.createAlbum()
    proxy.tamper(lyingAsset((body) => Object.assign(body, { album_id: albumId })))
    await assert.rejects(read(), caught('asset_differs'))
  })

  it('opens as it was signed when it is told to have been a drop', async () => {
    const link = await owner.createLink()
    const { state: guest } = await sendFile(link.url, randomBytes(10))
    const drop = {
      drop_id: asset.assetId,
      opaque_id: guest.opaqueId,
      kem_ct: guest.kemCt,
      received_at: '2026-01-01T00:00:00.000Z',
    }
    proxy.tamper(lyingAsset((body) => Object.assign(body, { drop })))
    assert.deepEqual(await read(), content)
  })
})

describe('a provenance that the server made up', () => {
  /** Signs the manifest of the asset with a device that no client has added, and has the server tell of it in every way it can. */
  function forged({ mac }: { readonly mac: string | null }): readonly Tampering[] {
    const device = newDevice()
    const { envelope } = decodeManifest(fromBase64(state.provenance.bytes))
    const provenance = signManifest(device, { envelope: { ...envelope, created_by_device: device.deviceId } })
    const hash = manifestHash(provenance)
    return [
      swapping('provenance', { hash, size: provenance.length }),
      giving(hash, provenance),
      inventing({
        device_id: device.deviceId,
        public_key: toBase64(device.publicKey),
        ...(mac === null ? {} : { mac }),
        created_at: '2026-01-01T00:00:00.000Z',
      }),
    ]
  }

  it('is caught by the device’s missing or wrong MAC', async () => {
    for (const mac of [null, toBase64(new Uint8Array(32).fill(7))]) {
      proxy.tamper(...forged({ mac }))
      await assert.rejects(read(), caught('device_unknown'))
    }
  })

  it('is caught when its own device’s key is told to be another', async () => {
    proxy.tamper({
      matches: devicesAnswer,
      answer: lie((body) => {
        assert.ok(Array.isArray(body.devices))
        for (const device of body.devices) device.public_key = flipInBase64(device.public_key, 3)
      }),
    })
    await assert.rejects(read(), caught('device_unknown'))
  })

  it('is caught with any byte flipped', async () => {
    const size = asset.blobs.find(({ role }) => role === 'provenance')?.size ?? 0
    for (let position = 0; position < size; position += 401) {
      proxy.tamper({ matches: blobOf(asset, 'provenance'), answer: flipAt(position) })
      await assert.rejects(read(), caught('hash_differs'), `byte ${position}`)
    }
  })

  it('is caught with a flipped byte though its hash is told to fit', async () => {
    const provenance = fromBase64(state.provenance.bytes)
    // In the ML-DSA-65 signature, which ends the blob.
    provenance[provenance.length - 100] = (provenance.at(-100) ?? 0) ^ 1
    const hash = manifestHash(provenance)
    proxy.tamper(swapping('provenance', { hash }), giving(hash, provenance))
    await assert.rejects(read(), caught('provenance_invalid'))
  })

  it('stays good when its device is revoked, and says so', async () => {
    const device = await owner.addDevice()
    const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...keeper, device })
    await owner.revokeDevice(device.deviceId)
    const opened = await anotherClient(proxy.url, owner).openAsset(assetId)
    await opened.content.cancel()
    assert.ok(Date.parse(opened.signed?.deviceRevokedAt ?? '') > 0)
  })
})

describe('bytes that the server altered', () => {
  const sealFault = (reason: string) => (error: unknown) => error instanceof SealError && error.reason === reason

  it('fail where the seal breaks', async () => {
    proxy.tamper({ matches: blobOf(asset, 'original'), answer: flipAt(2 * MIB) })
    await assert.rejects(read(), sealFault('altered'))
    proxy.tamper({
      matches: blobOf(asset, 'original'),
      answer: (message) => ({ ...message, body: message.body.subarray(0, 1090 + 2 * MIB) }),
    })
    await assert.rejects(read(), sealFault('truncated'))
  })

  it('fail in the metadata as in any blob', async () => {
    proxy.tamper({ matches: blobOf(asset, 'metadata'), answer: flipAt(500) })
    await assert.rejects(read(), caught('hash_differs'))
    proxy.tamper({
      matches: blobOf(asset, 'metadata'),
      answer: (message) => ({ ...message, body: Buffer.alloc(2 * MIB) }),
    })
    await assert.rejects(read(), caught('hash_differs'))
  })

  it('are another asset’s', async () => {
    const response = await fetch(`${server.url}/v1/blob/${hashOf(other, 'original')}`, {
      headers: { authorization: `Bearer ${owner.tokens().accessToken}` },
    })
    const body = Buffer.from(await response.arrayBuffer())
    proxy.tamper({ matches: blobOf(asset, 'original'), answer: (message) => ({ ...message, body }) })
    await assert.rejects(read(), sealFault('wrong_key'))
  })
})

describe('a guest who helps the server', () => {
  // Whoever sent a drop chose its key, and can seal whatever else under it. What was signed is the content that was adopted.
  let sent: SentFile
  let adopted: AssetFacts
  before(async () => {
    const link = await owner.createLink()
    sent = await sendFile(link.url, randomBytes(1000), { name: 'honest.pdf' })
    const drop = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === sent.landed.ciphertextHash)
    assert.ok(drop)
    const { assetId } = await owner.adoptDrop(drop, keeper)
    adopted = await owner.asset(assetId)
  })

  const open = () => owner.openAsset(adopted.assetId)

  it('is caught with another content under the same key', async () => {
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
    await assert.rejects(new Response(swapped).arrayBuffer(), caught('hash_differs'))
  })

  it('is caught with other metadata under the same key, before and after it was signed', async () => {
    const forged = await sealMetadata(
      { key: fromBase64(sent.state.key), assetId: adopted.assetId },
      { name: 'trust me.exe' },
    )
    const hash = createHash('sha256').update(forged).digest('hex')
    const isForged = giving(hash, forged)
    const swapped = (blobs: Blob[]) => blobs.map((blob) => (blob.role === 'metadata' ? { ...blob, hash } : blob))
    proxy.tamper(lyingBlobs(swapped), isForged)
    await assert.rejects(open(), caught('metadata_differs'))
    proxy.tamper(
      lyingBlobs((blobs) => swapped(blobs).filter(({ role }) => role !== 'provenance')),
      isForged,
    )
    const unsigned = await open()
    await unsigned.content.cancel()
    assert.deepEqual([unsigned.name, unsigned.signed], ['honest.pdf', undefined])
  })

  it('does not open when it is told to have come through another link, or with another key', async () => {
    const { opaqueId } = await owner.createLink()
    proxy.tamper(lyingAsset((body) => Object.assign(body.drop ?? {}, { opaque_id: opaqueId })))
    await assert.rejects(open(), (error) => error instanceof SealError && error.reason === 'wrong_key')
    const isUnsigned = (blobs: Blob[]) => blobs.filter(({ role }) => role === 'original')
    proxy.tamper(
      lyingAsset((body) => {
        assert.ok(Array.isArray(body.blobs))
        body.blobs = isUnsigned(body.blobs)
        Object.assign(body.drop ?? {}, { kem_ct: flipInBase64(sent.state.kemCt, 1100) })
      }),
    )
    await assert.rejects(open(), SealError)
  })
})

describe('an asset that is completed', () => {
  // Its original is there, and what goes into the manifest comes from the server: a device signs only what the key bears out.
  const cut = (change: (body: Body) => void): Tampering =>
    lyingAsset((body) => {
      assert.ok(Array.isArray(body.blobs))
      body.blobs = body.blobs.filter(({ role }) => role === 'original')
      change(body)
    })
  const envelope = (changes: Body) => (body: Body) => void Object.assign(body.envelope ?? {}, changes)

  const lies: readonly (readonly [string, AssetFault | 'incomplete', (body: Body) => void])[] = [
    ['another plaintext_size', 'envelope_differs', envelope({ plaintext_size: 1 })],
    ['another key_mode', 'envelope_differs', envelope({ key_mode: 'wrapped' })],
    ['another chunk_size', 'envelope_differs', envelope({ chunk_size: 1024 * 1024 })],
    ['an epoch that no album has', 'key_unreadable', envelope({ amk_version: 2 ** 40 })],
    ['two albums', 'asset_differs', (body) => void Object.assign(body, { album_id: other.assetId })],
    ['a replace', 'incomplete', envelope({ action: 'replace' })],
  ]
  for (const [what, reason, change] of lies)
    it(`is not signed when the server tells of ${what}`, async () => {
      const asked = proxy.seen.length
      proxy.tamper(cut(change))
      await assert.rejects(owner.completeAsset(asset.assetId, keeper), (error) =>
        reason === 'incomplete' ? error instanceof AssetIncomplete : caught(reason)(error),
      )
      assert.ok(proxy.seen.slice(asked).every(({ method }) => method === 'GET'))
    })

  it('is not signed when its key does not open what is there', async () => {
    for (const change of [envelope({ amk_version: 2 }), swapOriginal]) {
      proxy.tamper(cut(change))
      await assert.rejects(owner.completeAsset(asset.assetId, keeper), SealError)
    }
  })

  function swapOriginal(body: Body): void {
    body.blobs = other.blobs.filter(({ role }) => role === 'original')
  }
})
