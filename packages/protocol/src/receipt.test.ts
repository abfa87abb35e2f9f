import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import vectors from '../../../vectors/receipts.json' with { type: 'json' }
import { concatBytes, fromBase64, fromHex, toHex, utf8 } from './bytes.ts'
import type { HybridVerifiers } from './cose.ts'
import { parseAssetId, parseDropId, parseSha256Hex, parseUploadId } from './ids.ts'
import { keyId as keyIdOf } from './keys.ts'
import {
  assembleReceipt,
  decodeReceipt,
  ReceiptError,
  type ReceiptFault,
  type ReceiptPayload,
  readReceipt,
  receiptHash,
  receiptToBeSigned,
  verifyReceipt,
} from './receipt.ts'
import { ML_DSA_65_SIGNATURE_BYTES } from './suites.ts'
import { known } from './testing/known.ts'

const SPKI = {
  ed25519: fromHex('302a300506032b6570032100'),
  mlDsa65: fromHex('308207b2300b0609608648016503040312038207a100'),
} as const

function publicBytes(key: KeyObject, prefix: Uint8Array): Uint8Array {
  return Uint8Array.from(key.export({ format: 'der', type: 'spki' }).subarray(prefix.length))
}

function verifierOf(prefix: Uint8Array) {
  return (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
    const key = createPublicKey({ key: Buffer.from(concatBytes(prefix, publicKey)), format: 'der', type: 'spki' })
    return verify(null, message, key, signature)
  }
}

const nodeVerifiers: HybridVerifiers = { ed25519: verifierOf(SPKI.ed25519), mlDsa65: verifierOf(SPKI.mlDsa65) }

function createSigningKey() {
  const ed25519 = generateKeyPairSync('ed25519')
  const mlDsa65 = generateKeyPairSync('ml-dsa-65')
  const publicKey = concatBytes(
    publicBytes(ed25519.publicKey, SPKI.ed25519),
    publicBytes(mlDsa65.publicKey, SPKI.mlDsa65),
  )
  const keyId = keyIdOf(publicKey)
  const signBoth = (messages: { ed25519: Uint8Array; mlDsa65: Uint8Array }) => ({
    ed25519: sign(null, messages.ed25519, ed25519.privateKey),
    mlDsa65: sign(null, messages.mlDsa65, mlDsa65.privateKey),
  })
  const issue = (payload: ReceiptPayload) => {
    const toBeSigned = receiptToBeSigned(payload, keyId)
    return assembleReceipt(toBeSigned, signBoth(toBeSigned))
  }
  return { publicKey, keyId, signBoth, issue }
}

const key = createSigningKey()

