import { AdoptRequest, AdoptResponse } from '../schemas/assets.ts'
import { InboxResponse } from '../schemas/drops.ts'
import { ProvisionLinkResponse } from '../schemas/links.ts'
import { content } from './contents.ts'
import { manifestProblems } from './manifests.ts'
import type { Operations } from './operation.ts'

export const inboxOperations = {
  inbox: {
    method: 'GET',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'The caller’s pending drops',
    description:
      'Everything that waits, oldest first. True names are sealed: read them from the first bytes of each content.',
    answers: { 200: { description: 'The drops.', body: InboxResponse } },
    problems: [],
  },
  dropContent: {
    method: 'GET',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Ciphertext of a pending drop',
    description: 'Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: content,
    problems: [
      'error.drop.not_found',
      'error.blob.withheld',
      'error.request.range_not_satisfiable',
      'error.storage.unavailable',
    ],
  },
  dropContentHead: {
    method: 'HEAD',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Size and hash of a pending drop’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: ['error.drop.not_found', 'error.blob.withheld', 'error.storage.unavailable'],
  },
  discardDrop: {
    method: 'DELETE',
    path: '/v1/drops/{drop_id}',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard a pending drop',
    description: 'Gives the quota back at once. The link’s cap is not refunded.',
    answers: { 204: { description: 'Discarded.' } },
    problems: ['error.drop.not_found'],
  },
  discardDrops: {
    method: 'DELETE',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard all pending drops of one link',
    description: 'Drops that an adoption holds stay. The answer is the same whether or not there was such a link.',
    query: {
      opaque_id: {
        description: 'The link whose pile is discarded.',
        required: true,
        schema: ProvisionLinkResponse.properties.opaque_id,
      },
    },
    answers: { 204: { description: 'Discarded.' } },
    problems: ['error.request.unprocessable'],
  },
  adoptDrop: {
    method: 'POST',
    path: '/v1/drops/{drop_id}/adopt',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Adopt a pending drop into an album',
    description:
      'The drop becomes the original of an asset, which the client then completes with metadata and provenance. The row is claimed, the asset written with its receipt, then the claim settled; an exact repeat meanwhile joins it. Unknown, foreign, adopted before, or claimed by another request: one 404. A client whose answer was lost finds drop.drop_id in the asset.',
    body: { type: 'application/json', schema: AdoptRequest },
    creates: true,
    writes: true,
    answers: { 200: { description: 'Adopted.', body: AdoptResponse } },
    problems: [
      'error.drop.not_found',
      ...manifestProblems,
      'error.drop.adoption_mismatch',
      'error.request.limit_reached',
      'error.storage.unavailable',
    ],
    statuses: { 'error.asset.id_taken': 422, 'error.manifest.stale': 422 },
  },
} as const satisfies Operations
