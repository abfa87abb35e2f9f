/** What goes with an original: its metadata, sealed, and the manifest that a device signs over both. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type AccountId, formatInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_PLAINTEXT_BYTES, SUITE_ID } from '@blindkeep/protocol/suites'
import { type Device, signManifest } from '../account/device.ts'
import { type KeyPlace, wrapKey } from '../assets/assetKeys.ts'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { CLIENT_VERSION, protocolVersionFor } from './clientVersion.ts'

/** A blob small enough to lie in memory whole. */
export interface SmallBlob {
  readonly bytes: Bytes
  /** SHA-256, lowercase hex. */
  readonly hash: Sha256Hex
}

interface BundleWriter {
  readonly call: Call
  readonly accountId: AccountId
  readonly environment: Environment
}

interface BundleFacts {
  readonly place: KeyPlace
  /** K. With `wrapped` it goes into the manifest, sealed under the album. */
  readonly key: Bytes
  readonly keyMode: ManifestEnvelope['key_mode']
  readonly originalHash: Sha256Hex
  /** What the original's data segments hold, in bytes. */
  readonly plaintextSize: number
  readonly metadataHash: Sha256Hex
  readonly device: Device
  /** RFC 3339; of an asset that somebody else has begun. */
  readonly retentionUntil?: string | undefined
}

interface SignedBundle {
  /** As the original's session has it; the others differ in `ciphertext_hash` alone (specification, ManifestEnvelope). */
  readonly envelope: ManifestEnvelope
  readonly provenance: SmallBlob
}

/** Signs the manifest of a new asset. The server's window is asked for; nothing is sent. */
export async function signBundle(writer: BundleWriter, facts: BundleFacts): Promise<SignedBundle> {
  const { call, accountId, environment } = writer
  const { place, device, keyMode, key, originalHash, retentionUntil } = facts
  const { body: info } = await call('serverInfo')
  const envelope: ManifestEnvelope = {
    crypto_suite_id: SUITE_ID,
    protocol_version: protocolVersionFor(info),
    album_id: place.albumId,
    file_id: place.assetId,
    amk_version: place.amkVersion,
    ciphertext_hash: originalHash,
    plaintext_size: facts.plaintextSize,
    chunk_size: SEGMENT_PLAINTEXT_BYTES,
    key_mode: keyMode,
    metadata_blob_hash: facts.metadataHash,
    original_blob_hash: originalHash,
    created_by_user: accountId,
    created_by_device: device.deviceId,
    client_version: CLIENT_VERSION,
    timestamp: formatInstant(environment.now()),
    action: 'create',
    ...(retentionUntil === undefined ? {} : { retention_until: retentionUntil }),
  }
  const wrappedKey = keyMode === 'wrapped' ? await wrapKey(key, place) : undefined
  return { envelope, provenance: smallBlob(environment, signManifest(device, { envelope, wrappedKey })) }
}

export function smallBlob({ createHash }: Environment, bytes: Bytes): SmallBlob {
  const running = createHash()
  running.update(bytes)
  const hash = parseSha256Hex(running.digest())
  if (hash === undefined) throw new Error('the running hash gave no SHA-256')
  return { bytes, hash }
}
