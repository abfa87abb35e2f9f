/** Thumbnails of uploads and adopted drops at a real server, and derivatives that are not thumbnails. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { type Bytes, concatBytes, fromBase64, fromHex, utf8, uuidBytes } from '@blindkeep/protocol/bytes'
import { blobAnswer, changedBlobs, hashOf, pictureOf } from '../../../../testing/maliciousAssets.ts'
import { flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import { AssetError, AssetIncomplete } from '../assets/assetError.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { derivedKey } from '../assets/assetKeys.ts'
import { MAX_THUMBNAIL_BYTES } from '../assets/thumbnail.ts'
import { linkKeysOf, recoverDropKey } from '../drops/dropKeys.ts'
import { systemEnvironment } from '../ground/environment.ts'
import { NetworkError, ProblemError } from '../http/errors.ts'
import type { Owner } from '../owner.ts'
import { createSealer } from '../seal/seal.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sendBlob } from '../send/sendBlob.ts'
import { dropOf } from '../testing/expectations.ts'
import { callsOf, replaceAsset, sealReplacement } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { smallBlob } from './smallBlob.ts'
import { uploadPath } from './uploadPath.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

const file = (bytes = 1000) => new Uint8Array(randomBytes(bytes))
/** Has the signature of WebP; only a decoder looks at the rest. */
const picture = (bytes = 3000) => concatBytes(utf8('RIFF'), file(4), utf8('WEBPVP8 '), file(bytes - 16))
/** Adds it to the asset as the server has it now. */
async function addTo({ assetId }: Pick<AssetFacts, 'assetId'>, content: Uint8Array, of = owner): Promise<void> {
  await of.addThumbnail(pictureOf(await of.asset(assetId)), content, { allowRevokedDevice: true })
}

const isCreation = isRequest('POST', /^\/v1\/upload$/)

async function uploaded(content = file()): Promise<AssetFacts> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...keeper, name: 'photo.jpg' })
  return owner.asset(assetId)
}

async function adopted(): Promise<AssetFacts> {
  const { url } = await owner.createLink()
  const { landed } = await sendFile(url, file())
  const drop = await dropOf(owner, landed)
  return owner.asset((await owner.adoptDrop(drop, keeper)).assetId)
}

interface Forged {
  readonly key: Bytes
  readonly content: Bytes
  readonly name?: string
  readonly type?: string
}

/** A derivative that `addThumbnail` would not make. */
async function addDerivative(asset: AssetFacts, { key, content, name, type = 'image/webp' }: Forged) {
  const header = { size: content.length, name: name ?? `thumbnail of ${hashOf(asset, 'original')}`, type }
  const sealer = await createSealer({ key, purpose: 'derivative', contextId: uuidBytes(asset.assetId), header })
  const { bytes, hash } = smallBlob(systemEnvironment, concatBytes(sealer.prefix, await sealer.sealSegment(0, content)))
  await sendBlob({
    path: uploadPath(callsOf(proxy.url, owner), {
      role: 'derivative',
      hash,
      size: bytes.length,
      envelope: asset.envelope,
    }),
    size: bytes.length,
    segments: { first: 0, each: bytes.length },
    readChunk: async (from, to) => bytes.slice(from, to),
    uploadId: undefined,
    suggestedChunkBytes: bytes.length,
    environment: systemEnvironment,
  })
}

const ownKey = ({ assetId, albumId }: AssetFacts) =>
  derivedKey({ accountKey: owner.accountKey, assetId, albumId, amkVersion: 1 })

describe('a thumbnail', () => {
  it('is readable by every client of the account, for an upload and for an adopted drop', async () => {
    for (const asset of [await uploaded(), await adopted()]) {
      const thumbnail = picture(MAX_THUMBNAIL_BYTES)
      assert.equal(await owner.readThumbnail(asset.assetId), undefined)
      await addTo(asset, thumbnail)
      const other = anotherClient(proxy.url, owner)
      assert.deepEqual(await other.readThumbnail(asset.assetId), thumbnail)
      assert.deepEqual(await other.readThumbnail(await other.asset(asset.assetId)), thumbnail)
    }
  })

  it('leaves the asset complete: it has all receipts, and its file may be destroyed', async () => {
    const content = file()
    const { assetId } = await uploaded(content)
    await addTo({ assetId }, picture())
    assert.ok((await owner.asset(assetId)).complete)
    const { receipts } = await owner.assetReceipts(assetId)
    assert.equal(receipts.filter(({ receipt }) => receipt.blob_role === 'derivative').length, 1)
    const answer = await owner.verifyBeforeDestroying({ assetId, source: sourceOfBytes(content) })
    assert.ok(answer.safe, JSON.stringify(answer))
  })

  it('is sent once', async () => {
    const { assetId } = await uploaded()
    await addTo({ assetId }, picture())
    const from = proxy.seen.length
    await addTo({ assetId }, picture())
    assert.deepEqual(proxy.seen.slice(from).filter(isCreation), [])
  })

  it('is removed with a replaced original, and can be added again', async () => {
    const asset = await uploaded()
    await addTo(asset, picture())
    const replacement = await sealReplacement(keeper, asset, file())
    await replaceAsset(proxy.url, keeper, { asset, replacement })
    assert.equal(await owner.readThumbnail(asset.assetId), undefined)
    const again = picture()
    await addTo(asset, again)
    assert.deepEqual(await owner.readThumbnail(asset.assetId), again)
  })

  it('names any device that may write, and no revoked one', async () => {
    const other = await newKeeper(proxy.url)
    const { assetId } = await other.owner.upload({ source: sourceOfBytes(file()), ...other })
    const spare = await other.owner.addDevice(undefined, { tie: false })
    await other.owner.revokeDevice(other.device.deviceId)
    await addTo({ assetId }, picture(), other.owner)
    assert.ok(await other.owner.readThumbnail(assetId, { allowRevokedDevice: true }))
    const { assetId: second } = await other.owner.upload({ source: sourceOfBytes(file()), ...other, device: spare })
    await other.owner.revokeDevice(spare.deviceId)
    await assert.rejects(addTo({ assetId: second }, picture(), other.owner), RangeError)
  })

  it('must be a small picture, beside an existing original', async () => {
    const { assetId } = await uploaded()
    for (const wrong of [utf8('<svg xmlns="…"/>'), new Uint8Array(0), picture(MAX_THUMBNAIL_BYTES + 1)])
      await assert.rejects(addTo({ assetId }, wrong), RangeError)
    for (const begins of ['ffd8ffe000104a464946', '89504e470d0a1a0a0000'])
      await addTo(await uploaded(), fromHex(begins))
    const asset = await owner.asset(assetId)
    proxy.tamper(changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'original')))
    await assert.rejects(owner.addThumbnail(pictureOf(asset), picture()), AssetIncomplete)
  })

  it('must show the original that the asset has now', async () => {
    const asset = await uploaded()
    const replacement = await sealReplacement(keeper, asset, file())
    await replaceAsset(proxy.url, keeper, { asset, replacement })
    await assert.rejects(
      owner.addThumbnail(pictureOf(asset), picture()),
      (error) => error instanceof AssetError && error.reason === 'asset_differs',
    )
  })
})

