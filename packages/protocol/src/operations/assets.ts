import { AssetReceiptsResponse, AssetResponse, RetainAssetsRequest, RetainAssetsResponse } from '../schemas/assets.ts'
import { sha256 } from '../schemas/shape.ts'
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
      'Goes to the bin, which can restore it for a time, and counts in the quota until then. Ends the open sessions of the asset. The id stays taken. Refused before its retained_until.',
    query: {
      if_provenance: {
        description:
          'The SHA-256 of its provenance. If another one is there by now, or none, the asset stays: error.manifest.stale.',
        required: false,
        schema: sha256('SHA-256 of a provenance blob.'),
      },
    },
    answers: { 204: { description: 'Deleted.' } },
    problems: ['error.asset.not_found', 'error.asset.retained', 'error.manifest.stale'],
  },
  retainAssets: {
    method: 'POST',
    path: '/v1/assets/retention',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Raise until when assets cannot be deleted',
    description:
      'None of the assets can be deleted before `until`, nor can the account: this only raises it, and cannot be undone. At most limits.retention_days of the server facts from now. An asset that is retained for as long stays as it is; the others get a change in the feed. Only an asset that a device has signed is retained; the rest is in skipped. The signed manifest stays as it is. A repeat gets 200 and raises nothing. After an error some of the assets may be raised: repeat the request.',
    body: { type: 'application/json', schema: RetainAssetsRequest },
    writes: true,
    leaves: 'own',
    answers: { 200: { description: 'What was raised.', body: RetainAssetsResponse } },
    problems: ['error.manifest.retention_too_long', 'error.request.rate_limited'],
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
