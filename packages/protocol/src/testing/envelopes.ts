/** Manifest envelopes for tests. */
import {
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  parseSha256Hex,
} from '../ids.ts'
import type { ManifestEnvelope } from '../schemas/manifest.ts'
import { known } from './known.ts'

export const hashOf = (digit: string) => known(parseSha256Hex(digit.repeat(64)))

/** Only the required members. */
export const least: ManifestEnvelope = {
  crypto_suite_id: 1,
  protocol_version: known(parseProtocolVersion('2026-01-01')),
  file_id: known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02')),
  amk_version: 1,
  ciphertext_hash: hashOf('a'),
  plaintext_size: 5,
  chunk_size: 1_048_560,
  key_mode: 'derived',
  created_by_user: known(parseAccountId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e04')),
  created_by_device: known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e03')),
  client_version: 'blindkeep-cli 0.1.0',
  timestamp: '2026-03-01T11:20:30.456+01:00',
  action: 'create',
}

/** Every member. */
export const whole: ManifestEnvelope = {
  ...least,
  album_id: known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01')),
  key_mode: 'wrapped',
  metadata_blob_hash: hashOf('b'),
  original_blob_hash: hashOf('a'),
  action: 'replace',
  prior_provenance_hash: hashOf('c'),
  retention_until: '2027-03-01T00:00:00Z',
}
