/** Asks the server whether it holds certain blobs, and accepts only an answer to exactly that question. */
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { BlobVerdictResponse, DeepVerdict, StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import type { Call } from '../http/call.ts'
import { AuditError } from './auditError.ts'

/**
 * A deep scan reads every byte before it answers: 290 s are about 28 GiB from a slow disk of 100 MiB/s. Node's fetch
 * waits 300 s for an answer to begin (undici, `headersTimeout`), so more cannot be promised.
 */
const VERIFY_TIMEOUT_MS = 290_000

export interface AssetToVerify {
  readonly assetId: AssetId
  /** The hashes of all blobs that the caller relies on, 1 to 32, lowercase hex. */
  readonly hashes: readonly Sha256Hex[]
}

export interface VerifyOptions {
  /** The server reads and hashes the bytes again, within the account's budget. */
  readonly deep?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface BlobVerdict {
  readonly hash: Sha256Hex
  readonly role: BlobRole | 'unknown'
  readonly stored: boolean
  readonly indexed: boolean
  readonly retrievable: boolean
  readonly deep: DeepVerdict | 'not_examined'
}

export interface AssetVerdict {
  readonly assetId: AssetId
  /** Stated by the server, for exactly the requested hashes. */
  readonly durable: boolean
  /** In the order of the question. */
  readonly blobs: readonly BlobVerdict[]
  /** RFC 3339, by the server's clock. */
  readonly checkedAt: string
}

/**
 * One verdict for each of 1 to 100 assets, in the order of the question. Throws `AuditError` (`verdict_malformed`)
 * for an answer about other assets or hashes, in another order, incomplete, or contradictory; and what a call
 * throws. `NetworkError` (`timeout`) after 290 s says nothing about the bytes: ask again, or for a deep scan of
 * fewer assets at once.
 */
export async function verifyStorage(
  call: Call,
  assets: readonly AssetToVerify[],
  { deep = false, signal }: VerifyOptions = {},
): Promise<readonly AssetVerdict[]> {
  const { body } = await call('verifyStorage', {
    body: { assets: assets.map(({ assetId, hashes }) => ({ asset_id: assetId, blob_hashes: [...hashes] })), deep },
    signal,
    timeoutMs: VERIFY_TIMEOUT_MS,
  })
  if (body.verdicts.length !== assets.length) throw malformed('the number of verdicts is not the number of assets')
  return assets.map((asset, index) => verdictOf(asset, body.verdicts[index], deep))
}

function verdictOf(
  asset: AssetToVerify,
  verdict: StorageVerifyResponse['verdicts'][number] | undefined,
  deep: boolean,
): AssetVerdict {
  if (verdict?.asset_id !== asset.assetId) throw malformed('a verdict is about another asset')
  if (verdict.blobs.length !== asset.hashes.length)
    throw malformed('the number of entries in a verdict is not the number of hashes')
  const blobs = asset.hashes.map((hash, index) => blobVerdictOf(hash, verdict.blobs[index], deep))
  if (verdict.durable && !blobs.every(isWhole))
    throw malformed('a verdict is durable with a blob that is missing or damaged')
  return { assetId: asset.assetId, durable: verdict.durable, blobs, checkedAt: verdict.checked_at }
}

function blobVerdictOf(hash: Sha256Hex, blob: BlobVerdictResponse | undefined, wasDeep: boolean): BlobVerdict {
  if (blob?.hash !== hash) throw malformed('a verdict is about another hash')
  const { role, stored, indexed, retrievable } = blob
  const deep = blob.deep ?? 'not_examined'
  if (!wasDeep && deep !== 'not_examined') throw malformed('a verdict reports a scan that was not requested')
  if (role === 'unknown' && (stored || indexed || retrievable))
    throw malformed('a verdict finds a blob of an unknown role')
  return { hash, role, stored, indexed, retrievable, deep }
}

function isWhole({ role, stored, indexed, retrievable, deep }: BlobVerdict): boolean {
  return role !== 'unknown' && stored && indexed && retrievable && deep !== 'corrupt'
}

function malformed(finding: string): AuditError {
  return new AuditError('verdict_malformed', `the answer about storage does not fit the question: ${finding}`)
}
