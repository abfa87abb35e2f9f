import {
  ChangeShareRequest,
  CreateShareRequest,
  CreateShareResponse,
  ShareResponse,
  SharesResponse,
} from '../schemas/shares.ts'
import { content } from './contents.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

const proofHeader = ['X-Service-Passphrase-Proof'] as const
const visitHeader = ['X-Service-Visit'] as const
/** Of all that a share shows. */
const gateProblems = [
  'error.share.not_found',
  'error.share.passphrase_required',
  'error.share.rate_limited',
  'error.request.malformed',
] as const

export const shareOperations = {
  createShare: {
    method: 'POST',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Create a share',
    description:
      'Any client with the address can read sealed_index, and each of blob_hashes while an asset of the caller has that blob. With passphrase_verifier it also needs the passphrase. The client generates opaque_id. A repeat by the same caller with the same values gets 201. Any other use of a taken id is refused, also if its share has ended: an address never shows what another account shares.',
    body: { type: 'application/json', schema: CreateShareRequest },
    creates: true,
    writes: true,
    leaves: 'rows',
    answers: { 201: { description: 'The share is created.', body: CreateShareResponse } },
    problems: ['error.request.limit_reached'],
  },
  listShares: {
    method: 'GET',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'List the caller’s shares',
    description: `All shares that were not deleted, oldest first; expired ones for 30 days: up to 11 MB. ${pagesOf('shares')} Their indexes are not included. sealed_name and sealed_record are as the client gave them; only the owner gets them. The verifier is in no answer.`,
    query: pageQuery({
      of: 'shares',
      id: CreateShareResponse.properties.opaque_id,
      gone: 'error.share.not_found',
      places: 'Every share that the caller has made has a place, also a deleted one.',
    }),
    answers: { 200: { description: 'The shares.', body: SharesResponse } },
    problems: ['error.share.not_found'],
  },
  ownShare: {
    method: 'GET',
    path: '/v1/shares/{opaque_id}',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Read one of the caller’s shares',
    description:
      'What a client with the address would get, also if the share has expired or needs a passphrase. It is no visit. Deleted, unknown and other accounts’ shares get the same 404.',
    answers: { 200: { description: 'The share.', body: ShareResponse } },
    problems: ['error.share.not_found'],
  },
  changeShare: {
    method: 'PATCH',
    path: '/v1/shares/{opaque_id}',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Change one of the caller’s shares',
    description:
      'Only the caller sees its name, in the list. A limit that is not above the downloads that were counted ends them at once. sealed_index, blob_hashes, sealed_record and prior_index_hash come together and change what the share shows, under the same address: at once, for visits that have begun, too. If the share has another index by now than that of prior_index_hash, nothing changes (409); a repeat gets 204. An absent member stays as it is, null removes it. Deleted, unknown and other accounts’ shares get the same 404.',
    body: { type: 'application/json', schema: ChangeShareRequest, nullRemoves: true },
    writes: true,
    leaves: 'rows',
    answers: { 204: { description: 'The share has this name, this limit and these contents now.' } },
    problems: ['error.share.not_found', 'error.share.changed', 'error.request.limit_reached'],
  },
  deleteShare: {
    method: 'DELETE',
    path: '/v1/shares/{opaque_id}',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Delete a share',
    description:
      'The share shows nothing from now on. The assets stay as they are. The answer is the same if there is no such share.',
    answers: { 204: { description: 'The caller has no such share now.' } },
    problems: [],
  },
  share: {
    method: 'GET',
    path: '/s/{opaque_id}',
    tag: 'shares',
    auth: 'link',
    summary: 'Get a share by its address',
    description:
      'The key in the address opens the index; it never reaches the server. Expired, deleted, unknown and mistyped shares get the same 404. If the share has a passphrase, its proof is required before anything of the share is given: until then, and for a wrong one, the answer is 403. Wrong proofs are limited. Other shares ignore the proof. A visit that gets the share for the first time is counted as opened. When its downloads are used up, only the visits that took one get it.',
    requestHeaders: [...proofHeader, ...visitHeader],
    answers: { 200: { description: 'The share.', body: ShareResponse } },
    problems: [...gateProblems, 'error.share.used_up'],
  },
  shareBlob: {
    method: 'GET',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Get the ciphertext of a shared blob',
    description:
      'Requires that the share names the blob and an asset of its owner has it, and the proof of the passphrase if the share has one. Sealed bytes, with ranges. Missing and withheld blobs and blobs of ended shares get the same 404. A visit that gets bytes of a blob for the first time is counted as a download, whatever else it reads; where the share has a limit, none is given beyond it.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match', ...proofHeader, ...visitHeader],
    answers: content,
    problems: [...gateProblems, 'error.share.used_up', 'error.request.range_not_satisfiable'],
  },
  shareBlobHead: {
    method: 'HEAD',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Get the size of a shared blob’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match', ...proofHeader],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: gateProblems,
  },
} as const satisfies Operations
