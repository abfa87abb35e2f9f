/** The companions of an original: its sealed metadata, and the manifest that a device signs over both. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type AccountId, formatInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_PLAINTEXT_BYTES, SUITE_ID } from '@blindkeep/protocol/suites'
import { type Device, signManifest } from '../account/device.ts'
import { type AssetKeyInputs, wrapKey } from '../assets/assetKeys.ts'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { CLIENT_VERSION, protocolVersionFor } from './clientVersion.ts'

/** A blob that is small enough to be in memory as a whole. */
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
  readonly keyInputs: AssetKeyInputs
  /** K. With `wrapped` the manifest contains it, sealed under the album. */
  readonly key: Bytes
  readonly keyMode: ManifestEnvelope['key_mode']
  readonly originalHash: Sha256Hex
  /** Plaintext bytes in the original's data segments. */
  readonly plaintextSize: number
  readonly metadataHash: Sha256Hex
  readonly device: Device
  /** RFC 3339; from an asset that another device began. */
  readonly retentionUntil?: string | undefined
}

interface SignedBundle {
  /** The envelope of the original's session; those of the other blobs differ in `ciphertext_hash` alone (specification, ManifestEnvelope). */
  readonly envelope: ManifestEnvelope
  readonly provenance: SmallBlob
}

/** Signs the manifest of a new asset. Asks for the server's protocol window; sends nothing. */
export async function signBundle(writer: BundleWriter, facts: BundleFacts): Promise<SignedBundle> {
  const { call, accountId, environment } = writer
  const { keyInputs, device, keyMode, key, originalHash, retentionUntil } = facts
  const { body: info } = await call('serverInfo')
  const envelope: ManifestEnvelope = {
    crypto_suite_id: SUITE_ID,
    protocol_version: protocolVersionFor(info),
    album_id: keyInputs.albumId,
    file_id: keyInputs.assetId,
    amk_version: keyInputs.amkVersion,
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
  const wrappedKey = keyMode === 'wrapped' ? await wrapKey(key, keyInputs) : undefined
  return { envelope, provenance: smallBlob(environment, signManifest(device, { envelope, wrappedKey })) }
}

export function smallBlob({ createHash }: Environment, bytes: Bytes): SmallBlob {
  const running = createHash()
  running.update(bytes)
  const hash = parseSha256Hex(running.digest())
  if (hash === undefined) throw new Error('the running hash did not return a SHA-256')
  return { bytes, hash }
}
