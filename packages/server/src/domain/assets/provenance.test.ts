import assert from 'node:assert/strict'
import { randomUUID, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { assembleCose, coseToBeSigned } from '@blindkeep/protocol/cose'
import { type AssetId, parseAlbumId, parseDeviceId, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { keyId } from '@blindkeep/protocol/keys'
import { MANIFEST_CONTENT_TYPE } from '@blindkeep/protocol/manifest'
import { readReceipt } from '@blindkeep/protocol/receipt'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import {
  assertBooks,
  blobRow,
  creation,
  objectsIn,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  assetOf,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDeviceKeys,
  type Overrides,
} from '../../testing/assets.ts'
import { accountRow, append, bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const original = bytes(100)
type Fields = Readonly<Record<string, CborValue | null | undefined>>

/** Signs any fields, also those that are no valid manifest. */
function signed(fields: Fields, keys: AlbumOwner['keys'], kid = keyId(keys.publicKey)): Uint8Array {
  const payload = new Map<string, CborValue>()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) payload.set(name, value)
  const draft = coseToBeSigned({ contentType: MANIFEST_CONTENT_TYPE, payload: encodeCbor(payload), keyId: kid })
  return assembleCose(draft, {
    ed25519: new Uint8Array(sign(null, draft.ed25519, keys.ed25519)),
    mlDsa65: new Uint8Array(sign(null, draft.mlDsa65, keys.mlDsa65)),
  })
}

/** An asset with its original, and the envelope of that. */
async function newAsset(world: World, albumOwner: AlbumOwner, overrides: Overrides = {}) {
  const assetId = newAssetId()
  const declared = declaredFor(world, albumOwner, original, { ...overrides, assetId })
  await landBlob(world, albumOwner, original, declared)
  return { assetId, envelope: declared.envelope }
}

/** Sends bytes as the provenance blob of an asset, with this envelope. */
async function send(world: World, albumOwner: AlbumOwner, content: Uint8Array, signedEnvelope: ManifestEnvelope) {
  const { file_id: assetId, key_mode: keyMode } = signedEnvelope
  const envelope = { ...signedEnvelope, ciphertext_hash: sha256(content) }
  const overrides = { assetId, role: 'provenance', keyMode, envelope } as const
  const uploadId = await openDeclared(world, albumOwner, declaredFor(world, albumOwner, content, overrides))
  return { uploadId, answer: await append(world, uploadId, { offset: 0, bytes: content }) }
}

async function refusalOf(world: World, albumOwner: AlbumOwner, content: Uint8Array, envelope: ManifestEnvelope) {
  const { answer } = await send(world, albumOwner, content, envelope)
  return isRefusal(answer) ? `${answer.refused}: ${'detail' in answer ? answer.detail : ''}` : 'landed'
}

const mismatch = (detail: string) => `manifest_mismatch: ${detail}`
const otherField = (name: string) => mismatch(`${name} of the signed manifest differs from the envelope`)

describe('a provenance blob', () => {
  it(
    'lands when its device signed the envelope’s values, and its receipt carries its hash',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const retention_until = '2027-01-01T00:00:00Z'
      const metadata_blob_hash = sha256(bytes(3))
      const rich = { retention_until, metadata_blob_hash, original_blob_hash: sha256(original), client_version: 'é/1' }
      for (const overrides of [{}, rich, { album_id: null }]) {
        const { assetId, envelope } = await newAsset(world, albumOwner, { envelope: overrides })
        const content = signed(envelope, albumOwner.keys)
        const { uploadId, answer } = await send(world, albumOwner, content, envelope)
        assert.deepEqual(answer, { offset: content.length })
        const row = defined(await world.store.read((tx) => tx.receipts.ofUpload(uploadId)))
        assert.equal(readReceipt(row.receiptCbor).envelope_hash, sha256(content))
        assert.equal((await assetOf(world, albumOwner, assetId)).blobs.at(-1)?.ciphertextHash, sha256(content))
      }
    }),
  )

  it(
    'is refused for each field that differs from the envelope, by its name',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const second = await newAlbumOwner(world, albumOwner.accountId)
      const given = { metadata_blob_hash: sha256(bytes(1)), retention_until: '2027-01-01T00:00:00Z' }
      const others: Partial<Record<keyof ManifestEnvelope, CborValue | undefined>>[] = [
        { protocol_version: defined(parseProtocolVersion('2026-10-31')) },
        { album_id: defined(parseAlbumId(randomUUID())) },
        { album_id: undefined },
        { file_id: newAssetId() },
        { amk_version: 2 },
        { ciphertext_hash: sha256(bytes(1)) },
        { plaintext_size: 1 },
        { chunk_size: 1 },
        { metadata_blob_hash: sha256(bytes(2)) },
        { metadata_blob_hash: undefined },
        { original_blob_hash: sha256(original) },
        { created_by_user: (await newAlbumOwner(world)).accountId },
        { created_by_device: second.deviceId },
        { client_version: 'test/2' },
        // Another notation of the same instant: the signed value is text.
        { timestamp: '2026-06-01T00:00:00Z' },
        { retention_until: '2027-01-01T00:00:00.001Z' },
        { retention_until: undefined },
      ]
      const assetIds: AssetId[] = []
      for (const other of others) {
        const { assetId, envelope } = await newAsset(world, albumOwner, { envelope: given })
        assetIds.push(assetId)
        const [name] = Object.keys(other)
        const answer = await refusalOf(world, albumOwner, signed({ ...envelope, ...other }, albumOwner.keys), envelope)
        assert.equal(answer, otherField(defined(name)))
      }
      const { envelope } = await newAsset(world, albumOwner)
      const disagreeing: readonly (readonly [Fields, string])[] = [
        [{ crypto_suite_id: 2 }, 'the crypto suite is unknown'],
        [{ key_mode: 'wrapped' }, 'wrapped_key is present if and only if key_mode is wrapped'],
        [{ key_mode: 'wrapped', wrapped_key: bytes(60) }, 'key_mode of the signed manifest differs from the envelope'],
        [{ action: 'replace' }, 'a replace names its original_blob_hash'],
        [{ prior_provenance_hash: sha256(original) }, 'a create has no prior_provenance_hash'],
        [{ title: 'mine' }, 'the payload has an unknown field'],
        [{ amk_version: undefined }, 'the payload has no amk_version'],
      ]
      for (const [other, detail] of disagreeing)
        assert.equal(
          await refusalOf(world, albumOwner, signed({ ...envelope, ...other }, albumOwner.keys), envelope),
          mismatch(detail),
        )
      await assertBooks(world, [albumOwner.accountId], [...assetIds, envelope.file_id])
    }),
  )

  it(
    'of a replace is refused when it continues another provenance, or is signed as a create',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId } = await newAsset(world, albumOwner)
      const next = bytes(50)
      const { envelope } = declaredFor(world, albumOwner, next, { assetId, envelope: replacing(next) })
      await landBlob(world, albumOwner, next, { assetId, envelope })
      const from = { prior_provenance_hash: sha256(original) }
      const answerTo = (fields: Fields) =>
        refusalOf(world, albumOwner, signed({ ...envelope, ...fields }, albumOwner.keys), envelope)
      assert.equal(await answerTo(from), otherField('prior_provenance_hash'))
      assert.equal(await answerTo({ action: 'create' }), otherField('action'))
      assert.equal(await answerTo({}), 'landed')
    }),
  )

  it(
    'is signed by the device that it names, which must be live when the last byte arrives',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [second, stranger] = [await newAlbumOwner(world, albumOwner.accountId), await newAlbumOwner(world)]
      const { assetId, envelope } = await newAsset(world, albumOwner)
      const byOther = mismatch('the message was signed by another key')
      for (const { keys } of [second, stranger])
        assert.equal(await refusalOf(world, albumOwner, signed(envelope, keys), envelope), byOther)
      const forged = signed(envelope, second.keys, keyId(albumOwner.keys.publicKey))
      assert.equal(
        await refusalOf(world, albumOwner, forged, envelope),
        mismatch('the Ed25519 signature does not verify'),
      )
      const half = signed(envelope, { ...albumOwner.keys, mlDsa65: second.keys.mlDsa65 })
      assert.equal(
        await refusalOf(world, albumOwner, half, envelope),
        mismatch('the ML-DSA-65 signature does not verify'),
      )

      const content = signed(envelope, albumOwner.keys)
      const { declared } = provenanceFor(world, albumOwner, original, { assetId, envelope })
      const hash = { ciphertextHash: sha256(content), size: content.length }
      const declaredEnvelope = { ...envelope, ciphertext_hash: hash.ciphertextHash }
      const uploadId = await openDeclared(world, albumOwner, { ...declared, ...hash, envelope: declaredEnvelope })
      notRefused(await world.rules.devices.revoke(albumOwner.accountId, albumOwner.deviceId))
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), {
        refused: 'manifest_mismatch',
        offset: content.length,
        detail: 'the device that the manifest names is revoked or belongs to another account',
      })
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'of a device with a malformed public key is refused',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const deviceId = defined(parseDeviceId(randomUUID()))
      const keys = { ...newDeviceKeys(), publicKey: new Uint8Array(1984).fill(255) }
      notRefused(
        await world.rules.devices.add(albumOwner.accountId, { deviceId, publicKey: keys.publicKey, mac: undefined }),
      )
      const { envelope } = await newAsset(world, { ...albumOwner, deviceId })
      const answer = await refusalOf(world, { ...albumOwner, deviceId }, signed(envelope, keys), envelope)
      assert.equal(answer, mismatch('the Ed25519 signature does not verify'))
    }),
  )

  it(
    'is refused with any flipped bit: in either signature, in the signed bytes or around them',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, envelope } = await newAsset(world, albumOwner)
      const content = signed(envelope, albumOwner.keys)
      const end = content.length
      // The ML-DSA signature is the last 3309 bytes, the Ed25519 one ends 45 bytes before it.
      const inSignatures = [end - 1, end - 3309, end - 1700, end - 3400, end - 3380]
      const spread = Array.from({ length: 35 }, (_, at) => Math.floor((at * (end - 3309)) / 35))
      for (const at of [...inSignatures, ...spread]) {
        const flipped = content.slice()
        flipped[at] = defined(flipped[at]) ^ (1 << (at % 8))
        const { answer } = await send(world, albumOwner, flipped, envelope)
        assert.ok(isRefusal(answer) && answer.refused === 'manifest_mismatch', `bit ${at % 8} of byte ${at}`)
      }
      for (const cut of [content.subarray(0, end - 1), Buffer.concat([content, Buffer.of(0)]), content.subarray(1)])
        assert.match(await refusalOf(world, albumOwner, cut, envelope), /^manifest_mismatch/)
      assert.equal(await refusalOf(world, albumOwner, content, envelope), 'landed')
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'has a wrapped key of 1 to 4096 bytes exactly when its key mode is wrapped',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const answerTo = async (keyMode: 'derived' | 'wrapped', wrapped_key?: CborValue) => {
        const { envelope } = await newAsset(world, albumOwner, { keyMode })
        return refusalOf(
          world,
          albumOwner,
          signed({ ...envelope, ...(wrapped_key !== undefined && { wrapped_key }) }, albumOwner.keys),
          envelope,
        )
      }
      for (const count of [1, 60, 4096]) assert.equal(await answerTo('wrapped', bytes(count)), 'landed')
      assert.equal(await answerTo('derived'), 'landed')
      const asymmetric = mismatch('wrapped_key is present if and only if key_mode is wrapped')
      assert.equal(await answerTo('wrapped'), asymmetric)
      assert.equal(await answerTo('derived', bytes(60)), asymmetric)
      for (const key of [bytes(0), bytes(4097), 'AAAA', [1], 1])
        assert.equal(await answerTo('wrapped', key), mismatch('wrapped_key is not 1 to 4096 bytes'))
    }),
  )

  it(
    'belongs to the present original or to the one that its envelope names, not to an incoming one',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const envelopeOf = (envelope: Overrides['envelope'] = {}) =>
        declaredFor(world, albumOwner, original, { envelope }).envelope
      const sendSigned = (envelope: ManifestEnvelope) =>
        refusalOf(world, albumOwner, signed(envelope, albumOwner.keys), envelope)
      const proof = bytes(9)
      const declare = (ofOriginal: ManifestEnvelope) => {
        const envelope = { ...ofOriginal, ciphertext_hash: sha256(proof) }
        const overrides = { assetId: ofOriginal.file_id, role: 'provenance', envelope } as const
        return creation(world, albumOwner, declaredFor(world, albumOwner, proof, overrides))
      }
      assert.equal(await declare(envelopeOf()), 'manifest_stale')
      assert.equal(await declare(envelopeOf({ original_blob_hash: null })), 'manifest_stale')
      const isOther = mismatch('original_blob_hash and ciphertext_hash must be equal: both are the original’s')
      assert.equal(await sendSigned(envelopeOf({ original_blob_hash: sha256(bytes(1)) })), isOther)
      assert.equal(await sendSigned(envelopeOf({ original_blob_hash: sha256(original) })), 'landed')
      const incoming = envelopeOf()
      await openBlob(world, albumOwner, original, { assetId: incoming.file_id })
      assert.equal(await declare(incoming), 'manifest_stale')
      await landBlob(world, albumOwner, original, { assetId: incoming.file_id })
      assert.equal(await sendSigned(incoming), 'landed')
    }),
  )

  it(
    'of bytes that are no manifest is refused',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, envelope } = await newAsset(world, albumOwner)
      const receipts = notRefused(await world.rules.assets.receipts(albumOwner.accountId, assetId))
      const nested = (byte: number) => Buffer.concat([Buffer.alloc(65_535, byte), Buffer.of(0)])
      const huge = (major: number) => Buffer.concat([Buffer.of(major), Buffer.from('00ffffffffffffff', 'hex')])
      const garbage = [
        ...[1, 2, 100, 65_536].map(bytes),
        ...[0x81, 0xc1, 0xd8, 0xa1, 0xbf, 0x9f, 0x5f].map(nested),
        ...[0x5b, 0x7b, 0x9b, 0xbb, 0xdb].map(huge),
        encodeCbor(new Map([['a', 1]])),
        defined(receipts[0]).receiptCbor,
        Buffer.from('{"action":"create"}'),
        Buffer.alloc(65_536),
      ]
      for (const content of garbage)
        assert.match(
          await refusalOf(world, albumOwner, content, envelope),
          /^manifest_mismatch/,
          String(content.subarray(0, 9)),
        )
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )
})

