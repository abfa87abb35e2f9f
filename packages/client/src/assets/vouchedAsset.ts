/** An asset and who vouches for it. `vouchFor` is the way from the server's facts to the key that opens them. */
import { type Bytes, fromBase64, fromHex, uuidBytes } from '@blindkeep/protocol/bytes'
import type { DeviceId, Sha256Hex } from '@blindkeep/protocol/ids'
import { recoverDropKey } from '../drops/dropKeys.ts'
import type { Header } from '../seal/header.ts'
import type { OpenContext } from '../seal/openHeader.ts'
import { AssetError, AssetIncomplete, AssetUnsigned } from './assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf } from './assetFacts.ts'
import { type AssetKeyInputs, derivedKey, unwrapKey } from './assetKeys.ts'
import type { AssetPorts } from './assetPorts.ts'
import { MAX_METADATA_BYTES, openMetadata } from './metadata.ts'
import { type Provenance, readProvenance } from './provenance.ts'
import { readWholeBlob } from './readBlob.ts'

/** What the owner accepts, after a question that says what it means. */
export interface AssetPermissions {
  /** Accepts an asset without signature: a malicious server can return another drop or upload instead. */
  readonly allowUnsigned?: boolean | undefined
  /** Accepts the signature of a device that was revoked: a thief of that device can have signed it, with any date. */
  readonly allowRevokedDevice?: boolean | undefined
}

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

interface VouchedAsset {
  /** They agree with the manifest, if there is one. */
  readonly asset: AssetFacts
  readonly original: AssetBlob
  /** Undefined only with `allowUnsigned`. Its device is revoked only with `allowRevokedDevice`. */
  readonly provenance: Provenance | undefined
  /** K, 32 bytes. */
  readonly key: Bytes
}

export interface SignedVouchedAsset extends VouchedAsset {
  readonly provenance: Provenance
}

/**
 * Throws `AssetIncomplete` when the original is missing, `AssetUnsigned` when no live device vouches for the asset and
 * `permissions` do not accept that, `AssetError` for facts that contradict the manifest or lead to no key, and what a
 * call throws.
 */
export async function vouchFor(
  ports: AssetPorts,
  asset: AssetFacts,
  permissions: AssetPermissions,
  signal?: AbortSignal,
): Promise<VouchedAsset> {
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload on the device that began it.')
  const provenance = await readProvenance(ports, asset, signal)
  requireSignature(provenance, permissions)
  const key = provenance === undefined ? unsignedKeyOf(ports, asset) : await signedKeyOf(ports, asset, provenance)
  return { asset, original, provenance, key }
}

/** Like `vouchFor`, for uses that no permission opens to an unsigned asset. */
export async function vouchForSigned(
  ports: AssetPorts,
  asset: AssetFacts,
  { allowRevokedDevice }: Pick<AssetPermissions, 'allowRevokedDevice'>,
  signal?: AbortSignal,
): Promise<SignedVouchedAsset> {
  const vouched = await vouchFor(ports, asset, { allowRevokedDevice }, signal)
  const { provenance } = vouched
  if (provenance === undefined) throw new AssetUnsigned()
  return { ...vouched, provenance }
}

function requireSignature(
  provenance: Provenance | undefined,
  { allowUnsigned = false, allowRevokedDevice = false }: AssetPermissions,
): void {
  if (provenance === undefined) {
    if (allowUnsigned) return
    throw new AssetUnsigned()
  }
  const { deviceId, revokedAt } = provenance.device
  if (revokedAt !== undefined && !allowRevokedDevice) throw new AssetUnsigned({ deviceId, revokedAt })
}

