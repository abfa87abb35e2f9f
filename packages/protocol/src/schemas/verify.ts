import { Type } from 'typebox'
import type { AssetId } from '../ids.ts'
import type { Static } from '../static.ts'
import { BLOB_ROLES } from './receipts.ts'
import { boolean, list, object, oneOf, optional, sha256, time, uuid } from './shape.ts'

export const MAX_ASSETS = 100
export const MAX_HASHES = 32

export const AssetVerifyRequest = object('AssetVerifyRequest', {
  asset_id: uuid<AssetId>('The asset.'),
  blob_hashes: Type.Array(sha256('A content address.'), {
    minItems: 1,
    maxItems: MAX_HASHES,
    description: 'Every content address that the client relies on. The verdict is a conjunction over exactly these.',
  }),
})

export const StorageVerifyRequest = object('StorageVerifyRequest', {
  assets: Type.Array(AssetVerifyRequest, { minItems: 1, maxItems: MAX_ASSETS, description: 'Assets to verify.' }),
  deep: optional(boolean('Whether to read and hash the bytes again.')),
})
export type StorageVerifyRequest = Static<typeof StorageVerifyRequest>

const DEEP_VERDICTS = ['intact', 'corrupt', 'rate_limited'] as const
export type DeepVerdict = (typeof DEEP_VERDICTS)[number]

export const BlobVerdictResponse = object('BlobVerdictResponse', {
  hash: sha256('The address that the client declared.'),
  role: oneOf([...BLOB_ROLES, 'unknown'], 'The role of the blob in the asset. unknown if the asset does not have it.'),
  stored: boolean('The bytes are present at that address.'),
  indexed: boolean('An asset of the caller has a blob with this address.'),
  retrievable: boolean('The blob is not withheld.'),
  deep: optional(oneOf(DEEP_VERDICTS, 'The result of the deep scan. Absent when the bytes were not read.')),
})
export type BlobVerdictResponse = Static<typeof BlobVerdictResponse>

export const StorageVerdictResponse = object('StorageVerdictResponse', {
  asset_id: uuid<AssetId>('The requested asset.'),
  durable: boolean(
    'True only if every declared blob is stored, indexed and retrievable. Delete a local copy only then.',
  ),
  blobs: list(BlobVerdictResponse, 'One for each declared hash, in the order of declaration.'),
  checked_at: time('The server’s clock at verification.'),
})

export const StorageVerifyResponse = object('StorageVerifyResponse', {
  verdicts: list(StorageVerdictResponse, 'One for each requested asset, in the order of the request.'),
})
export type StorageVerifyResponse = Static<typeof StorageVerifyResponse>
