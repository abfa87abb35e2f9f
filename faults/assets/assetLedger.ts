/** What owners have asked for their assets and what was acknowledged of it (ledger.ts says what follows from that). */
import { randomUUID } from 'node:crypto'
import type { Attempt, Owner, Said } from '../ledger.ts'

export interface Asset {
  readonly assetId: string
  readonly owner: Owner
  /** One after the other; the original of each takes the place of everything before it. All but the last are known to have been there. */
  readonly bundles: Bundle[]
  deleted: Said
  /** Every `receipt_cbor` that was ever fetched for it, in base64. */
  readonly receipts: Set<string>
}

export interface Bundle {
  readonly action: 'create' | 'replace'
  readonly original: AssetBlob
  metadata: AssetBlob | undefined
  provenance?: AssetBlob
}

export interface AssetBlob {
  readonly role: 'original' | 'metadata' | 'provenance'
  /** What an owner’s own bytes are made from, unless there is `content`. */
  readonly name: string
  readonly content?: Buffer
  readonly size: number
  readonly hash: string
  /** Of an adopted original. */
  readonly attempt: Attempt | undefined
  /** RFC 3339, of its manifest: to repeat a request is to repeat it exactly. */
  readonly timestamp: string
  uploadId: string | undefined
  /** Bytes, by the highest offset that the server has given. */
  acknowledgedOffset: number
  /** `asked` once an adoption, or the last chunk, was sent. */
  landed: Said
}

/** A drop on its way to be the original of this bundle. */
export interface Adoption {
  readonly attempt: Attempt
  readonly asset: Asset
  readonly bundle: Bundle
}

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

/** What the asset has been acknowledged to hold, if nothing is open about it. */
export function heldBy({ bundles, deleted }: Asset): readonly AssetBlob[] {
  const last = bundles.at(-1)
  if (last === undefined || deleted === 'acknowledged') return []
  return blobsOf(last).filter(({ landed }) => landed === 'acknowledged')
}

/** Something was asked of which nobody knows yet what came of it. */
export function isUnsettled({ bundles, deleted }: Asset): boolean {
  return deleted === 'asked' || bundles.some((bundle) => blobsOf(bundle).some(({ landed }) => landed === 'asked'))
}

/** A session of the owner’s was begun and is not known to have landed. */
export function isUnfinished(blob: AssetBlob): boolean {
  return blob.attempt === undefined && blob.landed !== 'acknowledged'
}

export function isAdopted({ adoptions }: Attempt): boolean {
  return adoptions.some(({ bundle }) => bundle.original.landed === 'acknowledged')
}

export function describeAsset({ assetId, bundles, deleted }: Asset): string {
  const told = bundles.map((bundle) => blobsOf(bundle).map(describeBlob).join(' with '))
  return `asset ${assetId} (deleted ${deleted}; ${told.join(', then ')})`
}

function describeBlob({ role, size, hash, attempt, landed }: AssetBlob): string {
  const origin = attempt === undefined ? 'uploaded' : `adopted from ${attempt.dropId}`
  return `${role} ${hash.slice(0, 8)} of ${size} bytes, ${origin}, landed ${landed}`
}
