/** Reads an asset's signed manifest. A device of the account must have signed it, and the server's data must agree. */
import type { AccountId } from '@blindkeep/protocol/ids'
import {
  type DecodedManifest,
  decodeManifest,
  disagreement,
  MAX_PROVENANCE_BYTES,
  ManifestError,
  verifyManifest,
} from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { ListedDevice } from '../account/ownerDevices.ts'
import { verifiers } from '../seal/signatures.ts'
import { AssetError } from './assetError.ts'
import { type AssetFacts, blobOf } from './assetFacts.ts'
import { type BlobReader, readWholeBlob } from './readBlob.ts'

export interface Provenance {
  readonly manifest: DecodedManifest
  /** Bytes of the blob. */
  readonly size: number
  /** The signer, perhaps revoked since: its earlier signatures stay valid, and only the server knows when it signed. */
  readonly device: ListedDevice
}

interface ProvenanceReader extends BlobReader {
  readonly accountId: AccountId
  readonly devices: () => Promise<readonly ListedDevice[]>
}

/**
 * Undefined when the asset has no provenance. Throws `AssetError`: `provenance_invalid` for bytes that are not a
 * manifest, not signed, or of another asset or account; `device_unknown` for a device that is not listed, or has no MAC
 * under the account key; `envelope_differs`, `asset_differs` and `metadata_differs` when the server's data about the
 * asset differ from what was signed.
 */
export async function readProvenance(
  reader: ProvenanceReader,
  asset: AssetFacts,
  signal?: AbortSignal,
): Promise<Provenance | undefined> {
  const blob = blobOf(asset, 'provenance')
  if (blob === undefined) return undefined
  const bytes = await readWholeBlob(reader, { hash: blob.hash, bytesMax: MAX_PROVENANCE_BYTES, signal })
  const claimed = await orInvalid(async () => decodeManifest(bytes))
  const device = (await reader.devices()).find(
    ({ deviceId, isOwn }) => isOwn && deviceId === claimed.envelope.created_by_device,
  )
  if (device === undefined)
    throw new AssetError('device_unknown', 'the asset is signed by a device that is not one of this account’s')
  const manifest = await orInvalid(() =>
    verifyManifest({ provenance: bytes, publicKey: device.publicKey, verify: verifiers }),
  )
  requireOfAsset(manifest.envelope, asset, reader.accountId)
  requireMirror(manifest.envelope, asset)
  return { manifest, size: bytes.length, device }
}

async function orInvalid<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof ManifestError)) throw cause
    throw new AssetError('provenance_invalid', `the asset’s provenance is invalid: ${cause.message}`, { cause })
  }
}

function requireOfAsset(manifest: ManifestEnvelope, { assetId }: AssetFacts, accountId: AccountId): void {
  if (manifest.file_id !== assetId)
    throw new AssetError('provenance_invalid', 'the provenance was signed for another asset')
  if (manifest.created_by_user !== accountId)
    throw new AssetError('provenance_invalid', 'the provenance was signed for another account')
}

/**
 * The envelope came with the original. Another device may have completed the asset later, with its own metadata, so
 * these fields are the signer's and are not compared.
 */
function requireMirror(manifest: ManifestEnvelope, asset: AssetFacts): void {
  const { created_by_device, client_version, timestamp, protocol_version, metadata_blob_hash = null } = manifest
  const signers = { created_by_device, client_version, timestamp, protocol_version, metadata_blob_hash }
  const field = disagreement({ ...asset.envelope, ...signers }, manifest)
  if (field !== undefined)
    throw new AssetError('envelope_differs', `the server states another ${field} than the signed one`)
  if ((manifest.album_id ?? asset.albumId) !== asset.albumId)
    throw new AssetError('asset_differs', 'the server states another album than the signed one')
  if (blobOf(asset, 'original')?.hash !== manifest.ciphertext_hash)
    throw new AssetError('asset_differs', 'the server states another original than the signed one')
  const metadata = blobOf(asset, 'metadata')
  // Missing metadata is reported elsewhere, and metadata to which no manifest commits are not read.
  if (metadata !== undefined && metadata.hash !== (metadata_blob_hash ?? metadata.hash))
    throw new AssetError('metadata_differs', 'the server states other metadata than the signed ones')
}
