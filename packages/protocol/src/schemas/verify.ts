import { type Static, Type } from 'typebox'
import type { AssetId } from '../ids.ts'
import { BLOB_ROLES } from './receipts.ts'
import { boolean, list, object, oneOf, optional, sha256, time, uuid } from './shape.ts'

export const MAX_ASSETS = 100
export const MAX_HASHES = 32

export const AssetVerifyRequest = object('AssetVerifyRequest', {
  asset_id: uuid<AssetId>('The asset.'),
  blob_hashes: Type.Array(sha256('A content address.'), {
    minItems: 1,
    maxItems: MAX_HASHES,
    description: 'Every content address that the client relies on; the verdict is a conjunction over exactly these.',
  }),
})

export const StorageVerifyRequest = object('StorageVerifyRequest', {
  assets: Type.Array(AssetVerifyRequest, { minItems: 1, maxItems: MAX_ASSETS, description: 'Assets to verify.' }),
  deep: optional(boolean('Also re-read and re-hash the bytes.')),
})
export type StorageVerifyRequest = Static<typeof StorageVerifyRequest>

export const DEEP_VERDICTS = ['intact', 'corrupt', 'rate_limited'] as const
export type DeepVerdict = (typeof DEEP_VERDICTS)[number]

export const BlobVerdictResponse = object('BlobVerdictResponse', {
  hash: sha256('The address as the client declared it.'),
  role: oneOf(
    [...BLOB_ROLES, 'unknown'],
    'The role that the asset holds the blob under; unknown for one that it does not hold.',
  ),
  stored: boolean('The bytes are present at that address.'),
  indexed: boolean('A live asset of the caller’s references the address.'),
  retrievable: boolean('Nothing is withholding the blob.'),
  deep: optional(oneOf(DEEP_VERDICTS, 'What a deep scan found; absent when the bytes were not examined.')),
})
export type BlobVerdictResponse = Static<typeof BlobVerdictResponse>

export const StorageVerdictResponse = object('StorageVerdictResponse', {
  asset_id: uuid<AssetId>('The asset asked about.'),
  durable: boolean('True only when every declared blob is stored, indexed and retrievable. Gates deletion.'),
  blobs: list(BlobVerdictResponse, 'One for each declared hash, in the order of declaration.'),
  checked_at: time('The server’s clock at verification.'),
})

export const StorageVerifyResponse = object('StorageVerifyResponse', {
  verdicts: list(StorageVerdictResponse, 'One for each requested asset, in the order of the request.'),
})
export type StorageVerifyResponse = Static<typeof StorageVerifyResponse>
