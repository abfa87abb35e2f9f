import { LinksResponse, ProvisionLinkRequest, ProvisionLinkResponse } from '../schemas/links.ts'
import type { Operations } from './operation.ts'

export const linkOperations = {
  provisionLink: {
    method: 'POST',
    path: '/v1/drops/links',
    tag: 'links',
    auth: 'bearer',
    summary: 'Provision an upload link',
    description:
      'The client makes opaque_id and the Drop Key. The same caller with the same values again: 201. Any other use of a taken id is refused, dead links included.',
    body: { type: 'application/json', schema: ProvisionLinkRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The link is live.', body: ProvisionLinkResponse } },
    problems: ['error.drop.opaque_id_taken', 'error.drop.links_exhausted'],
  },
  listLinks: {
    method: 'GET',
    path: '/v1/drops/links',
    tag: 'links',
    auth: 'bearer',
    summary: 'The caller’s links',
    description: 'All of them, dead ones too, oldest first.',
    answers: { 200: { description: 'The links.', body: LinksResponse } },
    problems: [],
  },
  revokeLink: {
    method: 'DELETE',
    path: '/v1/drops/links/{opaque_id}',
    tag: 'links',
    auth: 'bearer',
    summary: 'Revoke one of the caller’s links',
    description:
      'Ends its open sessions at once; drops that landed stay. The answer is the same whether or not there was such a link.',
    answers: { 204: { description: 'No such link of the caller’s is live now.' } },
    problems: [],
  },
} as const satisfies Operations
