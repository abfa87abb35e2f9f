import { type Bytes, fromBase64, fromHex, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId, DeviceId, Sha256Hex } from '@blindkeep/protocol/ids'
import { recoverDropKey } from '../drops/dropKeys.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import type { Header } from '../seal/header.ts'
import type { OpenContext } from '../seal/openHeader.ts'
import { AssetError, AssetIncomplete } from './assetError.ts'
import { type AssetFacts, blobOf, readAsset } from './assetFacts.ts'
import { derivedKey, unwrapKey } from './assetKeys.ts'
import type { AssetPorts } from './assetPorts.ts'
import { MAX_METADATA_BYTES, openMetadata } from './metadata.ts'
import { type Provenance, readProvenance } from './provenance.ts'
import { readWholeBlob } from './readBlob.ts'

/** Who has signed an asset. */
export interface Signed {
  readonly deviceId: DeviceId
  /** RFC 3339, the server's word; undefined while the device may write. */
  readonly deviceRevokedAt: string | undefined
  /** RFC 3339, the device's word. */
  readonly timestamp: string
  /** SHA-256 of the provenance blob, lowercase hex. */
  readonly provenanceHash: Sha256Hex
}

export interface OpenedAsset extends FileDescription {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /**
   * Undefined as long as no device has signed the asset: then nothing but a key of the account's vouches for the content,
   * so that a server that lies can give another drop, or an earlier original, in its place.
   */
  readonly signed: Signed | undefined
  /**
   * The file. Fails with `SealError` where the bytes are not those that were sealed, with `AssetError` at the end when they are not those that
   * the manifest names, and with `NetworkError` when the line breaks; what was written of it until then must be thrown away.
   */
  readonly content: ReadableStream<Bytes>
}

/**
 * Opens an asset of the account, whichever of its devices brought it. Throws `AssetError` for what was caught, `AssetIncomplete` when the original has not
 * arrived, `SealError` when key, header or form are wrong, and what a call throws.
 */
export async function openAsset(
  ports: AssetPorts,
  assetId: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<OpenedAsset> {
  const { call } = ports
  const asset = await readAsset(call, assetId, signal)
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload on the device that began it.')
  const provenance = await readProvenance(ports, asset, signal)
  const key = await assetKeyOf(ports, asset, provenance)
  const metadata = await readMetadata(ports, { asset, key, provenance, signal })
  const { body } = await call('blob', { path: { hash: original.hash }, signal })
  const { header, content } = await openHashedBlob({
    stream: body,
    opener: originalContext(asset, key),
    hash: ports.environment.createHash(),
    expectedHash: original.hash,
    differenceError: () =>
      new AssetError(
        'hash_differs',
        'the server gave other bytes for this asset than were signed; throw away what was read',
      ),
  })
  return {
    ...descriptionOf({ ...(metadata?.header ?? header), size: header.size }),
    assetId: asset.assetId,
    albumId: asset.albumId,
    signed: provenance && signedOf(provenance),
    content,
  }
}

/** K of an asset, 32 bytes. Throws `AssetError` when there is no way to it, and `SealError` for a `kem_ct` that is none. */
export async function assetKeyOf(
  { accountKey, keysOf }: AssetPorts,
  asset: AssetFacts,
  provenance: Provenance | undefined,
): Promise<Bytes> {
  const { assetId, drop } = asset
  const { envelope, wrappedKey } = provenance?.manifest ?? { envelope: asset.envelope, wrappedKey: undefined }
  const place = { accountKey, assetId, albumId: envelope.album_id ?? asset.albumId, amkVersion: envelope.amk_version }
  if (wrappedKey !== undefined) return unwrapKey(wrappedKey, place)
  // Before any drop: of an asset that was signed so, a server that tells of one would have the key of that drop taken for the asset's.
  if (envelope.key_mode === 'derived') return derivedKey(place)
  // Until a manifest carries the wrapped key, the drop's own way to it serves.
  if (drop !== undefined) return recoverDropKey(keysOf(drop.opaqueId), fromBase64(drop.kemCt))
  throw new AssetError('key_unreadable', 'the asset’s key is told to be wrapped, and nothing carries it')
}

/** A drop keeps purpose and context of its link when it is adopted; its key is wrapped then. */
export function originalContext({ assetId, drop, envelope }: AssetFacts, key: Bytes): OpenContext {
  const isDrop = drop !== undefined && envelope.key_mode === 'wrapped'
  return { key, purpose: 'original', contextId: isDrop ? fromHex(drop.opaqueId) : uuidBytes(assetId) }
}

interface MetadataQuestion {
  readonly asset: AssetFacts
  readonly key: Bytes
  readonly provenance: Provenance | undefined
  readonly signal?: AbortSignal | undefined
}

interface SignedMetadata {
  readonly header: Header
  readonly hash: Sha256Hex
  /** Bytes of the sealed blob. */
  readonly size: number
}

/** Undefined when it is not there, or when no manifest commits to it: whoever sent a drop has its key, and could have sealed any. */
export async function readMetadata(
  ports: AssetPorts,
  { asset, key, provenance, signal }: MetadataQuestion,
): Promise<SignedMetadata | undefined> {
  const blob = blobOf(asset, 'metadata')
  const signedHash = provenance?.manifest.envelope.metadata_blob_hash ?? undefined
  if (blob === undefined || blob.hash !== signedHash) return undefined
  const sealed = await readWholeBlob(ports, { hash: blob.hash, bytesMax: MAX_METADATA_BYTES, signal })
  const header = await openMetadata({ key, assetId: asset.assetId }, sealed)
  return { header, hash: blob.hash, size: sealed.length }
}

export function signedOf({ manifest, device }: Provenance): Signed {
  return {
    deviceId: device.deviceId,
    deviceRevokedAt: device.revokedAt,
    timestamp: manifest.envelope.timestamp,
    provenanceHash: manifest.hash,
  }
}
