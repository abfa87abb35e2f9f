/** What the owner keeps: opened, checked, deleted. */

import { type AssetReceiptsOptions, assetReceipts, type CheckedAssetReceipts } from '../verify/assetReceipts.ts'
import { type BeforeDestroying, type DestroyAnswer, verifyBeforeDestroying } from '../verify/verifyBeforeDestroying.ts'
import { type HeldAnswers, type VerifyHeld, verifyHeld } from '../verify/verifyHeld.ts'
import { type AssetToVerify, type AssetVerdict, type VerifyOptions, verifyStorage } from '../verify/verifyStorage.ts'
import { type AssetFacts, readAsset } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { createDescribeAsset, type DescribeAsset } from './describeAsset.ts'
import { type OpenedAsset, openAsset } from './openAsset.ts'

export interface OwnerAssets {
  /** What the server says of an asset; `openAsset` compares it with what was signed. */
  asset(assetId: string): Promise<AssetFacts>
  /**
   * Name, type and size, as they were signed; the content is not read. Of what a guest padded, the size is that with the padding.
   * Throws what `openAsset` throws.
   */
  readonly describeAsset: DescribeAsset
  /** Verifies who signed it, and gives its file. */
  openAsset(assetId: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<OpenedAsset>
  /** Gives the quota back at once. The id stays taken. Throws what a call throws: `error.asset.retained` before its manifest allows it. */
  deleteAsset(assetId: string): Promise<void>
  /** Every receipt that covers the asset, checked. Throws `AuditError`. */
  assetReceipts(assetId: string, options?: AssetReceiptsOptions): Promise<CheckedAssetReceipts>
  /** One verdict for each asset. The server's word on what it was asked; whether to destroy a file, `verifyBeforeDestroying` says. */
  verifyStorage(assets: readonly AssetToVerify[], options?: VerifyOptions): Promise<readonly AssetVerdict[]>
  /** Whether the server holds what was signed, for up to 100 assets, without their files at hand. Any failure is a doubt with its reason. */
  verifyHeld(question: VerifyHeld): Promise<HeldAnswers>
  /** Whether this very file may be destroyed, because the server holds it. Any failure is a no with its reason. */
  verifyBeforeDestroying(question: BeforeDestroying): Promise<DestroyAnswer>
}

export function createOwnerAssets(ports: AssetPorts): OwnerAssets {
  const { call } = ports
  return {
    asset: (assetId) => readAsset(call, assetId),
    describeAsset: createDescribeAsset(ports),
    openAsset: (assetId, options) => openAsset(ports, assetId, options),
    deleteAsset: async (assetId) => {
      await call('deleteAsset', { path: { asset_id: assetId } })
    },
    assetReceipts: (assetId, options) => assetReceipts(ports, assetId, options),
    verifyStorage: (assets, options) => verifyStorage(call, assets, options),
    verifyHeld: (question) => verifyHeld(ports, question),
    verifyBeforeDestroying: (question) => verifyBeforeDestroying(ports, question),
  }
}
