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

/** The signature of an asset. */
export interface Signed {
  readonly deviceId: DeviceId
  /** RFC 3339, stated by the server; undefined while the device may write. */
  readonly deviceRevokedAt: string | undefined
  /** RFC 3339, stated by the device. */
  readonly timestamp: string
  /** SHA-256 of the provenance blob, lowercase hex. */
  readonly provenanceHash: Sha256Hex
}

export interface OpenedAsset extends FileDescription {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /**
   * Undefined when no device has signed the asset. Then only a key of the account vouches for the content, and a malicious server can return another
   * drop, or an earlier original, instead.
   */
  readonly signed: Signed | undefined
  /**
   * The file. Fails with `SealError` when the bytes were altered, with `AssetError` at the end when they do not have the signed hash, and with
   * `NetworkError` when the connection breaks. After a failure the consumer must discard what it has written.
   */
  readonly content: ReadableStream<Bytes>
}

/**
 * Opens an asset of the account. Throws `AssetError` for a contradiction, `AssetIncomplete` when the original is missing, `SealError` when key,
 * header or format are wrong, and what a call throws.
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
        'the server’s bytes for this asset are not the signed ones; discard what was read',
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

/** K of an asset, 32 bytes. Throws `AssetError` when there is no way to derive or unwrap it, and `SealError` for an invalid `kem_ct`. */
export async function assetKeyOf(
  { accountKey, keysOf }: AssetPorts,
  asset: AssetFacts,
  provenance: Provenance | undefined,
): Promise<Bytes> {
  const { assetId, drop } = asset
  const { envelope, wrappedKey } = provenance?.manifest ?? { envelope: asset.envelope, wrappedKey: undefined }
  const keyInputs = {
    accountKey,
    assetId,
    albumId: envelope.album_id ?? asset.albumId,
    amkVersion: envelope.amk_version,
  }
  if (wrappedKey !== undefined) return unwrapKey(wrappedKey, keyInputs)
  // Before the drop: otherwise a server that invents a drop for an asset with a derived key would make the client take the drop's key for the
  // asset's.
  if (envelope.key_mode === 'derived') return derivedKey(keyInputs)
  // Without a manifest that contains the wrapped key, the drop itself leads to it.
  if (drop !== undefined) return recoverDropKey(keysOf(drop.opaqueId), fromBase64(drop.kemCt))
  throw new AssetError('key_unreadable', 'the server states a wrapped key, but neither manifest nor drop contains one')
}

/** An adopted drop keeps the purpose and context of its link; its key is wrapped. */
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

/** Undefined when there is no metadata, or when no manifest commits to it: the sender of a drop has its key and could have sealed any metadata. */
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
