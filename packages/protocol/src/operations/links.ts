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
      'The client generates opaque_id and the Drop Key. A repeat by the same caller with the same values gets 201. Any other use of a taken id is refused, also if its link has ended.',
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
    summary: 'List the caller’s links',
    description: 'All links, including ended ones, oldest first.',
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
      'Ends the open sessions of the link at once. Landed drops stay. The answer is the same if there is no such link.',
    answers: { 204: { description: 'The caller has no such live link now.' } },
    problems: [],
  },
} as const satisfies Operations
