import { CreateShareRequest, CreateShareResponse, ShareResponse, SharesResponse } from '../schemas/shares.ts'
import { content } from './contents.ts'
import type { Operations } from './operation.ts'

export const shareOperations = {
  createShare: {
    method: 'POST',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Make a share',
    description:
      'Whoever has its address reads sealed_index, and those of blob_hashes that live assets of the caller’s hold. The client makes opaque_id. The same caller with the same values again: 201. Any other use of a taken id is refused, ended shares included: an address never shows something else.',
    body: { type: 'application/json', schema: CreateShareRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The share is there.', body: CreateShareResponse } },
    problems: ['error.request.limit_reached'],
  },
  listShares: {
    method: 'GET',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'The caller’s shares',
    description:
      'Those that were not deleted, oldest first, expired ones for 30 days. What they show is sealed: the caller’s own addresses are nowhere here.',
    answers: { 200: { description: 'The shares.', body: SharesResponse } },
    problems: [],
  },
  deleteShare: {
    method: 'DELETE',
    path: '/v1/shares/{opaque_id}',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Delete a share',
    description:
      'It shows nothing from now on. The assets stay as they are. The answer is the same whether or not there was such a share.',
    answers: { 204: { description: 'There is no such share of the caller’s.' } },
    problems: [],
  },
  share: {
    method: 'GET',
    path: '/s/{opaque_id}',
    tag: 'shares',
    auth: 'link',
    summary: 'A share as whoever has its address sees it',
    description:
      'The index opens with the key in the address, which never reaches the server. Every expired, deleted, foreign or mistyped share is the same 404.',
    answers: { 200: { description: 'The share.', body: ShareResponse } },
    problems: ['error.share.not_found'],
  },
  shareBlob: {
    method: 'GET',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Ciphertext of a shared blob',
    description:
      'If the share names it and a live asset of its owner’s holds it. Sealed bytes, with ranges. What is not there, is withheld, or belongs to no share that shows anything is the same 404.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: content,
    problems: ['error.share.not_found', 'error.request.range_not_satisfiable', 'error.storage.unavailable'],
  },
  shareBlobHead: {
    method: 'HEAD',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Size of a shared blob’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: ['error.share.not_found', 'error.storage.unavailable'],
  },
} as const satisfies Operations
