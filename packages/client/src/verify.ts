/** Answers of the owner's checks: `Owner.verifyStorage`, `verifyHeld`, `verifyBeforeDestroying`, `assetReceipts`. */
export { BUNDLE_ROLES, type BundleRole } from './assets/bundleRoles.ts'
export type {
  AssetReceiptsOptions,
  CheckedAssetReceipt,
  CheckedAssetReceipts,
  ListedReceipts,
  ReceiptAudit,
} from './verify/assetReceipts.ts'
export { type Doubt, type DoubtReason, doubt } from './verify/doubt.ts'
export { type SignedOriginal, statedSegments } from './verify/population.ts'
export {
  MAX_SAMPLE_BYTES,
  type Sample,
  type SampleFault,
  type SampleRecord,
  type SampleResult,
  type SampleRun,
  type SampleSegments,
  type SampleTally,
  sampleRecord,
  sampleTally,
} from './verify/sample.ts'
export { MAX_SAMPLES, samplesToFind, shareFound } from './verify/segmentChoice.ts'
export { type Depth, type Examination, verdictDoubts } from './verify/verdictDoubts.ts'
export type { BeforeDestroying, DestroyAnswer } from './verify/verifyBeforeDestroying.ts'
export type { DoubtedAsset, HeldAnswer, HeldAnswers, HeldAsset, VerifyHeld } from './verify/verifyHeld.ts'
export type { AssetToVerify, AssetVerdict, BlobVerdict, VerifyOptions } from './verify/verifyStorage.ts'
