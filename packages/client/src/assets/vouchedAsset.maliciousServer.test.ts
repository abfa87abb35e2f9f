/** A malicious server withholds, swaps and invents signatures: without a live device's signature nothing is used. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { decodeManifest, manifestHash } from '@blindkeep/protocol/manifest'
import {
  assetAnswer,
  type Body,
  blobAnswer,
  changedAsset,
  changedBlobs,
  hashOf,
  inventedDevice,
  pictureOf,
  servedBlob,
  swappedBlob,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { newDevice, signManifest } from '../account/device.ts'
import type { Owner } from '../owner.ts'
import { createSealer } from '../seal/seal.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, hasCode } from '../testing/expectations.ts'
import { replaceAsset, sealReplacement } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AssetError, type AssetFault, AssetIncomplete, AssetUnsigned } from './assetError.ts'
import type { AssetFacts } from './assetFacts.ts'

const { proxy, server } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** The asset under attack, and another one of the same account to take data from. */
let asset: AssetFacts
let other: AssetFacts
/** Of each upload, by its asset; base64. */
const provenances = new Map<string, string>()
let content: Uint8Array<ArrayBuffer>
/** A guest's file of the inbox. */
let pending: { readonly drop: Body; readonly hash: string; readonly sealed: Uint8Array; readonly size: number }

const file = (bytes = 1000) => new Uint8Array(randomBytes(bytes))
const picture = () => new Uint8Array(Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), randomBytes(500)]))

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  other = await kept('other.txt', file())
  content = file()
  asset = await kept('contract.txt', content)
  const { url } = await owner.createLink()
  const { landed, content: sent } = await sendFile(url, file(2000), { name: 'contract.txt' })
  const { dropId, opaqueId, kemCt } = await dropOf(owner, landed)
  const headers = { Authorization: `Bearer ${owner.tokens().accessToken}` }
  const answer = await fetch(`${server.url}/v1/drops/${dropId}/content`, { headers })
  pending = {
    drop: { drop_id: dropId, opaque_id: opaqueId, kem_ct: kemCt, received_at: '2026-01-01T00:00:00.000Z' },
    hash: landed.ciphertextHash,
    sealed: new Uint8Array(await answer.arrayBuffer()),
    size: sent.length,
  }
})

async function kept(name: string, bytes: Uint8Array<ArrayBuffer>, device = keeper.device): Promise<AssetFacts> {
  const source = sourceOfBytes(bytes)
  const state = await owner.prepareUpload({ source, album: keeper.album, device, name })
  provenances.set(state.envelope.file_id, state.provenance.bytes)
  return owner.asset((await owner.finishUpload({ state, source })).assetId)
}

