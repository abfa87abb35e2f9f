import { CreateDropRequest, CreateDropResponse } from '../schemas/drops.ts'
import { GuestLinkResponse } from '../schemas/links.ts'
import { AssetReceipt } from '../schemas/receipts.ts'
import { chunkHeaders, chunkProblems, sessionState } from './chunks.ts'
import type { Operations } from './operation.ts'

export const guestOperations = {
  guestLink: {
    method: 'GET',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'The link as its guest sees it',
    description:
      'Limits before a byte is sent. Compare drop_pubkey with the link’s fragment and refuse to seal if they disagree. Every dead, foreign or mistyped link is the same 404.',
    answers: { 200: { description: 'The link takes files.', body: GuestLinkResponse } },
    problems: ['error.drop.link_not_found'],
  },
  createDrop: {
    method: 'POST',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Create a drop session',
    description:
      'In order: the link admits the file and reserves its caps, the owner’s quota is charged, the declaration is checked. A refusal leaves nothing reserved or charged. The same Idempotency-Key again answers with the same session.',
    requestHeaders: ['Idempotency-Key'],
    body: {
      type: 'application/json',
      schema: CreateDropRequest,
      judgedLater: ['content_type', 'ciphertext_hash', 'kem_ct', 'passphrase_proof', 'suggested_filename'],
    },
    creates: true,
    answers: { 201: { description: 'Send the chunks.', body: CreateDropResponse } },
    problems: [
      'error.drop.link_not_found',
      'error.drop.rate_limited',
      'error.drop.passphrase_required',
      'error.drop.malformed',
      'error.drop.file_too_large',
      'error.drop.cap_exhausted',
      'error.quota.exceeded',
      'error.storage.unavailable',
    ],
  },
  appendChunk: {
    method: 'PATCH',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Append one chunk to a drop session',
    description:
      'The chunk that ends at the declared size is answered 204 only when the drop has landed: hashed as a whole, durable and with a signed receipt. Repeat any chunk freely: the same offset and checksum get the same answer. A refusal’s X-Service-Offset says where to go on.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    answers: { 204: { description: 'Kept.', headers: ['X-Service-Offset'] } },
    problems: chunkProblems,
  },
  dropSession: {
    method: 'HEAD',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Where a drop session stands',
    description:
      'Ask it before resuming; it answers for open sessions and, for 30 days, for those that landed, whatever became of the link.',
    answers: sessionState,
    problems: ['error.upload.session_not_found'],
  },
  cancelDrop: {
    method: 'DELETE',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Cancel a drop session',
    description:
      'Gives the link’s caps and the owner’s quota back. What has landed, or is about to, cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
  guestReceipt: {
    method: 'GET',
    path: '/d/{opaque_id}/{upload_id}/receipt',
    tag: 'guest',
    auth: 'link',
    summary: 'The receipt of a landed drop',
    description:
      'For 30 days. receipt_cbor is the receipt; check its two signatures under the key that server_key_id names.',
    answers: { 200: { description: 'The receipt.', body: AssetReceipt } },
    problems: ['error.upload.session_not_found'],
  },
} as const satisfies Operations