const uploadId = known(parseUploadId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'))
const assetId = known(parseAssetId('1192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'))
const dropId = known(parseDropId('2192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e8f'))
const hashOf = (digit: string) => known(parseSha256Hex(digit.repeat(64)))

const payload: ReceiptPayload = {
  server_id: 'https://keep.example',
  receipt_seq: 7,
  prior_receipt_hash: hashOf('a'),
  upload_id: uploadId,
  asset_id: assetId,
  blob_role: 'original',
  ciphertext_hash: hashOf('b'),
  size: 1234,
  received_at: '2026-03-01T10:20:30.456Z',
}

const landing: ReceiptPayload = { ...payload, asset_id: undefined, drop_id: dropId }
const provenance: ReceiptPayload = { ...payload, blob_role: 'provenance', envelope_hash: hashOf('b') }

function refusal(reason: ReceiptFault) {
  return (error: unknown) => error instanceof ReceiptError && error.reason === reason
}

describe('a receipt', () => {
  it('survives a round trip, with its key id and hash', async () => {
    for (const issued of [payload, landing, provenance, { ...payload, prior_receipt_hash: undefined }]) {
      const receiptCbor = key.issue(issued)
      const decoded = await verifyReceipt({ receiptCbor, publicKey: key.publicKey, verify: nodeVerifiers })
      const given = Object.fromEntries(Object.entries(issued).filter(([, value]) => value !== undefined))
      assert.deepEqual(decoded, { payload: given, keyId: key.keyId, hash: receiptHash(receiptCbor) })
    }
  })

  it('has the signed bytes that RFC 9052, section 4.4, prescribes, written here by hand', () => {
    const toBeSigned = receiptToBeSigned(payload, key.keyId)
    const contentType = toHex(utf8('application/service-receipt+cbor'))
    const start = `8569${toHex(utf8('Signature'))}5824a1037820${contentType}`
    const end = `40${payloadHead(toBeSigned.payload)}${toHex(toBeSigned.payload)}`
    assert.equal(toHex(toBeSigned.ed25519), `${start}5826a20132045820${key.keyId}${end}`)
    assert.equal(toHex(toBeSigned.mlDsa65), `${start}5827a2013830045820${key.keyId}${end}`)
  })

  it('reads as the AssetReceipt of the specification', () => {
    const receiptCbor = key.issue(provenance)
    const reading = readReceipt(receiptCbor)
    assert.deepEqual(fromBase64(reading.receipt_cbor), receiptCbor)
    assert.deepEqual(
      { ...reading, receipt_cbor: '' },
      {
        receipt_seq: 7,
        server_id: 'https://keep.example',
        server_key_id: key.keyId,
        prior_receipt_hash: hashOf('a'),
        upload_id: uploadId,
        blob_role: 'provenance',
        ciphertext_hash: hashOf('b'),
        size: 1234,
        envelope_hash: hashOf('b'),
        received_at: '2026-03-01T10:20:30.456Z',
        receipt_cbor: '',
      },
    )
  })

  it('is refused if any one bit was changed', async () => {
    const receiptCbor = key.issue(payload)
    // What follows is one signature, of which some places are enough: reading it is the library's work.
    const lastSignatureAt = receiptCbor.length - ML_DSA_65_SIGNATURE_BYTES
    for (let index = 0; index < receiptCbor.length; index += index < lastSignatureAt ? 1 : 13) {
      const altered = Uint8Array.from(receiptCbor)
      altered[index] = (receiptCbor[index] ?? 0) ^ (1 << (index % 8))
      const verification = verifyReceipt({ receiptCbor: altered, publicKey: key.publicKey, verify: nodeVerifiers })
      await assert.rejects(verification, ReceiptError, `byte ${index}`)
    }
  })

  it('is refused if it is cut short at any byte or anything follows it', () => {
    const receiptCbor = key.issue(payload)
    for (let length = 0; length < receiptCbor.length; length += 13)
      assert.throws(() => decodeReceipt(receiptCbor.subarray(0, length)), refusal('not_deterministic'))
    assert.throws(() => decodeReceipt(concatBytes(receiptCbor, Uint8Array.of(0))), refusal('not_deterministic'))
  })

  it('does not verify under another key', async () => {
    const verification = verifyReceipt({
      receiptCbor: key.issue(payload),
      publicKey: createSigningKey().publicKey,
      verify: nodeVerifiers,
    })
    await assert.rejects(verification, refusal('key_unknown'))
  })

  it('does not verify if only one half of the key signed it', async () => {
    const toBeSigned = receiptToBeSigned(payload, key.keyId)
    const good = key.signBoth(toBeSigned)
    const stranger = createSigningKey().signBoth(toBeSigned)
    const verifying = (signatures: { ed25519: Uint8Array; mlDsa65: Uint8Array }) =>
      verifyReceipt({
        receiptCbor: assembleReceipt(toBeSigned, signatures),
        publicKey: key.publicKey,
        verify: nodeVerifiers,
      })
    await assert.rejects(verifying({ ...good, ed25519: stranger.ed25519 }), refusal('ed25519_invalid'))
    await assert.rejects(verifying({ ...good, mlDsa65: stranger.mlDsa65 }), refusal('ml_dsa_65_invalid'))
  })

  it('is not assembled from signatures of another length', () => {
    const toBeSigned = receiptToBeSigned(payload, key.keyId)
    const signatures = { ed25519: new Uint8Array(64), mlDsa65: new Uint8Array(3308) }
    assert.throws(() => assembleReceipt(toBeSigned, signatures), RangeError)
  })

  it('is not signed if a reader would refuse its payload', () => {
    const wrong = [{ size: 0 }, { receipt_seq: 0 }, { received_at: '2026-03-01T10:20:30Z' }, { drop_id: dropId }]
    for (const change of wrong)
      assert.throws(() => receiptToBeSigned({ ...payload, ...change }, key.keyId), refusal('field_invalid'))
  })
})

describe('the receipts of the vectors, by OpenSSL’s verifiers', () => {
  const keys = new Map(vectors.keys.map((published) => [published.key_id, fromBase64(published.public)]))
  const verified = async (receiptCbor: Uint8Array) => {
    const publicKey = keys.get(decodeReceipt(receiptCbor).keyId)
    if (publicKey === undefined) throw new ReceiptError('key_unknown', 'no published key has this id')
    return verifyReceipt({ receiptCbor, publicKey, verify: nodeVerifiers })
  }

  it('exist, and their key ids are those of their keys', () => {
    assert.ok(vectors.valid.length >= 3 && vectors.invalid.length > 0)
    for (const [id, publicKey] of keys) assert.equal(keyIdOf(publicKey), id)
  })

  for (const vector of vectors.valid) {
    it(`verify: ${vector.payload.receipt_seq}`, async () => {
      const { payload: read, hash } = await verified(fromBase64(vector.receipt_cbor))
      assert.deepEqual({ ...read }, vector.payload)
      assert.equal(hash, vector.hash)
    })
  }

  for (const vector of vectors.invalid) {
    it(`are refused for ${vector.reason}: ${vector.name}`, async () => {
      await assert.rejects(verified(fromBase64(vector.receipt_cbor)), { name: 'ReceiptError', reason: vector.reason })
    })
  }
})

function payloadHead(bytes: Uint8Array): string {
  return `59${bytes.length.toString(16).padStart(4, '0')}`
}
