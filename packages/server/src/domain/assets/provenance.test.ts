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
  assetOf,
  declaredFor,
  type Keeper,
  landBlob,
  newAssetId,
  newDeviceKeys,
  newKeeper,
  type Over,
} from '../../testing/assets.ts'
import { accountRow, admitted, append, bytes } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

const original = bytes(100)
type Fields = Readonly<Record<string, CborValue | null | undefined>>

/** Signs any fields, also those that are no valid manifest. */
function signed(fields: Fields, keys: Keeper['keys'], kid = keyId(keys.publicKey)): Uint8Array {
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
async function newAsset(world: World, keeper: Keeper, over: Over = {}) {
  const assetId = newAssetId()
  const declared = declaredFor(world, keeper, original, { ...over, assetId })
  await landBlob(world, keeper, original, declared)
  return { assetId, envelope: declared.envelope }
}

/** Sends bytes as the provenance blob of an asset, with this envelope. */
async function send(world: World, keeper: Keeper, content: Uint8Array, signedEnvelope: ManifestEnvelope) {
  const { file_id: assetId, key_mode: keyMode } = signedEnvelope
  const envelope = { ...signedEnvelope, ciphertext_hash: sha256(content) }
  const over = { assetId, role: 'provenance', keyMode, envelope } as const
  const uploadId = await openDeclared(world, keeper, declaredFor(world, keeper, content, over))
  return { uploadId, answer: await append(world, uploadId, { offset: 0, bytes: content }) }
}

async function refusalOf(world: World, keeper: Keeper, content: Uint8Array, envelope: ManifestEnvelope) {
  const { answer } = await send(world, keeper, content, envelope)
  return isRefusal(answer) ? `${answer.refused}: ${'detail' in answer ? answer.detail : ''}` : 'landed'
}

const mismatch = (detail: string) => `manifest_mismatch: ${detail}`
const otherField = (name: string) => mismatch(`${name} of the signed manifest differs from the envelope`)

describe('a provenance blob', () => {
  it(
    'lands when its device signed the envelope’s values, and its receipt carries its hash',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const retention_until = '2030-01-01T00:00:00Z'
      const metadata_blob_hash = sha256(bytes(3))
      const rich = { retention_until, metadata_blob_hash, original_blob_hash: sha256(original), client_version: 'é/1' }
      for (const over of [{}, rich, { album_id: null }]) {
        const { assetId, envelope } = await newAsset(world, keeper, { envelope: over })
        const content = signed(envelope, keeper.keys)
        const { uploadId, answer } = await send(world, keeper, content, envelope)
        assert.deepEqual(answer, { offset: content.length })
        const row = known(await world.store.read((tx) => tx.receipts.ofUpload(uploadId)))
        assert.equal(readReceipt(row.receiptCbor).envelope_hash, sha256(content))
        assert.equal((await assetOf(world, keeper, assetId)).blobs.at(-1)?.ciphertextHash, sha256(content))
      }
    }),
  )

  it(
    'is refused for each field that differs from the envelope, by its name',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const second = await newKeeper(world, keeper.accountId)
      const given = { metadata_blob_hash: sha256(bytes(1)), retention_until: '2030-01-01T00:00:00Z' }
      const others: Partial<Record<keyof ManifestEnvelope, CborValue | undefined>>[] = [
        { protocol_version: known(parseProtocolVersion('2026-10-31')) },
        { album_id: known(parseAlbumId(randomUUID())) },
        { album_id: undefined },
        { file_id: newAssetId() },
        { amk_version: 2 },
        { ciphertext_hash: sha256(bytes(1)) },
        { plaintext_size: 1 },
        { chunk_size: 1 },
        { metadata_blob_hash: sha256(bytes(2)) },
        { metadata_blob_hash: undefined },
        { original_blob_hash: sha256(original) },
        { created_by_user: (await newKeeper(world)).accountId },
        { created_by_device: second.deviceId },
        { client_version: 'test/2' },
        // Another notation of the same instant: the signed value is text.
        { timestamp: '2026-06-01T00:00:00Z' },
        { retention_until: '2030-01-01T00:00:00.001Z' },
        { retention_until: undefined },
      ]
      const assetIds: AssetId[] = []
      for (const other of others) {
        const { assetId, envelope } = await newAsset(world, keeper, { envelope: given })
        assetIds.push(assetId)
        const [name] = Object.keys(other)
        const answer = await refusalOf(world, keeper, signed({ ...envelope, ...other }, keeper.keys), envelope)
        assert.equal(answer, otherField(known(name)))
      }
      const { envelope } = await newAsset(world, keeper)
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
          await refusalOf(world, keeper, signed({ ...envelope, ...other }, keeper.keys), envelope),
          mismatch(detail),
        )
      await assertBooks(world, [keeper.accountId], [...assetIds, envelope.file_id])
    }),
  )

  it(
    'of a replace is refused when it continues another provenance, or is signed as a create',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId } = await newAsset(world, keeper)
      const next = bytes(50)
      const { envelope } = declaredFor(world, keeper, next, { assetId, envelope: replacing(next) })
      await landBlob(world, keeper, next, { assetId, envelope })
      const from = { prior_provenance_hash: sha256(original) }
      const answerTo = (fields: Fields) =>
        refusalOf(world, keeper, signed({ ...envelope, ...fields }, keeper.keys), envelope)
      assert.equal(await answerTo(from), otherField('prior_provenance_hash'))
      assert.equal(await answerTo({ action: 'create' }), otherField('action'))
      assert.equal(await answerTo({}), 'landed')
    }),
  )

  it(
    'is signed by the device that it names, which must be live when the last byte arrives',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const [second, stranger] = [await newKeeper(world, keeper.accountId), await newKeeper(world)]
      const { assetId, envelope } = await newAsset(world, keeper)
      const byOther = mismatch('the message was signed by another key')
      for (const { keys } of [second, stranger])
        assert.equal(await refusalOf(world, keeper, signed(envelope, keys), envelope), byOther)
      const forged = signed(envelope, second.keys, keyId(keeper.keys.publicKey))
      assert.equal(await refusalOf(world, keeper, forged, envelope), mismatch('the Ed25519 signature does not verify'))
      const half = signed(envelope, { ...keeper.keys, mlDsa65: second.keys.mlDsa65 })
      assert.equal(await refusalOf(world, keeper, half, envelope), mismatch('the ML-DSA-65 signature does not verify'))

      const content = signed(envelope, keeper.keys)
      const { declared } = provenanceFor(world, keeper, original, { assetId, envelope })
      const hash = { ciphertextHash: sha256(content), size: content.length }
      const declaredEnvelope = { ...envelope, ciphertext_hash: hash.ciphertextHash }
      const uploadId = await openDeclared(world, keeper, { ...declared, ...hash, envelope: declaredEnvelope })
      admitted(await world.rules.devices.revoke(keeper.accountId, keeper.deviceId))
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), {
        refused: 'manifest_mismatch',
        offset: content.length,
        detail: 'the device that signed is revoked or belongs to another account',
      })
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )

  it(
    'of a device with a malformed public key is refused',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const deviceId = known(parseDeviceId(randomUUID()))
      const keys = { ...newDeviceKeys(), publicKey: new Uint8Array(1984).fill(255) }
      admitted(await world.rules.devices.add(keeper.accountId, { deviceId, publicKey: keys.publicKey, mac: undefined }))
      const { envelope } = await newAsset(world, { ...keeper, deviceId })
      const answer = await refusalOf(world, { ...keeper, deviceId }, signed(envelope, keys), envelope)
      assert.equal(answer, mismatch('the Ed25519 signature does not verify'))
    }),
  )

  it(
    'is refused with any flipped bit: in either signature, in the signed bytes or around them',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, envelope } = await newAsset(world, keeper)
      const content = signed(envelope, keeper.keys)
      const end = content.length
      // The ML-DSA signature is the last 3309 bytes, the Ed25519 one ends 45 bytes before it.
      const inSignatures = [end - 1, end - 3309, end - 1700, end - 3400, end - 3380]
      const spread = Array.from({ length: 35 }, (_, at) => Math.floor((at * (end - 3309)) / 35))
      for (const at of [...inSignatures, ...spread]) {
        const flipped = content.slice()
        flipped[at] = known(flipped[at]) ^ (1 << (at % 8))
        const { answer } = await send(world, keeper, flipped, envelope)
        assert.ok(isRefusal(answer) && answer.refused === 'manifest_mismatch', `bit ${at % 8} of byte ${at}`)
      }
      for (const cut of [content.subarray(0, end - 1), Buffer.concat([content, Buffer.of(0)]), content.subarray(1)])
        assert.match(await refusalOf(world, keeper, cut, envelope), /^manifest_mismatch/)
      assert.equal(await refusalOf(world, keeper, content, envelope), 'landed')
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )

  it(
    'has a wrapped key of 1 to 4096 bytes exactly when its key mode is wrapped',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const answerTo = async (keyMode: 'derived' | 'wrapped', wrapped_key?: CborValue) => {
        const { envelope } = await newAsset(world, keeper, { keyMode })
        return refusalOf(
          world,
          keeper,
          signed({ ...envelope, ...(wrapped_key !== undefined && { wrapped_key }) }, keeper.keys),
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
      const keeper = await newKeeper(world)
      const envelopeOf = (envelope: Over['envelope'] = {}) =>
        declaredFor(world, keeper, original, { envelope }).envelope
      const sendSigned = (envelope: ManifestEnvelope) =>
        refusalOf(world, keeper, signed(envelope, keeper.keys), envelope)
      const proof = bytes(9)
      const declare = (ofOriginal: ManifestEnvelope) => {
        const envelope = { ...ofOriginal, ciphertext_hash: sha256(proof) }
        const over = { assetId: ofOriginal.file_id, role: 'provenance', envelope } as const
        return creation(world, keeper, declaredFor(world, keeper, proof, over))
      }
      assert.equal(await declare(envelopeOf()), 'manifest_stale')
      assert.equal(await declare(envelopeOf({ original_blob_hash: null })), 'manifest_stale')
      const isOther = mismatch('original_blob_hash and ciphertext_hash must be equal: both are the original’s')
      assert.equal(await sendSigned(envelopeOf({ original_blob_hash: sha256(bytes(1)) })), isOther)
      assert.equal(await sendSigned(envelopeOf({ original_blob_hash: sha256(original) })), 'landed')
      const incoming = envelopeOf()
      await openBlob(world, keeper, original, { assetId: incoming.file_id })
      assert.equal(await declare(incoming), 'manifest_stale')
      await landBlob(world, keeper, original, { assetId: incoming.file_id })
      assert.equal(await sendSigned(incoming), 'landed')
    }),
  )

  it(
    'of bytes that are no manifest is refused',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, envelope } = await newAsset(world, keeper)
      const receipts = admitted(await world.rules.assets.receipts(keeper.accountId, assetId))
      const nested = (byte: number) => Buffer.concat([Buffer.alloc(65_535, byte), Buffer.of(0)])
      const huge = (major: number) => Buffer.concat([Buffer.of(major), Buffer.from('00ffffffffffffff', 'hex')])
      const garbage = [
        ...[1, 2, 100, 65_536].map(bytes),
        ...[0x81, 0xc1, 0xd8, 0xa1, 0xbf, 0x9f, 0x5f].map(nested),
        ...[0x5b, 0x7b, 0x9b, 0xbb, 0xdb].map(huge),
        encodeCbor(new Map([['a', 1]])),
        known(receipts[0]).receiptCbor,
        Buffer.from('{"action":"create"}'),
        Buffer.alloc(65_536),
      ]
      for (const content of garbage)
        assert.match(
          await refusalOf(world, keeper, content, envelope),
          /^manifest_mismatch/,
          String(content.subarray(0, 9)),
        )
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )
})

