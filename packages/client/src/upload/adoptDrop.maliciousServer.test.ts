/**
 * A malicious server answers twice: once for the owner's choice, and otherwise when a device of the owner is about to
 * sign. The device must sign what was chosen or nothing.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import type { AssetId } from '@blindkeep/protocol/ids'
import { type Blob, type Body, changedAsset, servedBlob } from '../../../../testing/maliciousAssets.ts'
import { type Keeper, newKeeper, type SentFile, sendFile } from '../../../../testing/people.ts'
import type { Exchanged, Tampering } from '../../../../testing/tamperingProxy.ts'
import { AssetError, AssetIncomplete, AssetUnsigned } from '../assets/assetError.ts'
import { sealMetadata } from '../assets/metadata.ts'
import { DropError } from '../drops/dropError.ts'
import type { Owner } from '../owner.ts'
import { createSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, finish } from '../testing/expectations.ts'
import { callsOf } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner
let url: string

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  url = (await owner.createLink()).url
})

const isCreation = ({ method, path }: Exchanged) => method === 'POST' && path === '/v1/upload'

interface HalfAdopted {
  readonly sent: SentFile
  readonly drop: Awaited<ReturnType<typeof dropOf>>
  readonly assetId: AssetId
  /** The server's description, as it really is. */
  readonly body: Body
  /** Sealed, as the server has it. */
  readonly bytes: Buffer<ArrayBuffer>
}

/** The process crashes after the adoption and before the signature reaches the server. */
async function halfAdopted(name: string): Promise<HalfAdopted> {
  const sent = await sendFile(url, randomBytes(1000), { name, note: 'As agreed.' })
  const drop = await dropOf(owner, sent.landed)
  const bytes = Buffer.from(await sealedBytes(sent))
  const assetId = owner.newAssetId()
  const controller = new AbortController()
  proxy.tamper({
    matches: (exchange) => {
      if (isCreation(exchange)) controller.abort(new Error('crashed'))
      return isCreation(exchange)
    },
    lose: 'request',
  })
  await assert.rejects(owner.adoptDrop(drop, { ...keeper, assetId, signal: controller.signal }), /crashed/)
  proxy.tamper()
  const { body } = await callsOf(proxy.url, owner)('asset', { path: { asset_id: assetId } })
  return { sent, drop, assetId, body: { ...body }, bytes }
}

