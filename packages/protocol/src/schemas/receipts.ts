import type { Static } from 'typebox'
import type { UploadId } from '../ids.ts'
import { base64, integer, object, oneOf, optional, sha256, text, time, uuid } from './shape.ts'

export const BLOB_ROLES = ['original', 'derivative', 'metadata', 'provenance'] as const
export type BlobRole = (typeof BLOB_ROLES)[number]

/** A reading of `receipt_cbor`, which alone is authoritative. */
export const AssetReceipt = object('AssetReceipt', {
  receipt_seq: integer('The receipt’s position in the server’s chain, strictly rising.', 1),
  server_id: text('The server’s canonical origin.'),
  server_key_id: sha256('Fingerprint of the attestation key that signed; survives rotation.'),
  prior_receipt_hash: optional(
    sha256('SHA-256 of the previous receipt_cbor in the server’s log; absent for the first.'),
  ),
  upload_id: uuid<UploadId>('The upload session that produced custody.'),
  blob_role: oneOf(BLOB_ROLES, 'What the bytes are to their asset.'),
  ciphertext_hash: sha256('Content address recomputed by the server.'),
  size: integer('Ciphertext size in bytes.', 1),
  envelope_hash: optional(sha256('SHA-256 of the signed manifest; on the provenance receipt only.')),
  received_at: time('The server’s clock at the finalization commit.'),
  receipt_cbor: base64('The signed receipt, COSE_Sign in deterministic CBOR.', { min: 1, max: 16384 }),
})
export type AssetReceipt = Static<typeof AssetReceipt>
