import { AssetReceiptsResponse, AssetResponse } from '../schemas/assets.ts'
import type { Operations } from './operation.ts'

export const assetOperations = {
  asset: {
    method: 'GET',
    path: '/v1/assets/{asset_id}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'One of the caller’s assets',
    description:
      'There from its first blob on. Complete with original, metadata and provenance; a client that finds an asset incomplete uploads what is missing.',
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
      'Gives the quota back at once and ends its open sessions. Its id stays taken. Refused before the retention_until of its manifest.',
    answers: { 204: { description: 'Deleted.' } },
    problems: ['error.asset.not_found', 'error.asset.retained'],
  },
  assetReceipts: {
    method: 'GET',
    path: '/v1/assets/{asset_id}/receipts',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Receipts covering an asset',
    description:
      'In receipt_seq order, the landing of an adopted drop included. receipt_cbor is the receipt: check its two signatures under the key that server_key_id names.',
    answers: { 200: { description: 'The receipts.', body: AssetReceiptsResponse } },
    problems: ['error.storage.asset_not_found'],
  },
} as const satisfies Operations
