/** Reads the signed manifest of an asset, and believes it only when a device of the account has signed it and the server's own words agree. */
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
  /** Who signed. It may have been revoked since: what a device signed before stays good, and when that was the server alone could tell. */
  readonly device: ListedDevice
}

interface ProvenanceReader extends BlobReader {
  readonly accountId: AccountId
  readonly devices: () => Promise<readonly ListedDevice[]>
}

/**
 * Undefined as long as the asset has no provenance. Throws `AssetError`: `provenance_invalid` for bytes that are no manifest, of another asset or account,
 * or not signed; `device_unknown` for a device that no client of the account has added; `envelope_differs`, `asset_differs` when the server tells the
 * asset otherwise than it was signed.
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
    throw new AssetError('device_unknown', 'the asset is signed by a device that is none of this account’s')
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
    throw new AssetError('provenance_invalid', `the asset’s provenance does not hold: ${cause.message}`, { cause })
  }
}

function requireOfAsset(manifest: ManifestEnvelope, { assetId }: AssetFacts, accountId: AccountId): void {
  if (manifest.file_id !== assetId)
    throw new AssetError('provenance_invalid', 'the provenance was signed for another asset')
  if (manifest.created_by_user !== accountId)
    throw new AssetError('provenance_invalid', 'the provenance was signed for another account')
}

/**
 * The envelope came with the original. Another device may have finished what the first began, at another time, with metadata of its own,
 * so these fields are the signer's and are not compared.
 */
function requireMirror(manifest: ManifestEnvelope, asset: AssetFacts): void {
  const { created_by_device, client_version, timestamp, protocol_version, metadata_blob_hash = null } = manifest
  const signers = { created_by_device, client_version, timestamp, protocol_version, metadata_blob_hash }
  const field = disagreement({ ...asset.envelope, ...signers }, manifest)
  if (field !== undefined) throw new AssetError('envelope_differs', `the server tells another ${field} than was signed`)
  if ((manifest.album_id ?? asset.albumId) !== asset.albumId)
    throw new AssetError('asset_differs', 'the asset is told to be in another album than was signed')
  if (blobOf(asset, 'original')?.hash !== manifest.ciphertext_hash)
    throw new AssetError('asset_differs', 'the asset’s original is told to be another than was signed')
  const metadata = blobOf(asset, 'metadata')
  // Metadata that is not there yet is another matter, and one to which no manifest commits is not read at all.
  if (metadata !== undefined && metadata.hash !== (metadata_blob_hash ?? metadata.hash))
    throw new AssetError('metadata_differs', 'the asset’s metadata is told to be another than was signed')
}
