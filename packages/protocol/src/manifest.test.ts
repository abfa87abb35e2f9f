import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import vectors from '../../../vectors/manifests.json' with { type: 'json' }
import { concatBytes, fromBase64, fromHex, toHex, utf8 } from './bytes.ts'
import type { HybridSignatures, HybridVerifiers } from './cose.ts'
import { parseUploadId } from './ids.ts'
import { joinHybridPublicKey, keyId as keyIdOf } from './keys.ts'
import {
  assembleManifest,
  decodeManifest,
  disagreement,
  MAX_PROVENANCE_BYTES,
  ManifestError,
  type ManifestFault,
  manifestHash,
  manifestToBeSigned,
  type SignedManifest,
  verifyManifest,
} from './manifest.ts'
import { parse } from './parse.ts'
import { decodeReceipt, receiptToBeSigned } from './receipt.ts'
import { ManifestEnvelope } from './schemas/manifest.ts'
import { ML_DSA_65_SIGNATURE_BYTES } from './suites.ts'
import { hashOf, least, whole } from './testing/envelopes.ts'
import { known } from './testing/known.ts'

function verifierOf(asymmetricKeyType: 'ed25519' | 'ml-dsa-65') {
  return (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'raw-public', asymmetricKeyType })
    return verify(null, message, key, signature)
  }
}

const nodeVerifiers: HybridVerifiers = { ed25519: verifierOf('ed25519'), mlDsa65: verifierOf('ml-dsa-65') }

const rawOf = (key: KeyObject) => new Uint8Array(key.export({ format: 'raw-public' }))

function createDevice() {
  const [ed25519, mlDsa65] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ml-dsa-65')]
  const publicKey = joinHybridPublicKey({ ed25519: rawOf(ed25519.publicKey), mlDsa65: rawOf(mlDsa65.publicKey) })
  const keyId = keyIdOf(publicKey)
  const signBoth = (messages: { readonly ed25519: Uint8Array; readonly mlDsa65: Uint8Array }): HybridSignatures => ({
    ed25519: sign(null, messages.ed25519, ed25519.privateKey),
    mlDsa65: sign(null, messages.mlDsa65, mlDsa65.privateKey),
  })
  const write = (manifest: SignedManifest) => {
    const toBeSigned = manifestToBeSigned(manifest, keyId)
    return assembleManifest(toBeSigned, signBoth(toBeSigned))
  }
  return { publicKey, keyId, signBoth, write }
}

const device = createDevice()

const verifying = (provenance: Uint8Array, publicKey: Uint8Array = device.publicKey) =>
  verifyManifest({ provenance, publicKey, verify: nodeVerifiers })

const wrappedKey = Uint8Array.from({ length: 1138 }, (_, index) => index % 251)

function refusal(reason: ManifestFault) {
  return (error: unknown) => error instanceof ManifestError && error.reason === reason
}

