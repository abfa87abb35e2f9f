/** An asset as a device of the account signed it: storage verification relies on this, not on the server's words. */

import type { Header } from '../seal/header.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { continueSealer, type Sealer } from '../seal/seal.ts'
import { AssetError } from './assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { BUNDLE_ROLES, type BundleRole } from './bundleRoles.ts'
import type { Provenance } from './provenance.ts'
import { readBlobStart } from './readBlob.ts'
import {
  type AssetPermissions,
  originalContext,
  readMetadata,
  type SignedVouchedAsset,
  vouchForSigned,
} from './vouchedAsset.ts'

/** The blobs of a complete asset, with signed hashes and with sizes that this client has computed. */
export type Bundle = Readonly<Record<BundleRole, Pick<AssetBlob, 'hash' | 'size'>>>

export interface SignedAsset {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  /** The sealed name, type, note and sender. */
  readonly header: Header
  readonly bundle: Bundle
  /** Seals the same file to the same bytes again. */
  readonly sealer: Sealer
}

export interface ReadSignedAsset extends Pick<AssetPermissions, 'allowRevokedDevice'> {
  /** Called as soon as the manifest holds, before anything else is read. */
  readonly onVouched?: ((asset: SignedVouchedAsset) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads everything that is needed to open an asset, except the file itself. Throws `AssetUnsigned` when no live device
 * vouches for it, `AssetIncomplete` when a part is missing, `AssetError` for a contradiction to what was signed,
 * `SealError` for a part that does not open, and what a call throws.
 */
export async function readSignedAsset(
  ports: AssetPorts,
  asset: AssetFacts,
  { signal, onVouched, ...permissions }: ReadSignedAsset,
): Promise<SignedAsset> {
  const vouched = await vouchForSigned(ports, asset, permissions, signal)
  onVouched?.(vouched)
  const { provenance, key } = vouched
  const metadata = await readMetadata(ports, vouched, signal)
  if (metadata === undefined)
    throw new AssetError('metadata_differs', 'the asset’s metadata were never signed, so they may be from anyone')
  const sealer = await sealerOfStored(ports, { asset, provenance, key, signal })
  const { ciphertext_hash: hash } = provenance.manifest.envelope
  return {
    asset,
    provenance,
    header: { ...metadata.header, size: sealer.header.size },
    sealer,
    bundle: {
      original: { hash, size: sealer.sealedSize },
      metadata,
      provenance: { hash: provenance.manifest.hash, size: provenance.size },
    },
  }
}

interface StoredQuestion {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  readonly key: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal | undefined
}

/**
 * A sealer for the stored original. Its prefix comes from the server, but only this account could have sealed it, and
 * the prefix of another blob leads to another hash than the signed one.
 */
async function sealerOfStored(ports: AssetPorts, { asset, provenance, key, signal }: StoredQuestion): Promise<Sealer> {
  const { ciphertext_hash: hash, plaintext_size: plaintextSize } = provenance.manifest.envelope
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const opened = await openPrefix(prefix, originalContext(asset, key))
  if (plaintextSize < opened.header.size)
    throw new AssetError('asset_differs', 'the stored file is longer than the signed one')
  const sealer = continueSealer({ ...opened, prefix, plaintextSize })
  if (sealer.sealedSize !== blobOf(asset, 'original')?.size)
    throw new AssetError('asset_differs', 'the server states another size of the original than the signed one')
  return sealer
}

/** The blobs that receipts must cover. The client does not rely on derivatives; they only have to agree. */
export function signedFacts({ asset, bundle }: Pick<SignedAsset, 'asset' | 'bundle'>): AssetFacts {
  const own = BUNDLE_ROLES.map((role) => ({ role, hash: bundle[role].hash, size: bundle[role].size }))
  return { ...asset, blobs: [...own, ...asset.blobs.filter(({ role }) => role === 'derivative')] }
}

/** The question for a verdict: the blobs of the bundle, in the order of `BUNDLE_ROLES`. */
export function toVerify({ asset, bundle }: Pick<SignedAsset, 'asset' | 'bundle'>) {
  return { assetId: asset.assetId, hashes: BUNDLE_ROLES.map((role) => bundle[role].hash) }
}

export function hashesOf({ original, metadata, provenance }: Bundle) {
  return { original: original.hash, metadata: metadata.hash, provenance: provenance.hash }
}