describe('a refused provenance blob', () => {
  it(
    'fails its session: same answer to repeats, bytes deleting, quota back, no receipt; a new session lands',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { assetId, envelope } = await newAsset(world, keeper)
      const head = await world.store.read((tx) => tx.receipts.head())
      const wrong = signed({ ...envelope, amk_version: 2 }, keeper.keys)
      const { uploadId, answer } = await send(world, keeper, wrong, envelope)
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
      assert.equal((await accountRow(world, keeper.accountId)).usedBytes, 100)
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
      await world.rules.sweep.removeDeleting()
      assert.equal(await world.blobs.size(location), undefined)
      const again = await send(world, keeper, wrong, envelope)
      assert.notEqual(again.uploadId, uploadId)
      assert.ok(isRefusal(again.answer))
      const right = signed(envelope, keeper.keys)
      assert.deepEqual((await send(world, keeper, right, envelope)).answer, { offset: right.length })
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )

  it(
    'gives up its asset id when nothing else has reserved it',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const named = { original_blob_hash: sha256(original) }
      const envelope = declaredFor(world, keeper, original, { envelope: named }).envelope
      assert.match(await refusalOf(world, keeper, bytes(9), envelope), /^manifest_mismatch/)
      await assertBooks(world, [keeper.accountId], [envelope.file_id])
      assert.equal(await world.store.read((tx) => tx.assets.find(envelope.file_id)), undefined)
    }),
  )
})
