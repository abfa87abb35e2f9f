import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../testing/decoding.ts'
import {
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseKeyId,
  parseProtocolVersion,
  parseSha256Hex,
} from './ids.ts'
import { assembleManifest, decodeManifest, disagreement, manifestToBeSigned, type SignedManifest } from './manifest.ts'
import { parse } from './parse.ts'
import { ManifestEnvelope } from './schemas/manifest.ts'
import { known } from './testing/known.ts'

const anyHash = fc.stringMatching(/^[0-9a-f]{64}$/).map((text) => known(parseSha256Hex(text)))
const anyUuid = fc.uuid()
const anyTime = fc
  .tuple(
    fc.date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
    fc.constantFrom('Z', 'z', '+00:00', '-23:59', '.5+05:30', '.123456789Z'),
  )
  .map(([at, rest]) => at.toISOString().replace(/\.\d+Z$/, rest))
const anyInteger = (min: number) =>
  fc.oneof(fc.maxSafeNat(), fc.constantFrom(1, 23, 24, 255, 256, 65_536, 2 ** 32)).map((value) => Math.max(min, value))
const anyText = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 200 })
  .filter((text) => text.isWellFormed() && !text.startsWith('\uFEFF'))

const required = {
  protocol_version: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((at) => known(parseProtocolVersion(at.toISOString().slice(0, 10)))),
  file_id: anyUuid.map((id) => known(parseAssetId(id))),
  amk_version: anyInteger(1),
  ciphertext_hash: anyHash,
  plaintext_size: anyInteger(0),
  chunk_size: anyInteger(1),
  created_by_user: anyUuid.map((id) => known(parseAccountId(id))),
  created_by_device: anyUuid.map((id) => known(parseDeviceId(id))),
  client_version: anyText,
  timestamp: anyTime,
}

const optional = {
  album_id: anyUuid.map((id) => known(parseAlbumId(id))),
  metadata_blob_hash: anyHash,
  retention_until: anyTime,
}

/** Makes the fields agree with each other. */
const kind = {
  prior: fc.option(anyHash, { nil: undefined }),
  namesOriginal: fc.boolean(),
  isReplace: fc.boolean(),
  wrappedKey: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 }), { nil: undefined }),
}

const anyManifest: fc.Arbitrary<SignedManifest> = fc
  .tuple(fc.record(required), fc.record(optional, { requiredKeys: [] }), fc.record(kind))
  .map(([always, sometimes, { prior, namesOriginal, isReplace, wrappedKey }]) => {
    const envelope: ManifestEnvelope = {
      crypto_suite_id: 1,
      ...always,
      ...sometimes,
      key_mode: wrappedKey === undefined ? 'derived' : 'wrapped',
      action: isReplace ? 'replace' : 'create',
    }
    if (isReplace || namesOriginal) envelope.original_blob_hash = envelope.ciphertext_hash
    if (isReplace && prior !== undefined) envelope.prior_provenance_hash = prior
    return { envelope, wrappedKey }
  })

describe('any assembled manifest', () => {
  const keyId = known(parseKeyId('5a'.repeat(32)))
  const signatures = { ed25519: new Uint8Array(64).fill(1), mlDsa65: new Uint8Array(3309).fill(2) }
  const assembled = (manifest: SignedManifest) => assembleManifest(manifestToBeSigned(manifest, keyId), signatures)

  it('decodes to the same values, agrees with itself, and has an envelope that the schema accepts', () => {
    fc.assert(
      fc.property(anyManifest, (manifest) => {
        const { envelope, wrappedKey } = decodeManifest(assembled(manifest))
        assert.deepEqual({ envelope, wrappedKey }, manifest)
        assert.equal(disagreement(manifest.envelope, envelope), undefined)
        assert.deepEqual(parse(ManifestEnvelope, JSON.parse(JSON.stringify(envelope))), { value: envelope })
      }),
      { numRuns: 300 },
    )
  })

  it('has the same bytes for any order of its fields', () => {
    fc.assert(
      fc.property(anyManifest, (manifest) => {
        const { crypto_suite_id, file_id, ...rest } = manifest.envelope
        const envelope = { ...rest, file_id, crypto_suite_id }
        assert.deepEqual(assembled({ ...manifest, envelope }), assembled(manifest))
      }),
      { numRuns: 50 },
    )
  })
})
