/** The receipts of one asset, as the server lists them now, checked as a whole. */
import { AuditError, ProblemError } from '@blindkeep/client/errors'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import type { CheckedAssetReceipts, ReceiptAudit } from '@blindkeep/client/verify'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'

export type Listed =
  /** The asset was deleted meanwhile. */
  | { readonly is: 'deleted' }
  | { readonly is: 'checked'; readonly listed: readonly AssetReceipt[]; readonly checked: CheckedAssetReceipts }
  | { readonly is: 'refused'; readonly listed: readonly AssetReceipt[]; readonly error: AuditError }

interface ListedOptions {
  readonly owner: Owner
  readonly audit: ReceiptAudit
  readonly signal: AbortSignal
}

/** Throws what a call throws. */
export async function checkListed(options: ListedOptions, asset: AssetFacts): Promise<Listed> {
  const first = await checkOnce(options, asset)
  if (first.is !== 'refused') return first
  // The asset may have changed since its facts were read: an upload landed, or it was deleted.
  const now = await unlessMissing(options.owner.asset(asset.assetId))
  return now === undefined ? { is: 'deleted' } : await checkOnce(options, now)
}

async function checkOnce({ owner, audit, signal }: ListedOptions, asset: AssetFacts): Promise<Listed> {
  const listed = await unlessMissing(owner.listReceipts(asset.assetId, signal))
  try {
    if (listed === undefined) throw new AuditError('receipt_missing', 'the server has a file and no receipts for it')
    return { is: 'checked', listed, checked: await audit.check(asset, listed, { signal }) }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { is: 'refused', listed: listed ?? [], error }
  }
}

const MISSING: readonly string[] = ['error.asset.not_found', 'error.storage.asset_not_found']

async function unlessMissing<Answer>(asking: Promise<Answer>): Promise<Answer | undefined> {
  return await asking.catch((error: unknown) => {
    if (error instanceof ProblemError && MISSING.includes(error.code)) return undefined
    throw error
  })
}