/** What the guest sealed, or another header and content under the same key. */
async function sealedBytes(
  { state, content }: SentFile,
  { header, file }: { readonly header?: { size: number; name: string }; readonly file?: Uint8Array } = {},
): Promise<Uint8Array> {
  const bytes = file ?? content
  const sealer = await createSealer({
    key: fromBase64(state.key),
    purpose: 'original',
    contextId: fromHex(state.opaqueId),
    kemCt: fromBase64(state.kemCt),
    header: header ?? state.header,
    ...(header === undefined ? { salt: fromBase64(state.salt) } : {}),
  })
  const padded = new Uint8Array(sealer.plaintextSize)
  padded.set(bytes)
  return Buffer.concat([sealer.prefix, await sealer.sealSegment(0, padded)])
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const isRefusal = (error: unknown) =>
  [AssetError, AssetIncomplete, DropError, SealError].some((kind) => error instanceof kind)

/** Nothing that a device has signed leaves the client. */
async function assertSignsNothing(work: () => Promise<unknown>): Promise<void> {
  const from = proxy.seen.length
  await assert.rejects(work(), isRefusal)
  assert.deepEqual(
    proxy.seen.slice(from).filter(({ method }) => method !== 'GET'),
    [],
  )
}

const originalOf = (body: Body): Blob => {
  assert.ok(Array.isArray(body.blobs))
  return body.blobs.find(({ role }: Blob) => role === 'original')
}

/** The server describes the asset like this, whatever it really is. */
const described = (as: (body: Body) => Body, times?: number): Tampering => ({
  ...changedAsset((body) => void Object.assign(body, as(structuredClone(body)))),
  ...(times === undefined ? {} : { times }),
})

describe('an adoption that a malicious server calls finished', () => {
  let chosen: HalfAdopted
  let other: HalfAdopted
  beforeEach(async () => {
    chosen = await halfAdopted('chosen.pdf')
    other = await halfAdopted('other.pdf')
  })

  const resume = () => owner.adoptDrop(chosen.drop, { ...keeper, assetId: chosen.assetId })
  const inOther = (body: Body): Body => ({ ...other.body, asset_id: body.asset_id })

  it('signs nothing when the server names another drop the second time', async () => {
    proxy.tamper(
      described((body) => body, 1),
      described(inOther),
    )
    await assertSignsNothing(resume)
  })

  const lies: readonly (readonly [string, (body: Body) => Body])[] = [
    [
      'the encapsulated key of another drop',
      (body) => ({ ...body, drop: { ...Object(body.drop), kem_ct: other.drop.kemCt } }),
    ],
    ['another size', (body) => resized(body)],
    [
      'another epoch of the album’s key',
      (body) => ({ ...body, envelope: { ...Object(body.envelope), amk_version: 7 } }),
    ],
    [
      'a time before which the owner cannot delete it',
      (body) => ({ ...body, envelope: { ...Object(body.envelope), retention_until: '2999-01-01T00:00:00.000Z' } }),
    ],
  ]
  const resized = (body: Body): Body => ({
    ...body,
    blobs: [{ ...originalOf(body), size: originalOf(body).size + 5 }],
    envelope: { ...Object(body.envelope), plaintext_size: Object(body.envelope).plaintext_size + 5 },
  })
  for (const [what, lie] of lies)
    it(`signs nothing when the server states ${what}`, async () => {
      proxy.tamper(
        described(lie),
        servedBlob(chosen.drop.ciphertextHash, what.includes('encapsulated') ? other.bytes : chosen.bytes),
      )
      await assertSignsNothing(resume)
    })

  it('signs nothing when the server states another album', async () => {
    const { albumId } = await owner.createAlbum({ name: 'public' })
    proxy.tamper(
      described((body) => ({ ...body, album_id: albumId, envelope: { ...Object(body.envelope), album_id: albumId } })),
    )
    await assertSignsNothing(resume)
  })

  it('signs nothing when the sender helps with another header under the same key', async () => {
    const header = { ...chosen.sent.state.header, name: 'trust me.exe' }
    proxy.tamper(servedBlob(chosen.drop.ciphertextHash, await sealedBytes(chosen.sent, { header })))
    await assertSignsNothing(resume)
  })

  it('signs nothing when the sender helps with other metadata under the same key', async () => {
    const forged = await sealMetadata(
      { key: fromBase64(chosen.sent.state.key), assetId: chosen.assetId },
      { name: 'trust me.exe' },
    )
    const metadata = { role: 'metadata', hash: sha256(forged), size: forged.length }
    proxy.tamper(
      described((body) => ({ ...body, blobs: [originalOf(body), metadata] })),
      servedBlob(metadata.hash, forged),
    )
    await assertSignsNothing(resume)
  })

  it('is not finished by a device that was revoked since: a thief of it may have signed', async () => {
    const lost = await owner.addDevice(undefined, { tie: false })
    await finish(owner, chosen.assetId, { ...keeper, device: lost })
    await owner.revokeDevice(lost.deviceId)
    await assert.rejects(resume(), (error) => error instanceof AssetUnsigned && error.revoked !== undefined)
  })

  it('is finished when the server tells the truth', async () => {
    const { assetId } = await resume()
    const { signed, name, content } = await owner.openAsset(assetId)
    await content.cancel()
    assert.ok(signed)
    assert.equal(name, 'chosen.pdf')
  })
})

describe('an adoption that is finished later', () => {
  let adopted: HalfAdopted
  let other: HalfAdopted
  beforeEach(async () => {
    adopted = await halfAdopted('shown.pdf')
    other = await halfAdopted('other.pdf')
  })

  const show = async () => owner.openIncomplete(await owner.asset(adopted.assetId))

  it('shows the file as this client opened it, and signs it', async () => {
    const shown = await show()
    const { name, note, size } = shown.file
    assert.deepEqual({ name, note, size }, { name: 'shown.pdf', note: 'As agreed.', size: 1000 })
    const { content } = await shown.open()
    const bytes = new Uint8Array(await new Response(content).arrayBuffer())
    assert.deepEqual(bytes, new Uint8Array(adopted.sent.content))
    await shown.complete(keeper)
    const opened = await owner.openAsset(adopted.assetId)
    await opened.content.cancel()
    assert.ok(opened.signed)
  })

  const swaps: readonly (readonly [string, (body: Body) => Body])[] = [
    ['another drop', (body) => ({ ...other.body, asset_id: body.asset_id })],
    ['another original', (body) => ({ ...body, blobs: [originalOf(other.body)] })],
    ['another link', (body) => ({ ...body, drop: { ...Object(body.drop), opaque_id: 'ab'.repeat(16) } })],
    ['no drop', (body) => ({ ...body, drop: null, envelope: { ...Object(body.envelope), key_mode: 'derived' } })],
    ['another epoch', (body) => ({ ...body, envelope: { ...Object(body.envelope), amk_version: 7 } })],
  ]
  for (const [what, swap] of swaps)
    it(`signs nothing when the server states ${what} after the file was shown`, async () => {
      const shown = await show()
      proxy.tamper(described(swap))
      await assertSignsNothing(() => shown.complete(keeper))
    })

  it('signs nothing when the server states another album after the file was shown', async () => {
    const { albumId } = await owner.createAlbum({ name: 'public' })
    const shown = await show()
    proxy.tamper(
      described((body) => ({ ...body, album_id: albumId, envelope: { ...Object(body.envelope), album_id: albumId } })),
    )
    await assertSignsNothing(() => shown.complete(keeper))
  })

  it('does not preview another file than the one shown', async () => {
    const shown = await show()
    const header = { ...adopted.sent.state.header, name: 'trust me.exe' }
    proxy.tamper(servedBlob(adopted.drop.ciphertextHash, await sealedBytes(adopted.sent, { header })))
    await assert.rejects(shown.open(), isRefusal)
    // The same header with another content.
    proxy.tamper(servedBlob(adopted.drop.ciphertextHash, await sealedBytes(adopted.sent, { file: randomBytes(1000) })))
    const { content } = await shown.open()
    await assert.rejects(new Response(content).arrayBuffer(), isRefusal)
  })
})

describe('an own upload that is finished without the file', () => {
  async function halfUploaded(): Promise<{ readonly assetId: AssetId; readonly bytes: Buffer<ArrayBuffer> }> {
    const source = sourceOfBytes(new Uint8Array(randomBytes(1000)))
    const state = await owner.prepareUpload({ source, ...keeper, name: 'own.pdf' })
    const controller = new AbortController()
    const onState = ({ metadata }: typeof state) =>
      metadata.uploadId === undefined ? undefined : controller.abort(new Error('crashed'))
    await assert.rejects(owner.finishUpload({ state, source, onState, signal: controller.signal }), /crashed/)
    const headers = { authorization: `Bearer ${owner.tokens().accessToken}` }
    const blob = await fetch(`${proxy.url}/v1/blob/${state.envelope.ciphertext_hash}`, { headers })
    return { assetId: state.envelope.file_id, bytes: Buffer.from(await blob.arrayBuffer()) }
  }

  it('signs a hash that this client has computed, and none that only the server names', async () => {
    const { assetId, bytes } = await halfUploaded()
    const hash = sha256(randomBytes(10))
    const renamed = described((body) => ({ ...body, blobs: [{ ...originalOf(body), hash }] }))
    proxy.tamper(renamed, servedBlob(hash, bytes))
    await assertSignsNothing(() => finish(owner, assetId, keeper))
    proxy.tamper()
    await finish(owner, assetId, keeper)
    assert.ok((await owner.asset(assetId)).complete)
  })
})
