/** The companions of an original: its sealed metadata, and the manifest that a device signs over both. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type AccountId, formatInstant } from '@blindkeep/protocol/ids'
import type { DecodedManifest } from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_PLAINTEXT_BYTES, SUITE_ID } from '@blindkeep/protocol/suites'
import { type Device, signManifest } from '../account/device.ts'
import { AssetError } from '../assets/assetError.ts'
import { wrapKey } from '../assets/assetKeys.ts'
import { openMetadata, sealMetadata } from '../assets/metadata.ts'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { descriptionOf, hasSameFacts } from '../seal/fileHeader.ts'
import type { ChosenOriginal } from './chosenOriginal.ts'
import { CLIENT_VERSION, protocolVersionFor } from './clientVersion.ts'
import { type SmallBlob, smallBlob } from './smallBlob.ts'

interface BundleWriter {
  readonly call: Call
  readonly accountId: AccountId
  readonly accountKey: Bytes
  readonly environment: Environment
}

interface BundleFacts {
  /** What the owner chose: nothing else can be signed. */
  readonly original: ChosenOriginal
  /** What an earlier attempt has stored, if anything. Its hash is that of its bytes. */
  readonly storedMetadata?: SmallBlob | undefined
  /** The manifest that the new one takes the place of. None by default: the asset is new. */
  readonly prior?: DecodedManifest | undefined
  readonly device: Device
  /** RFC 3339: the asset cannot be deleted before. */
  readonly retainUntil?: string | undefined
}

interface SignedBundle {
  /** Of the original's session; the others differ in `ciphertext_hash` alone (specification, ManifestEnvelope). */
  readonly envelope: ManifestEnvelope
  readonly metadata: SmallBlob
  readonly provenance: SmallBlob
}

/**
 * Signs the manifest of a new asset, or another one of the same original. Asks for the server's protocol window;
 * sends nothing. Throws `AssetError` when the stored metadata describe another file than the chosen one, and
 * `SealError` when they do not open.
 */
export async function signBundle(writer: BundleWriter, facts: BundleFacts): Promise<SignedBundle> {
  const { call, accountId, accountKey, environment } = writer
  const { original, storedMetadata, prior, device, retainUntil } = facts
  const { assetId, albumId, amkVersion, key, keyMode } = original
  const metadata = storedMetadata ?? smallBlob(environment, await sealMetadata(original, original.file))
  if (storedMetadata !== undefined) await requireMetadataOf(original, storedMetadata)
  const { body: info } = await call('serverInfo')
  const envelope: ManifestEnvelope = {
    crypto_suite_id: SUITE_ID,
    protocol_version: protocolVersionFor(info),
    album_id: albumId,
    file_id: assetId,
    amk_version: amkVersion,
    ciphertext_hash: original.hash,
    plaintext_size: original.plaintextSize,
    chunk_size: SEGMENT_PLAINTEXT_BYTES,
    key_mode: keyMode,
    metadata_blob_hash: metadata.hash,
    original_blob_hash: original.hash,
    created_by_user: accountId,
    created_by_device: device.deviceId,
    client_version: CLIENT_VERSION,
    timestamp: formatInstant(environment.now()),
    ...(prior === undefined ? { action: 'create' } : continued(prior)),
    ...(retainUntil !== undefined && { retention_until: retainUntil }),
  }
  const wrappedKey =
    keyMode === 'wrapped' ? await wrapKey(key, { accountKey, assetId, albumId, amkVersion }) : undefined
  return { envelope, metadata, provenance: smallBlob(environment, signManifest(device, { envelope, wrappedKey })) }
}

/** What was promised of the retention stays promised. */
function continued({ hash, envelope }: DecodedManifest): Partial<ManifestEnvelope> & { readonly action: 'replace' } {
  const { retention_until: until } = envelope
  return {
    action: 'replace',
    prior_provenance_hash: hash,
    ...(until !== undefined && until !== null && { retention_until: until }),
  }
}

/** The sender of a drop has its key, and so could have sealed any metadata. */
async function requireMetadataOf(original: ChosenOriginal, { bytes }: SmallBlob): Promise<void> {
  const header = await openMetadata(original, bytes)
  if (!hasSameFacts(original.file, descriptionOf(header)))
    throw new AssetError('metadata_differs', 'the stored metadata describe another file than the chosen one')
}