async function blobBytes(hash: string): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${owner.tokens().accessToken}` }
  return new Uint8Array(await (await fetch(`${server.url}/v1/blob/${hash}`, { headers })).arrayBuffer())
}

/** Everything that yields content, a name or a picture of an asset, or gives them away. */
const USES: readonly (readonly [string, (facts: AssetFacts, client: Owner) => Promise<unknown>])[] = [
  ['opened by its id', ({ assetId }, client) => client.openAsset(assetId)],
  ['opened', (facts, client) => client.openAsset(facts)],
  ['described', (facts, client) => client.describeAsset(facts)],
  ['shared by its id', ({ assetId }, client) => client.createShare([assetId])],
  ['shared', (facts, client) => client.createShare([facts])],
  ['shown as a thumbnail', (facts, client) => client.readThumbnail(facts)],
  ['given a thumbnail', (facts, client) => client.addThumbnail(pictureOf(facts), picture())],
]

const tampered = (reason: AssetFault) => (error: unknown) => error instanceof AssetError && error.reason === reason
const isUnsigned = (error: unknown) => error instanceof AssetUnsigned && error.revoked === undefined
const isRevoked = (error: unknown) => error instanceof AssetUnsigned && error.revoked !== undefined
const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())
const withheld = () => changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'provenance'))

/** The client sent nothing, and did not ask for the content. */
async function assertRefused(use: () => Promise<unknown>, expected: (error: unknown) => boolean): Promise<void> {
  const from = proxy.seen.length
  await assert.rejects(use(), expected)
  const asked = proxy.seen.slice(from)
  assert.ok(asked.every(({ method }) => method === 'GET'))
  assert.ok(!asked.some(blobAnswer(hashOf(asset, 'original'))), 'its content was requested')
}

describe('an asset whose signature a malicious server withholds', () => {
  for (const [what, use] of USES)
    it(`is not ${what}`, async () => {
      proxy.tamper(withheld())
      const facts = await owner.asset(asset.assetId)
      await assertRefused(() => use(facts, owner), isUnsigned)
    })

  for (const complete of [true, false])
    it(`is not a pending drop that the server states in its place with complete ${complete}`, async () => {
      proxy.tamper(
        changedAsset((body) => {
          body.blobs = [{ role: 'original', hash: pending.hash, size: pending.sealed.length }]
          const own = { ciphertext_hash: pending.hash, original_blob_hash: pending.hash, plaintext_size: pending.size }
          body.envelope = { ...Object(body.envelope), ...own, key_mode: 'wrapped', metadata_blob_hash: null }
          Object.assign(body, { drop: pending.drop, complete })
        }),
        servedBlob(pending.hash, pending.sealed),
      )
      const facts = await owner.asset(asset.assetId)
      for (const [, use] of USES) await assertRefused(() => use(facts, owner), isUnsigned)
      const opened = await owner.openAsset(facts, { allowUnsigned: true })
      await opened.content.cancel()
      assert.equal(opened.signed, undefined, 'the attack leads to the drop when it is allowed')
    })

  it('may not be destroyed elsewhere, and is not held', async () => {
    proxy.tamper(withheld())
    const { assetId } = asset
    const answer = await owner.verifyBeforeDestroying({ assetId, source: sourceOfBytes(content) })
    assert.deepEqual(!answer.safe && answer.doubts.map(({ reason }) => reason), ['unsigned'])
    const [held] = (await owner.verifyHeld({ assetIds: [assetId] })).answers
    assert.ok(held?.held === false)
    assert.deepEqual([held.doubts.map(({ reason }) => reason), held.file], [['unsigned'], undefined])
  })

  it('opens only when the caller allows it by name', async () => {
    proxy.tamper(withheld())
    await assert.rejects(owner.openAsset(asset.assetId, { allowRevokedDevice: true }), isUnsigned)
    const opened = await owner.openAsset(asset.assetId, { allowUnsigned: true })
    assert.deepEqual(await read(opened.content), content)
    assert.equal(opened.signed, undefined)
  })

  it('has no thumbnail, whatever the caller allows', async () => {
    const facts = await kept('photo.png', file())
    await owner.addThumbnail(pictureOf(facts), picture())
    assert.ok(await owner.readThumbnail(facts.assetId))
    proxy.tamper(withheld())
    for (const which of [facts.assetId, await owner.asset(facts.assetId)])
      await assert.rejects(owner.readThumbnail(which, { allowRevokedDevice: true }), isUnsigned)
  })
})

describe('an asset that was shown', () => {
  it('opens as it was shown, whatever the server states afterwards', async () => {
    const facts = await owner.asset(asset.assetId)
    await owner.describeAsset(facts)
    for (const lie of [
      withheld(),
      changedAsset((body) => Object.assign(body, { envelope: other.envelope, blobs: other.blobs })),
    ]) {
      proxy.tamper(lie)
      const opened = await owner.openAsset(facts)
      assert.deepEqual([opened.name, await read(opened.content)], ['contract.txt', content])
    }
  })

  it('has no receipts of another file that the server states in its place', async () => {
    const hashes = Object.fromEntries(asset.blobs.map(({ role, hash }) => [role, hash]))
    assert.equal((await owner.assetReceipts(asset.assetId, { hashes })).receipts.length, 3)
    for (const lie of [withheld(), swappedBlob('metadata', { hash: hashOf(other, 'metadata') })]) {
      proxy.tamper(lie)
      await assert.rejects(owner.assetReceipts(asset.assetId, { hashes }), tampered('asset_differs'))
    }
  })

  it('is not what a device has put in its place since', async () => {
    const shown = await kept('photo.png', file())
    await owner.addThumbnail(pictureOf(shown), picture())
    const facts = await owner.asset(shown.assetId)
    const formerThumbnail = await blobBytes(hashOf(facts, 'derivative'))
    const replacement = await sealReplacement(keeper, facts, file())
    await replaceAsset(proxy.url, keeper, { asset: facts, replacement })
    for (const use of [owner.openAsset, owner.describeAsset, owner.readThumbnail])
      await assert.rejects(use(facts), hasCode('error.blob.not_found'))
    await assert.rejects(owner.createShare([facts]), hasCode('error.blob.not_found'))
    const present = await owner.asset(shown.assetId)
    assert.equal((await owner.describeAsset(present)).name, 'replacement.bin')
    const former = facts.blobs.filter(({ role }) => role === 'derivative')
    proxy.tamper(servedBlob(hashOf(facts, 'derivative'), formerThumbnail))
    assert.equal(await owner.readThumbnail({ ...present, blobs: [...present.blobs, ...former] }), undefined)
  })

  it('is finished by its list of blobs, not by what the server says of complete', async () => {
    proxy.tamper(changedAsset((body) => Object.assign(body, { complete: false })))
    assert.equal((await owner.asset(asset.assetId)).complete, true)
    proxy.tamper({
      matches: assetAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.blobs))
        body.blobs = body.blobs.filter(({ role }) => role !== 'provenance')
        body.complete = true
      }),
    })
    assert.equal((await owner.asset(asset.assetId)).complete, false)
  })
})

describe('the name of a guest’s file, when the guest helps a malicious server', () => {
  it('is the signed one, or none', async () => {
    const { url } = await owner.createLink()
    const { landed, state } = await sendFile(url, file(), { name: 'honest.pdf' })
    const { assetId } = await owner.adoptDrop(await dropOf(owner, landed), keeper)
    const adopted = await owner.asset(assetId)
    const header = { size: 1000, name: 'trust me.exe' }
    const sealer = await createSealer({
      key: fromBase64(state.key),
      purpose: 'original',
      contextId: fromHex(state.opaqueId),
      kemCt: fromBase64(state.kemCt),
      header,
    })
    const forged = Buffer.concat([sealer.prefix, await sealer.sealSegment(0, new Uint8Array(1000))])
    const original = servedBlob(hashOf(adopted, 'original'), forged)
    proxy.tamper(
      changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'metadata')),
      original,
    )
    const lacking = await owner.asset(assetId)
    const isLacking = (error: unknown) => error instanceof AssetIncomplete && error.missing.join() === 'metadata'
    for (const use of [owner.describeAsset, owner.openAsset]) await assert.rejects(use(lacking), isLacking)
    await assert.rejects(owner.createShare([lacking]), isLacking)
    proxy.tamper(original)
    assert.equal((await owner.describeAsset(adopted)).name, 'honest.pdf')
    assert.equal((await owner.openAsset(adopted)).name, 'honest.pdf')
  })
})

describe('an asset of a revoked device', () => {
  const bytes = file()
  let signed: AssetFacts
  let deviceId: string
  before(async () => {
    const device = await owner.addDevice(undefined, { tie: false })
    const { assetId } = await kept('old.png', bytes, device)
    await owner.addThumbnail(pictureOf(await owner.asset(assetId)), picture())
    signed = await owner.asset(assetId)
    await owner.revokeDevice(device.deviceId)
    deviceId = device.deviceId
  })

  for (const [what, use] of USES)
    it(`is not ${what}`, async () => {
      const client = anotherClient(proxy.url, owner)
      await assertRefused(
        () => use(signed, client),
        (error) => {
          assert.ok(error instanceof AssetUnsigned)
          assert.equal(error.revoked?.deviceId, deviceId)
          return Date.parse(error.revoked?.revokedAt ?? '') > 0
        },
      )
    })

  it('is used when the caller allows it by name, and says when its device was revoked', async () => {
    const client = anotherClient(proxy.url, owner)
    const allowed = { allowRevokedDevice: true }
    await assert.rejects(client.openAsset(signed, { allowUnsigned: true }), isRevoked)
    const opened = await client.openAsset(signed, allowed)
    assert.deepEqual(await read(opened.content), bytes)
    for (const { name, signed: by } of [opened, await client.describeAsset(signed, allowed)])
      assert.ok(name === 'old.png' && Date.parse(by?.deviceRevokedAt ?? '') > 0)
    assert.ok(await client.readThumbnail(signed, allowed))
    await client.deleteShare((await client.createShare([signed], allowed)).opaqueId)
  })

  it('may not be destroyed elsewhere, and is not held, unless the caller allows it by name', async () => {
    const client = anotherClient(proxy.url, owner)
    const destroying = { assetId: signed.assetId, source: sourceOfBytes(bytes) }
    const answer = await client.verifyBeforeDestroying(destroying)
    assert.deepEqual(!answer.safe && answer.doubts.map(({ reason }) => reason), ['device_revoked'])
    assert.ok((await client.verifyBeforeDestroying({ ...destroying, allowRevokedDevice: true })).safe)
    const holding = { assetIds: [signed.assetId], depth: 'structural' } as const
    const [doubted] = (await client.verifyHeld(holding)).answers
    assert.deepEqual(doubted?.held === false && doubted.doubts.map(({ reason }) => reason), ['device_revoked'])
    const [held] = (await client.verifyHeld({ ...holding, allowRevokedDevice: true })).answers
    assert.ok(held?.held && held.signed.deviceRevokedAt !== undefined)
  })

  it('counts as one also for a client that described it before the revocation', async () => {
    const device = await owner.addDevice(undefined, { tie: false })
    const facts = await kept('mine.txt', file(), device)
    const client = anotherClient(proxy.url, owner)
    assert.equal((await client.describeAsset(facts)).name, 'mine.txt')
    await client.revokeDevice(device.deviceId)
    await assert.rejects(client.describeAsset(facts), isRevoked)
  })
})

describe('a signature that a malicious server swaps', () => {
  /** The asset's manifest, signed by a device that no client has added. */
  function ofInventedDevice(): readonly Tampering[] {
    const device = newDevice()
    const { envelope } = decodeManifest(fromBase64(provenances.get(asset.assetId) ?? ''))
    const forged = { ...envelope, created_by_device: device.deviceId }
    const provenance = signManifest(device, { envelope: forged })
    const hash = manifestHash(provenance)
    return [
      swappedBlob('provenance', { hash, size: provenance.length }),
      servedBlob(hash, provenance),
      inventedDevice({
        device_id: device.deviceId,
        public_key: toBase64(device.publicKey),
        mac: toBase64(new Uint8Array(32).fill(7)),
        created_at: '2026-01-01T00:00:00.000Z',
      }),
    ]
  }

  const inEnvelope = (changes: Body) => (body: Body) => void Object.assign(body.envelope ?? {}, changes)
  const swaps: readonly (readonly [string, AssetFault, () => readonly Tampering[]])[] = [
    [
      'for another asset’s',
      'provenance_invalid',
      () => [swappedBlob('provenance', { hash: hashOf(other, 'provenance') })],
    ],
    ['for one of an invented device', 'device_unknown', ofInventedDevice],
    [
      'or the metadata, for those of another asset',
      'metadata_differs',
      () => [swappedBlob('metadata', { hash: hashOf(other, 'metadata') })],
    ],
    ['or the size', 'envelope_differs', () => [changedAsset(inEnvelope({ plaintext_size: 7 }))]],
    [
      'or the origin, for an invented drop with a wrapped key',
      'envelope_differs',
      () => [
        changedAsset((body) => {
          body.drop = pending.drop
          inEnvelope({ key_mode: 'wrapped' })(body)
        }),
      ],
    ],
  ]
  for (const [what, use] of USES)
    for (const [how, reason, tamperings] of swaps)
      it(`${how}, is detected before the asset is ${what}`, async () => {
        proxy.tamper(...tamperings())
        const facts = await owner.asset(asset.assetId)
        await assertRefused(() => use(facts, owner), tampered(reason))
      })
})
