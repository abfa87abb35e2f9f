/** An asset as a device of the account has signed it: what storage verification asks about. Nothing of it is the server's word alone. */

import type { Header } from '../seal/header.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { continueSealer, type Sealer } from '../seal/seal.ts'
import { AssetError, AssetIncomplete } from './assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { BUNDLE_ROLES, type BundleRole } from './bundleRoles.ts'
import { assetKeyOf, originalContext, readMetadata } from './openAsset.ts'
import { type Provenance, readProvenance } from './provenance.ts'
import { readBlobStart } from './readBlob.ts'

/** The blobs of a complete asset, by hashes that were signed, and sizes that this client has found for itself. */
export type Bundle = Readonly<Record<BundleRole, Pick<AssetBlob, 'hash' | 'size'>>>

export interface SignedAsset {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  /** What was sealed of name, type, note and sender. */
  readonly header: Header
  readonly bundle: Bundle
  /** Seals the same file to the same bytes again. */
  readonly sealer: Sealer
}

/**
 * Reads everything that it takes to open an asset but the file itself. Throws `AssetIncomplete` when a part has not arrived, `AssetError` for what
 * contradicts what was signed, `SealError` for what does not open, and what a call throws.
 */
export async function readSignedAsset(
  ports: AssetPorts,
  asset: AssetFacts,
  signal: AbortSignal | undefined,
): Promise<SignedAsset> {
  requireComplete(asset)
  const provenance = await readProvenance(ports, asset, signal)
  if (provenance === undefined) throw new AssetIncomplete(['provenance'], 'Finish its upload first.')
  const key = await assetKeyOf(ports, asset, provenance)
  const metadata = await readMetadata(ports, { asset, key, provenance, signal })
  if (metadata === undefined)
    throw new AssetError('metadata_differs', 'the asset’s metadata was never signed, so what is there may be anybody’s')
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

function requireComplete(asset: AssetFacts): void {
  const missing = BUNDLE_ROLES.filter((role) => blobOf(asset, role) === undefined)
  if (missing.length > 0) throw new AssetIncomplete(missing, 'Finish its upload first.')
}

interface StoredQuestion {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  readonly key: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal | undefined
}

/**
 * Seals as the stored original was sealed. The beginning of the stored blob is the server's word, but only this account could have sealed it, and a
 * beginning of another blob leads to another hash than the signed one.
 */
async function sealerOfStored(ports: AssetPorts, { asset, provenance, key, signal }: StoredQuestion): Promise<Sealer> {
  const { ciphertext_hash: hash, plaintext_size: plaintextSize } = provenance.manifest.envelope
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const opened = await openPrefix(prefix, originalContext(asset, key))
  if (plaintextSize < opened.header.size)
    throw new AssetError('asset_differs', 'the stored file is longer than was signed')
  const sealer = continueSealer({ ...opened, prefix, plaintextSize })
  if (sealer.sealedSize !== blobOf(asset, 'original')?.size)
    throw new AssetError('asset_differs', 'the original is told to have another size than was signed')
  return sealer
}

/** What receipts have to be for. Derivatives are not relied on; their receipts are the server's to agree with itself about. */
export function signedFacts({ asset, bundle }: Pick<SignedAsset, 'asset' | 'bundle'>): AssetFacts {
  const own = BUNDLE_ROLES.map((role) => ({ role, hash: bundle[role].hash, size: bundle[role].size }))
  return { ...asset, blobs: [...own, ...asset.blobs.filter(({ role }) => role === 'derivative')] }
}

/** What to ask a verdict about: the blobs of the bundle, in the order of `BUNDLE_ROLES`. */
export function toVerify({ asset, bundle }: Pick<SignedAsset, 'asset' | 'bundle'>) {
  return { assetId: asset.assetId, hashes: BUNDLE_ROLES.map((role) => bundle[role].hash) }
}

export function hashesOf({ original, metadata, provenance }: Bundle) {
  return { original: original.hash, metadata: metadata.hash, provenance: provenance.hash }
}
