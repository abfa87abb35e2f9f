/** The ledger's view of assets: what an asset holds for certain, and what is still unknown. */
import { randomUUID } from 'node:crypto'
import type { Asset, AssetBlob, Attempt, Bundle, Owner } from '../ledger.ts'

export function newAsset(owner: Owner): Asset {
  return { assetId: randomUUID(), owner, bundles: [], deleted: 'no', receipts: new Set() }
}

export function newBlob(of: Pick<AssetBlob, 'role' | 'name' | 'size' | 'hash' | 'attempt'>): AssetBlob {
  const timestamp = new Date().toISOString()
  return { ...of, timestamp, uploadId: of.attempt?.uploadId, acknowledgedOffset: 0, landed: 'no' }
}

export function blobsOf({ original, metadata, provenance }: Bundle): readonly AssetBlob[] {
  return [original, metadata, provenance].filter((blob) => blob !== undefined)
}

/** What the asset holds for certain when it is settled. */
export function acknowledgedBlobsOf({ bundles, deleted }: Asset): readonly AssetBlob[] {
  const last = bundles.at(-1)
  if (last === undefined || deleted === 'acknowledged') return []
  return blobsOf(last).filter(({ landed }) => landed === 'acknowledged')
}

/** A request for it was sent, and its outcome is still unknown. */
export function isUnsettled({ bundles, deleted }: Asset): boolean {
  return deleted === 'asked' || bundles.some((bundle) => blobsOf(bundle).some(({ landed }) => landed === 'asked'))
}

/** The owner's own upload of it is not known to have landed. */
export function isUnfinished(blob: AssetBlob): boolean {
  return blob.attempt === undefined && blob.landed !== 'acknowledged'
}

export function isAdopted({ adoptions }: Attempt): boolean {
  return adoptions.some(({ bundle }) => bundle.original.landed === 'acknowledged')
}

export function describeAsset({ assetId, bundles, deleted }: Asset): string {
  const described = bundles.map((bundle) => blobsOf(bundle).map(describeBlob).join(' with '))
  return `asset ${assetId} (deleted ${deleted}; ${described.join(', then ')})`
}

function describeBlob({ role, size, hash, attempt, landed }: AssetBlob): string {
  const origin = attempt === undefined ? 'uploaded' : `adopted from ${attempt.dropId}`
  return `${role} ${hash.slice(0, 8)} of ${size} bytes, ${origin}, landed ${landed}`
}
