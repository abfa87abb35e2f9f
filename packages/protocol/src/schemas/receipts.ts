import type { UploadId } from '../ids.ts'
import type { Static } from '../static.ts'
import { base64, integer, object, oneOf, optional, plainText, sha256, time, uuid } from './shape.ts'

export const BLOB_ROLES = ['original', 'derivative', 'metadata', 'provenance'] as const
export type BlobRole = (typeof BLOB_ROLES)[number]

/** The content of `receipt_cbor` as JSON. Only `receipt_cbor` is signed. */
export const AssetReceipt = object('AssetReceipt', {
  receipt_seq: integer('The receipt’s position in the server’s chain.', 1),
  server_id: plainText('The server’s canonical origin.'),
  server_key_id: sha256('Fingerprint of the attestation key that signed; stays published after a rotation.'),
  prior_receipt_hash: optional(
    sha256('SHA-256 of the previous receipt_cbor in the server’s log; absent for the first.'),
  ),
  upload_id: uuid<UploadId>('The upload session of the blob.'),
  blob_role: oneOf(BLOB_ROLES, 'The role of the blob in its asset.'),
  ciphertext_hash: sha256('SHA-256 of the ciphertext, computed by the server.'),
  size: integer('Ciphertext size in bytes.', 1),
  envelope_hash: optional(sha256('SHA-256 of the signed manifest. Only in the receipt of a provenance blob.')),
  received_at: time('When the blob landed, by the server’s clock.'),
  receipt_cbor: base64('The signed receipt, COSE_Sign in deterministic CBOR.', { min: 1, max: 16384 }),
})
export type AssetReceipt = Static<typeof AssetReceipt>