/** K of a signed asset, 32 bytes. Throws `AssetError` without a way to it, `SealError` for an invalid `kem_ct`. */
async function signedKeyOf(
  { accountKey, keysOf }: AssetPorts,
  { assetId, albumId, drop }: AssetFacts,
  { manifest: { envelope, wrappedKey } }: Provenance,
): Promise<Bytes> {
  const keyInputs: AssetKeyInputs = {
    accountKey,
    assetId,
    albumId: envelope.album_id ?? albumId,
    amkVersion: envelope.amk_version,
  }
  if (wrappedKey !== undefined) return unwrapKey(wrappedKey, keyInputs)
  // Before the drop: otherwise a server that invents a drop for an asset with a derived key would make the client take
  // the drop's key for the asset's.
  if (envelope.key_mode === 'derived') return derivedKey(keyInputs)
  return dropKeyOf(keysOf, drop)
}

/**
 * K of an asset that no manifest vouches for: of the account, or of any drop that the server names. Only for a file
 * that the owner is asked about before anything happens with it.
 */
export function unsignedKeyOf(
  { accountKey, keysOf }: AssetPorts,
  { assetId, albumId, envelope, drop }: AssetFacts,
): Bytes {
  if (envelope.key_mode !== 'derived') return dropKeyOf(keysOf, drop)
  return derivedKey({ accountKey, assetId, albumId: envelope.album_id ?? albumId, amkVersion: envelope.amk_version })
}

function dropKeyOf(keysOf: AssetPorts['keysOf'], drop: AssetFacts['drop']): Bytes {
  if (drop !== undefined) return recoverDropKey(keysOf(drop.opaqueId), fromBase64(drop.kemCt))
  throw new AssetError('key_unreadable', 'the server states a wrapped key, but neither manifest nor drop contains one')
}

/** An adopted drop keeps the purpose and context of its link; its key is wrapped. */
export function originalContext({ assetId, drop, envelope }: AssetFacts, key: Bytes): OpenContext {
  const isDrop = drop !== undefined && envelope.key_mode === 'wrapped'
  return { key, purpose: 'original', contextId: isDrop ? fromHex(drop.opaqueId) : uuidBytes(assetId) }
}

interface SignedMetadata {
  readonly header: Header
  readonly hash: Sha256Hex
  /** Bytes of the sealed blob. */
  readonly size: number
}

/**
 * Undefined when no manifest commits to metadata: the sender of a drop has its key and could have sealed any. Throws
 * `AssetIncomplete` when the metadata to which the manifest commits are missing: the header of the original is not
 * signed, so it must not replace them.
 */
export async function readMetadata(
  ports: AssetPorts,
  { asset, key, provenance }: Pick<VouchedAsset, 'asset' | 'key' | 'provenance'>,
  signal?: AbortSignal,
): Promise<SignedMetadata | undefined> {
  const signedHash = provenance?.manifest.envelope.metadata_blob_hash ?? undefined
  if (signedHash === undefined) return undefined
  const blob = blobOf(asset, 'metadata')
  if (blob === undefined) throw new AssetIncomplete(['metadata'], 'Finish its upload on the device that began it.')
  const sealed = await readWholeBlob(ports, { hash: signedHash, bytesMax: MAX_METADATA_BYTES, signal })
  const header = await openMetadata({ key, assetId: asset.assetId }, sealed)
  return { header, hash: signedHash, size: sealed.length }
}

/**
 * The facts about a file: those in the metadata to which a manifest commits, or for an unsigned asset what its original
 * says of itself. The original of a signed asset is only the signed one when it was read to its end, so its header
 * names nothing.
 */
export function nameFacts(
  { provenance }: Pick<VouchedAsset, 'provenance'>,
  metadata: SignedMetadata | undefined,
  header: Header,
): Omit<Header, 'size'> {
  if (provenance === undefined) return header
  return metadata?.header ?? {}
}

export function signedOf({ manifest, device }: Provenance): Signed {
  return {
    deviceId: device.deviceId,
    deviceRevokedAt: device.revokedAt,
    timestamp: manifest.envelope.timestamp,
    provenanceHash: manifest.hash,
  }
}
