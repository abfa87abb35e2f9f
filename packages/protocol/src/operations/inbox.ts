import { AdoptRequest, AdoptResponse } from '../schemas/assets.ts'
import { InboxEntryResponse, InboxResponse } from '../schemas/drops.ts'
import { ProvisionLinkResponse } from '../schemas/links.ts'
import { content } from './contents.ts'
import { manifestProblems } from './manifests.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

export const inboxOperations = {
  inbox: {
    method: 'GET',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'List the caller’s pending drops',
    description: `All pending drops, oldest first. ${pagesOf('drops')} A drop that lands while a client reads may have its place among those that it has read: if the event drop.landed names a drop that no page had, begin again. The true file names are sealed in the first bytes of each content.`,
    query: pageQuery({
      of: 'drops',
      id: InboxEntryResponse.properties.drop_id,
      gone: 'error.drop.not_found',
      places: 'Only a pending drop has a place, not one that was adopted or discarded.',
    }),
    answers: { 200: { description: 'The drops.', body: InboxResponse } },
    problems: ['error.drop.not_found'],
  },
  dropContent: {
    method: 'GET',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Get the ciphertext of a pending drop',
    description: 'Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: content,
    problems: ['error.drop.not_found', 'error.blob.withheld', 'error.request.range_not_satisfiable'],
  },
  dropContentHead: {
    method: 'HEAD',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Get the size and hash of a pending drop’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: ['error.drop.not_found', 'error.blob.withheld'],
  },
  discardDrop: {
    method: 'DELETE',
    path: '/v1/drops/{drop_id}',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard a pending drop',
    description:
      'Goes to the bin, which can restore it for a time, and counts in the quota until then. Does not return the link’s caps.',
    answers: { 204: { description: 'Discarded.' } },
    problems: ['error.drop.not_found'],
  },
  discardDrops: {
    method: 'DELETE',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard all pending drops of one link',
    description:
      'They go to the bin. Keeps drops that an adoption has claimed. The answer is the same if there is no such link.',
    query: {
      opaque_id: {
        description: 'The link whose drops are discarded.',
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
      'The drop becomes the original of an asset, which the client then completes with metadata and provenance. The server claims the drop and writes the asset with its receipt. An exact repeat in the meantime gets the same answer. A drop that is unknown, not the caller’s, already adopted, or claimed by another request gets the same 404. A client that lost the answer finds drop.drop_id in the asset.',
    body: { type: 'application/json', schema: AdoptRequest },
    creates: true,
    writes: true,
    leaves: 'own',
    answers: { 200: { description: 'Adopted.', body: AdoptResponse } },
    problems: [
      'error.drop.not_found',
      ...manifestProblems,
      'error.drop.adoption_mismatch',
      'error.request.limit_reached',
    ],
    statuses: { 'error.asset.id_taken': 422, 'error.manifest.stale': 422 },
  },
} as const satisfies Operations
