import { toBase64, toHex } from '@blindkeep/protocol/bytes'
import {
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  parseSha256Hex,
} from '@blindkeep/protocol/ids'
import {
  assembleManifest,
  decodeManifest,
  disagreement,
  manifestHash,
  manifestToBeSigned,
  type SignedManifest,
} from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { albumKey, assetWrapKey } from '../../packages/client/src/seal/derive.ts'
import { sealSmall } from '../../packages/client/src/seal/seal.ts'
import { ACCOUNT_KEY, ALBUM_ID, BLOB_KEY, FILE_ID, known, rising, SALT } from './inputs.ts'
import { manifestRefusals } from './manifestRefusals.ts'
import { createTestKey, type TestKey } from './testKey.ts'

const FIRST_DEVICE = createTestKey(0x80)
const SECOND_DEVICE = createTestKey(0xc0)

const hash = (first: number) => known(parseSha256Hex(toHex(rising(first, 32))))

/** Only the required fields, of an empty file, with a time that is not in UTC. */
const least: ManifestEnvelope = {
  crypto_suite_id: 1,
  protocol_version: known(parseProtocolVersion('2026-01-01')),
  file_id: known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02')),
  amk_version: 1,
  ciphertext_hash: hash(1),
  plaintext_size: 0,
  chunk_size: 1_048_560,
  key_mode: 'derived',
  created_by_user: known(parseAccountId('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e04')),
  created_by_device: known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e03')),
  client_version: 'b',
  timestamp: '2026-03-01t11:20:30.4+01:00',
  action: 'create',
}

const usual: ManifestEnvelope = {
  ...least,
  album_id: known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01')),
  plaintext_size: 1_050_000,
  metadata_blob_hash: hash(2),
  client_version: 'blindkeep-web 0.1.0',
  timestamp: '2026-03-01T10:20:30.456Z',
}

function replacing(prior: Uint8Array): ManifestEnvelope {
  const original = hash(3)
  return {
    ...usual,
    ciphertext_hash: original,
    original_blob_hash: original,
    plaintext_size: 70_000,
    timestamp: '2026-04-01T10:20:30.456Z',
    action: 'replace',
    prior_provenance_hash: manifestHash(prior),
  }
}

/** Every field, the largest numbers, the longest client_version: 200 characters of four bytes each in UTF-8. */
function most(prior: Uint8Array): ManifestEnvelope {
  return {
    ...replacing(prior),
    amk_version: Number.MAX_SAFE_INTEGER,
    plaintext_size: Number.MAX_SAFE_INTEGER,
    chunk_size: Number.MAX_SAFE_INTEGER,
    key_mode: 'wrapped',
    created_by_device: known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e05')),
    client_version: '🔑'.repeat(200),
    timestamp: '2026-12-31T23:59:60.123456789Z',
    retention_until: '9999-12-31T23:59:59.999Z',
  }
}

function write(manifest: SignedManifest, key: TestKey = FIRST_DEVICE): Uint8Array {
  const toBeSigned = manifestToBeSigned(manifest, key.keyId)
  return assembleManifest(toBeSigned, key.sign(toBeSigned))
}

function described(name: string, provenance: Uint8Array) {
  const { envelope, wrappedKey, keyId, hash: ownHash } = decodeManifest(provenance)
  return {
    name,
    envelope,
    ...(wrappedKey === undefined ? {} : { wrapped_key: toHex(wrappedKey) }),
    payload: toHex(manifestToBeSigned({ envelope, wrappedKey }, keyId).payload),
    device_key_id: keyId,
    hash: ownHash,
    provenance: toBase64(provenance),
  }
}

const ADOPTED = 'a create, its key wrapped: an adopted drop'
const CREATED = 'a create, its key derived'

function disagreementVectors() {
  const compared = (name: string, envelope: ManifestEnvelope) => ({
    name,
    manifest: CREATED,
    envelope,
    field: disagreement(envelope, usual) ?? null,
  })
  return [
    compared('the original’s own envelope', usual),
    compared('the envelope of another role, whose blob has its own hash', { ...usual, ciphertext_hash: hash(2) }),
    compared('null for absent', { ...usual, original_blob_hash: null, retention_until: null }),
    compared('another size', { ...usual, plaintext_size: 1_050_001 }),
    compared('a hash that only the envelope has', { ...usual, original_blob_hash: usual.ciphertext_hash }),
    compared('a hash that only the manifest has', { ...usual, metadata_blob_hash: null }),
    compared('the same instant in other words', { ...usual, timestamp: '2026-03-01T11:20:30.456+01:00' }),
    compared('a retention that only the envelope has', { ...usual, retention_until: '2027-01-01T00:00:00Z' }),
    compared('another device', { ...usual, created_by_device: most(new Uint8Array(0)).created_by_device }),
  ]
}

export async function manifestVectors() {
  const wrapKey = assetWrapKey(albumKey(ACCOUNT_KEY, ALBUM_ID, 1), FILE_ID)
  const wrappedKey = await sealSmall(BLOB_KEY, { key: wrapKey, purpose: 'asset-key', contextId: FILE_ID, salt: SALT })
  const created = write({ envelope: usual })
  const adopted = write({ envelope: { ...usual, key_mode: 'wrapped' }, wrappedKey })
  const replaced = write({ envelope: replacing(created) })
  const last = write({ envelope: most(replaced), wrappedKey: rising(0, 4096) }, SECOND_DEVICE)
  return {
    keys: [FIRST_DEVICE.described, SECOND_DEVICE.described],
    valid: [
      described(CREATED, created),
      described(ADOPTED, adopted),
      described('a replace, which continues from the first', replaced),
      described('a replace with every field, by another device', last),
      described('only what is required', write({ envelope: least })),
    ],
    wrapped: {
      manifest: ADOPTED,
      account_key: toHex(ACCOUNT_KEY),
      album_id: toHex(ALBUM_ID),
      amk_version: 1,
      file_id: toHex(FILE_ID),
      asset_wrap_key: toHex(wrapKey),
      salt: toHex(SALT),
      blob_key: toHex(BLOB_KEY),
    },
    disagreements: disagreementVectors(),
    invalid: manifestRefusals({ created, adopted, replaced }, { device: FIRST_DEVICE, stranger: SECOND_DEVICE }).map(
      ({ name, reason, bytes }) => ({ name, reason, provenance: toBase64(bytes) }),
    ),
  }
}
