import { AssetReceiptsResponse, AssetResponse } from '../schemas/assets.ts'
import type { Operations } from './operation.ts'

export const assetOperations = {
  asset: {
    method: 'GET',
    path: '/v1/assets/{asset_id}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Get one of the caller’s assets',
    description:
      'An asset exists once its first blob has landed. It is complete with original, metadata and provenance. A client that finds an incomplete asset uploads the missing blobs.',
    answers: { 200: { description: 'The asset.', body: AssetResponse } },
    problems: ['error.asset.not_found'],
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/v1/assets/{asset_id}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Delete an asset',
    description:
      'Returns the quota at once and ends the open sessions of the asset. The id stays taken. Refused before the retention_until of the manifest.',
    answers: { 204: { description: 'Deleted.' } },
    problems: ['error.asset.not_found', 'error.asset.retained'],
  },
  assetReceipts: {
    method: 'GET',
    path: '/v1/assets/{asset_id}/receipts',
    tag: 'assets',
    auth: 'bearer',
    summary: 'List the receipts of an asset',
    description:
      'In receipt_seq order, including the receipt of an adopted drop. receipt_cbor is the receipt. Verify its two signatures with the key that server_key_id names.',
    answers: { 200: { description: 'The receipts.', body: AssetReceiptsResponse } },
    problems: ['error.storage.asset_not_found'],
  },
} as const satisfies Operations