describe('not a thumbnail', () => {
  it('is a derivative that the sender of a drop sealed', async () => {
    const asset = await adopted()
    assert.ok(asset.drop)
    const guestsKey = recoverDropKey(
      linkKeysOf(owner.accountKey, fromHex(asset.drop.opaqueId)),
      fromBase64(asset.drop.kemCt),
    )
    await addDerivative(asset, { key: guestsKey, content: picture() })
    assert.equal(await owner.readThumbnail(asset.assetId), undefined)
    const own = picture()
    await addTo(asset, own)
    assert.deepEqual(await owner.readThumbnail(asset.assetId), own)
  })

  it('is another derivative, or one whose content does not match its type', async () => {
    const asset = await uploaded()
    const key = ownKey(asset)
    await addDerivative(asset, { key, content: picture(), name: 'transcript' })
    await addDerivative(asset, { key, content: picture(), name: `thumbnail of ${'0'.repeat(64)}` })
    await addDerivative(asset, { key, content: utf8('<html>') })
    await addDerivative(asset, { key, content: picture(), type: 'image/svg+xml' })
    assert.equal(await owner.readThumbnail(asset.assetId), undefined)
    const right = picture()
    await addDerivative(asset, { key, content: right })
    assert.deepEqual(await owner.readThumbnail(asset.assetId), right)
  })

  it('is a thumbnail of another asset, an altered one, or one that the server states to be large', async () => {
    const [asset, other] = [await uploaded(), await uploaded()]
    await addTo(asset, picture())
    await addTo(other, picture())
    const foreign = (await owner.asset(other.assetId)).blobs.filter(({ role }) => role === 'derivative')
    const { assetId } = asset
    const hash = hashOf(await owner.asset(assetId), 'derivative')
    proxy.tamper(changedBlobs((blobs) => [...blobs.filter(({ role }) => role !== 'derivative'), ...foreign]))
    assert.equal(await owner.readThumbnail(assetId), undefined)
    proxy.tamper({ matches: blobAnswer(hash), answer: flipAt(1500) })
    assert.equal(await owner.readThumbnail(assetId), undefined)
    const from = proxy.seen.length
    proxy.tamper(changedBlobs((blobs) => blobs.map((blob) => ({ ...blob, size: 10_000_000 }))))
    assert.equal(await owner.readThumbnail(assetId), undefined)
    assert.deepEqual(proxy.seen.slice(from).filter(blobAnswer(hash)), [], 'a large blob is not requested')
    proxy.tamper()
    assert.ok(await owner.readThumbnail(assetId))
  })

  it('is a withheld one, while an unreachable server is an error', async () => {
    const asset = await uploaded()
    await addTo(asset, picture())
    const { blobs } = await owner.asset(asset.assetId)
    const present = { ...asset, blobs }
    proxy.tamper({ matches: blobAnswer(hashOf(present, 'derivative')), lose: 'answer' })
    await assert.rejects(owner.readThumbnail(present), NetworkError)
    proxy.tamper()
    const code = 'error.blob.withheld'
    const body = Buffer.from(JSON.stringify({ type: `/problems/${code}`, title: 'Withheld', status: 403, code }))
    proxy.tamper({
      matches: blobAnswer(hashOf(present, 'derivative')),
      answer: () => ({ headers: { 'content-type': 'application/problem+json' }, status: 403, body }),
    })
    assert.equal(await owner.readThumbnail(present), undefined)
    await owner.deleteAsset(asset.assetId)
    for (const which of [present, asset.assetId]) await assert.rejects(owner.readThumbnail(which), ProblemError)
  })
})