describe('a manifest', () => {
  it('survives a round trip, with its key id and hash', async () => {
    const written: readonly SignedManifest[] = [
      { envelope: least },
      { envelope: { ...whole, key_mode: 'derived' } },
      { envelope: whole, wrappedKey },
      { envelope: { ...least, key_mode: 'wrapped' }, wrappedKey: Uint8Array.of(0) },
      { envelope: { ...least, key_mode: 'wrapped' }, wrappedKey: new Uint8Array(4096) },
    ]
    for (const manifest of written) {
      const provenance = device.write(manifest)
      const hash = createHash('sha256').update(provenance).digest('hex')
      const expected = { envelope: manifest.envelope, wrappedKey: manifest.wrappedKey, keyId: device.keyId, hash }
      assert.deepEqual(await verifying(provenance), expected)
      assert.deepEqual(decodeManifest(provenance), expected)
      assert.equal(manifestHash(provenance), hash)
    }
  })

  it('has the signed bytes that RFC 9052, section 4.4, and RFC 8949, section 4.2.1, prescribe, written here by hand', () => {
    const toBeSigned = manifestToBeSigned({ envelope: least }, device.keyId)
    const text = (value: string) => {
      const length = utf8(value).length
      return (length < 24 ? (0x60 + length).toString(16) : `78${length.toString(16)}`) + toHex(utf8(value))
    }
    // The bytewise order of the encoded keys: shorter ones first.
    const payload = [
      'ad',
      `${text('action')}${text('create')}`,
      `${text('file_id')}${text(least.file_id)}`,
      `${text('key_mode')}${text('derived')}`,
      `${text('timestamp')}${text('2026-03-01T11:20:30.456+01:00')}`,
      `${text('chunk_size')}1a000ffff0`,
      `${text('amk_version')}01`,
      `${text('client_version')}${text('blindkeep-cli 0.1.0')}`,
      `${text('plaintext_size')}05`,
      `${text('ciphertext_hash')}${text('a'.repeat(64))}`,
      `${text('created_by_user')}${text(least.created_by_user)}`,
      `${text('crypto_suite_id')}01`,
      `${text('protocol_version')}${text('2026-01-01')}`,
      `${text('created_by_device')}${text(least.created_by_device)}`,
    ].join('')
    assert.equal(toHex(toBeSigned.payload), payload)
    const head = `59${toBeSigned.payload.length.toString(16).padStart(4, '0')}`
    const start = `8569${toHex(utf8('Signature'))}5825a1037821${toHex(utf8('application/service-manifest+cbor'))}`
    assert.equal(toHex(toBeSigned.ed25519), `${start}5826a20132045820${device.keyId}40${head}${payload}`)
    assert.equal(toHex(toBeSigned.mlDsa65), `${start}5827a2013830045820${device.keyId}40${head}${payload}`)
  })

  it('treats null as absent, and leaves it out', () => {
    const nulls = {
      album_id: null,
      metadata_blob_hash: null,
      original_blob_hash: null,
      prior_provenance_hash: null,
      retention_until: null,
    }
    const payloadOf = (envelope: ManifestEnvelope) => manifestToBeSigned({ envelope }, device.keyId).payload
    assert.deepEqual(payloadOf({ ...least, ...nulls }), payloadOf(least))
    assert.deepEqual(decodeManifest(device.write({ envelope: { ...least, ...nulls } })).envelope, least)
  })

  it('is refused if any one bit was changed', async () => {
    const provenance = device.write({ envelope: { ...least, key_mode: 'wrapped' }, wrappedKey: Uint8Array.of(7, 8, 9) })
    // What follows is one signature, of which some places are enough: reading it is the library's work.
    const lastSignatureAt = provenance.length - ML_DSA_65_SIGNATURE_BYTES
    for (let index = 0; index < provenance.length; index += index < lastSignatureAt ? 1 : 13) {
      const altered = Uint8Array.from(provenance)
      altered[index] = (provenance[index] ?? 0) ^ (1 << (index % 8))
      await assert.rejects(verifying(altered), ManifestError, `byte ${index}`)
    }
  })

  it('is refused if it is cut short at any byte or anything follows it', () => {
    const provenance = device.write({ envelope: least })
    for (let length = 0; length < provenance.length; length += 13)
      assert.throws(() => decodeManifest(provenance.subarray(0, length)), refusal('not_deterministic'))
    assert.throws(() => decodeManifest(concatBytes(provenance, Uint8Array.of(0))), refusal('not_deterministic'))
  })

  it('does not verify under another device’s key', async () => {
    const provenance = device.write({ envelope: least })
    await assert.rejects(verifying(provenance, createDevice().publicKey), refusal('key_unknown'))
    await assert.rejects(verifying(provenance, device.publicKey.subarray(1)), refusal('key_unknown'))
  })

  it('does not verify if only one half of the key signed it', async () => {
    const toBeSigned = manifestToBeSigned({ envelope: least }, device.keyId)
    const good = device.signBoth(toBeSigned)
    const stranger = createDevice().signBoth(toBeSigned)
    const signedBy = (signatures: HybridSignatures) => verifying(assembleManifest(toBeSigned, signatures))
    await assert.rejects(signedBy({ ...good, ed25519: stranger.ed25519 }), refusal('ed25519_invalid'))
    await assert.rejects(signedBy({ ...good, mlDsa65: stranger.mlDsa65 }), refusal('ml_dsa_65_invalid'))
  })

  it('is not accepted as a receipt, nor a receipt as a manifest, even if one key signed both', () => {
    assert.throws(() => decodeReceipt(device.write({ envelope: least })), { reason: 'content_type' })
    const receipt = receiptToBeSigned(
      {
        server_id: 'https://keep.example',
        receipt_seq: 1,
        upload_id: known(parseUploadId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f')),
        asset_id: least.file_id,
        blob_role: 'original',
        ciphertext_hash: hashOf('a'),
        size: 5,
        received_at: '2026-03-01T10:20:30.456Z',
      },
      device.keyId,
    )
    assert.throws(() => assembleManifest(receipt, device.signBoth(receipt)), refusal('content_type'))
  })

  it('has at most 65,536 bytes, counted before anything is signed', () => {
    const withFraction = (digits: number) => ({ ...least, timestamp: `2026-03-01T10:20:30.${'1'.repeat(digits)}Z` })
    const overhead = device.write({ envelope: withFraction(60_000) }).length - 60_000
    const most = withFraction(MAX_PROVENANCE_BYTES - overhead)
    assert.equal(device.write({ envelope: most }).length, 65_536)
    assert.deepEqual(decodeManifest(device.write({ envelope: most })).envelope, most)
    const tooMany = withFraction(MAX_PROVENANCE_BYTES - overhead + 1)
    assert.throws(() => manifestToBeSigned({ envelope: tooMany }, device.keyId), refusal('too_large'))
  })

  it('is not assembled if a reader would refuse it', () => {
    const toBeSigned = manifestToBeSigned({ envelope: least }, device.keyId)
    const signatures = { ed25519: new Uint8Array(64), mlDsa65: new Uint8Array(3309) }
    const short = { ...signatures, mlDsa65: new Uint8Array(3308) }
    assert.throws(() => assembleManifest(toBeSigned, short), RangeError)
    const broken = { ...toBeSigned, payload: toBeSigned.payload.subarray(1) }
    assert.throws(() => assembleManifest(broken, signatures), refusal('payload_not_deterministic'))
    const long = { ...toBeSigned, payload: new Uint8Array(MAX_PROVENANCE_BYTES) }
    assert.throws(() => assembleManifest(long, signatures), refusal('too_large'))
    const anonymous = { ...toBeSigned, keyId: 'ab' }
    assert.throws(() => assembleManifest(anonymous, signatures), refusal('key_id'))
  })

  it('shares no memory with the bytes that it was read from', () => {
    const provenance = device.write({ envelope: whole, wrappedKey })
    const decoded = decodeManifest(provenance)
    provenance.fill(0)
    assert.deepEqual(decoded.wrappedKey, wrappedKey)
  })
})

const everyFault: Readonly<Record<ManifestFault, true>> = {
  not_deterministic: true,
  not_cose_sign: true,
  content_type: true,
  unprotected_not_empty: true,
  signatures: true,
  algorithm: true,
  key_id: true,
  key_unknown: true,
  ed25519_invalid: true,
  ml_dsa_65_invalid: true,
  payload_not_deterministic: true,
  unknown_field: true,
  missing_field: true,
  field_invalid: true,
  suite_unknown: true,
  fields_disagree: true,
  too_large: true,
}

describe('the manifests of the vectors, by OpenSSL’s verifiers', () => {
  const keys = new Map(vectors.keys.map((key) => [key.key_id, fromBase64(key.public)]))
  const verified = async (provenance: Uint8Array) => {
    const publicKey = keys.get(decodeManifest(provenance).keyId)
    if (publicKey === undefined) throw new ManifestError('key_unknown', 'no device has this key')
    return verifying(provenance, publicKey)
  }

  it('exist in every kind, and their key ids are those of their keys', () => {
    const kinds = new Set(vectors.valid.map(({ envelope }) => `${envelope.action} ${envelope.key_mode}`))
    for (const kind of ['create derived', 'create wrapped', 'replace derived']) assert.ok(kinds.has(kind), kind)
    const reasons = new Set(vectors.invalid.map(({ reason }) => reason))
    for (const reason of Object.keys(everyFault)) assert.ok(reasons.has(reason), reason)
    assert.ok(vectors.disagreements.length > 0)
    for (const [id, publicKey] of keys) assert.equal(keyIdOf(publicKey), id)
  })

  for (const vector of vectors.valid) {
    it(`verify: ${vector.name}`, async () => {
      const provenance = fromBase64(vector.provenance)
      const decoded = await verified(provenance)
      assert.deepEqual(decoded.envelope, vector.envelope)
      assert.deepEqual(decoded.wrappedKey, 'wrapped_key' in vector ? fromHex(known(vector.wrapped_key)) : undefined)
      assert.equal(decoded.keyId, vector.device_key_id)
      assert.equal(decoded.hash, vector.hash)
      assert.equal(toHex(manifestToBeSigned(decoded, decoded.keyId).payload), vector.payload)
    })
  }

  it('form a chain: the replace names the hash of its predecessor', () => {
    const replaced = vectors.valid.filter(({ envelope }) => 'prior_provenance_hash' in envelope)
    assert.ok(replaced.length > 0)
    for (const { envelope } of replaced)
      assert.ok(vectors.valid.some(({ hash }) => hash === envelope.prior_provenance_hash))
  })

  for (const vector of vectors.invalid) {
    it(`are refused for ${vector.reason}: ${vector.name}`, async () => {
      await assert.rejects(verified(fromBase64(vector.provenance)), { name: 'ManifestError', reason: vector.reason })
    })
  }

  for (const { name, envelope, manifest, field } of vectors.disagreements) {
    it(`${field === null ? 'agree with an envelope' : `disagree with an envelope in ${field}`}: ${name}`, () => {
      const original = vectors.valid.find((valid) => valid.name === manifest)
      const parsed = parse(ManifestEnvelope, envelope).value
      const decoded = decodeManifest(fromBase64(known(original).provenance))
      assert.equal(disagreement(known(parsed), decoded.envelope) ?? null, field)
    })
  }
})
