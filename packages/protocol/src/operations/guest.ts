import { CreateDropRequest, CreateDropResponse } from '../schemas/drops.ts'
import { GuestLinkResponse, HeldBackRequest } from '../schemas/links.ts'
import { AssetReceipt } from '../schemas/receipts.ts'
import { chunkHeaders, chunkProblems, sessionState } from './chunks.ts'
import type { Operations } from './operation.ts'

export const guestOperations = {
  guestLink: {
    method: 'GET',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Get a link as its guest',
    description:
      'The limits of the link, before a byte is sent. Compare drop_pubkey with the link’s fragment, and refuse to seal if they differ. Ended, unknown and mistyped links get the same 404.',
    answers: { 200: { description: 'The link accepts files.', body: GuestLinkResponse } },
    problems: ['error.drop.link_not_found'],
  },
  createDrop: {
    method: 'POST',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Create a drop session',
    description:
      'The server first reserves the link’s caps, then charges the owner’s quota, then checks the declaration. A refusal leaves nothing reserved or charged. A repeat with the same Idempotency-Key gets the same session.',
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
      'error.drop.inbox_full',
      'error.quota.exceeded',
    ],
  },
  noteHeldBack: {
    method: 'POST',
    path: '/d/{opaque_id}/link/refusals',
    tag: 'guest',
    auth: 'link',
    summary: 'Note that files were held back',
    description:
      'For a client that sends no request for files that do not fit the link’s limits: without it, the owner hears nothing of them. Send each reason once, however many files it is about, and go on whatever the answer is: 404 and 405 also come from servers without this operation. The reason is counted at the link like a refusal, if the link has that limit, or the inbox is full. It needs no passphrase.',
    body: { type: 'application/json', schema: HeldBackRequest },
    answers: { 204: { description: 'Noted, or of no limit of the link.' } },
    problems: ['error.drop.link_not_found'],
  },
  appendChunk: {
    method: 'PATCH',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Append one chunk to a drop session',
    description:
      'The chunk that ends at the declared size gets its 204 only when the drop has landed: hashed as a whole, durable, and with a signed receipt. Any chunk may be repeated: the same offset and checksum get the same answer. The X-Service-Offset of a refusal says where to continue.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    answers: { 204: { description: 'The chunk is kept.', headers: ['X-Service-Offset'] } },
    problems: chunkProblems,
  },
  dropSession: {
    method: 'HEAD',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Get the state of a drop session',
    description:
      'Call it before resuming. It answers for open sessions and, for 30 days, for landed ones, even if the link has ended.',
    answers: sessionState,
    problems: ['error.upload.session_not_found'],
  },
  cancelDrop: {
    method: 'DELETE',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Cancel a drop session',
    description: 'Returns the link’s caps and the owner’s quota. A finishing or landed session cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
  guestReceipt: {
    method: 'GET',
    path: '/d/{opaque_id}/{upload_id}/receipt',
    tag: 'guest',
    auth: 'link',
    summary: 'Get the receipt of a landed drop',
    description:
      'Available for 30 days. receipt_cbor is the receipt. Verify its two signatures with the key that server_key_id names.',
    answers: { 200: { description: 'The receipt.', body: AssetReceipt } },
    problems: ['error.upload.session_not_found'],
  },
} as const satisfies Operations