describe('a refused provenance blob', () => {
  it(
    'fails its session: same answer to repeats, bytes deleting, quota back, no receipt; a new session lands',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, envelope } = await newAsset(world, albumOwner)
      const head = await world.store.read((tx) => tx.receipts.head())
      const wrong = signed({ ...envelope, amk_version: 2 }, albumOwner.keys)
      const { uploadId, answer } = await send(world, albumOwner, wrong, envelope)
      const refused = { refused: 'manifest_mismatch', offset: wrong.length }
      assert.deepEqual(answer, { ...refused, detail: 'amk_version of the signed manifest differs from the envelope' })
      for (const rules of [world.rules, world.restarted()])
        assert.deepEqual(await append({ rules }, uploadId, { offset: 0, bytes: wrong }), {
          ...refused,
          detail: 'the session has failed and cannot be resumed',
        })
      assert.ok(isRefusal(await append(world, uploadId, { offset: 0, bytes: bytes(1) })))
      const { state, failure, location } = await blobRow(world, uploadId)
      assert.deepEqual([state, failure], ['failed', 'manifest_mismatch'])
      assert.deepEqual(await objectsIn(world, 'deleting'), [location])
      assert.equal((await accountRow(world, albumOwner.accountId)).usedBytes, 100)
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
      await world.rules.sweep.removeDeleting()
      assert.equal(await world.blobs.size(location), undefined)
      const again = await send(world, albumOwner, wrong, envelope)
      assert.notEqual(again.uploadId, uploadId)
      assert.ok(isRefusal(again.answer))
      const right = signed(envelope, albumOwner.keys)
      assert.deepEqual((await send(world, albumOwner, right, envelope)).answer, { offset: right.length })
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'releases its asset id when no other upload has reserved it',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const named = { original_blob_hash: sha256(original) }
      const envelope = declaredFor(world, albumOwner, original, { envelope: named }).envelope
      assert.match(await refusalOf(world, albumOwner, bytes(9), envelope), /^manifest_mismatch/)
      await assertBooks(world, [albumOwner.accountId], [envelope.file_id])
      assert.equal(await world.store.read((tx) => tx.assets.find(envelope.file_id)), undefined)
    }),
  )
})
