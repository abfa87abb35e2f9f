import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Asset, AssetBlob, CreatedAsset } from '../../ports/store.ts'
import { blobOf, presentEnvelope, presentOf } from './renewal.ts'
import { retentionEnd } from './retention.ts'

/** An asset as its account sees it. */
export interface AssetView {
  readonly asset: CreatedAsset
  /** In the order of landing; at least one. Without metadata that wait. */
  readonly blobs: readonly AssetBlob[]
  /** The first blob’s until an original is there; then `presentEnvelope`. */
  readonly envelope: ManifestEnvelope
  /** Whether original, metadata and provenance are all there. */
  readonly isComplete: boolean
  /** Until then it may not be deleted. It may be over. */
  readonly retainedUntil: Instant | undefined
}

const BUNDLE: readonly BlobRole[] = ['original', 'metadata', 'provenance']

export function viewOf(asset: CreatedAsset, landed: readonly AssetBlob[]): AssetView {
  const blobs = presentOf(landed)
  const envelope = presentEnvelope(blobs) ?? blobs[0]?.envelope
  if (envelope === undefined) throw new Error('a visible asset holds no blob')
  const isComplete = BUNDLE.every((role) => blobOf(blobs, role) !== undefined)
  return { asset, blobs, envelope, isComplete, retainedUntil: retentionEnd(blobs) }
}

/** A reservation, a tombstone and another account's asset all look like an unknown asset. */
export function isVisible(asset: Asset | undefined, accountId: AccountId): asset is CreatedAsset {
  return asset?.accountId === accountId && asset.createdAt !== undefined && asset.deletedAt === undefined
}
