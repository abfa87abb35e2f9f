/** The owner checks the server: receipts, storage verdicts, and whether a local file may be destroyed. */

import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { PrefixStore } from '../assets/knownPrefixes.ts'
import {
  type AssetReceiptsOptions,
  assetReceipts,
  type CheckedAssetReceipts,
  listReceipts,
  openAudit,
  type ReceiptAudit,
} from './assetReceipts.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { type SampleRun, type SampleSegments, sampleSegments } from './sample.ts'
import { type BeforeDestroying, type DestroyAnswer, verifyBeforeDestroying } from './verifyBeforeDestroying.ts'
import { type HeldAnswers, type VerifyHeld, verifyHeld } from './verifyHeld.ts'
import { type AssetToVerify, type AssetVerdict, type VerifyOptions, verifyStorage } from './verifyStorage.ts'

export interface OwnerVerification {
  /** Every receipt of the asset, checked. Throws `AuditError`, or what a call throws. */
  assetReceipts(assetId: string, options?: AssetReceiptsOptions): Promise<CheckedAssetReceipts>
  /** The receipts that the server lists for an asset, unverified. */
  listReceipts(assetId: string, signal?: AbortSignal): Promise<readonly AssetReceipt[]>
  /** Reads the server's keys once, for many receipts. Throws `AuditError`, and what a call throws. */
  openAudit(pinned?: PinnedKeys): Promise<ReceiptAudit>
  /** The server's own statement, one verdict for each asset. Before destroying a file: `verifyBeforeDestroying`. */
  verifyStorage(assets: readonly AssetToVerify[], options?: VerifyOptions): Promise<readonly AssetVerdict[]>
  /** Whether the server holds what was signed, for 1 to 100 assets, without local files. See `verifyHeld`. */
  verifyHeld(question: VerifyHeld): Promise<HeldAnswers>
  /** Downloads random segments, which only the account's keys can judge. See `sampleSegments`. */
  sampleSegments(question: SampleSegments): Promise<SampleRun>
  /** Where to remember the beginnings of blobs that this client has sealed or read as a whole, for samples. */
  keepPrefixes(store: PrefixStore): void
  /** Whether this very file may be destroyed, because the server holds it. See `verifyBeforeDestroying`. */
  verifyBeforeDestroying(question: BeforeDestroying): Promise<DestroyAnswer>
}

export function createOwnerVerification(ports: AssetPorts): OwnerVerification {
  return {
    assetReceipts: (assetId, options) => assetReceipts(ports, assetId, options),
    listReceipts: (assetId, signal) => listReceipts(ports, assetId, signal),
    openAudit: (pinned) => openAudit(ports, pinned),
    verifyStorage: (assets, options) => verifyStorage(ports.call, assets, options),
    verifyHeld: (question) => verifyHeld(ports, question),
    sampleSegments: (question) => sampleSegments(ports, question),
    keepPrefixes: ports.prefixes.keepIn,
    verifyBeforeDestroying: (question) => verifyBeforeDestroying(ports, question),
  }
}
