import {
  ChangeLinkRequest,
  LinkEntryResponse,
  LinksResponse,
  ProvisionLinkRequest,
  ProvisionLinkResponse,
} from '../schemas/links.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

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
    leaves: 'rows',
    answers: { 201: { description: 'The link is live.', body: ProvisionLinkResponse } },
    problems: ['error.drop.opaque_id_taken', 'error.drop.links_exhausted'],
  },
  listLinks: {
    method: 'GET',
    path: '/v1/drops/links',
    tag: 'links',
    auth: 'bearer',
    summary: 'List the caller’s links',
    description: `All links, including ended ones, oldest first: up to 34 MB. ${pagesOf('links')}`,
    query: pageQuery({
      of: 'links',
      id: LinkEntryResponse.properties.opaque_id,
      gone: 'error.drop.link_not_found',
      places: 'Every link of the caller has a place, also one that has left the list.',
    }),
    answers: { 200: { description: 'The links.', body: LinksResponse } },
    problems: ['error.drop.link_not_found'],
  },
  changeLink: {
    method: 'PATCH',
    path: '/v1/drops/links/{opaque_id}',
    tag: 'links',
    auth: 'bearer',
    summary: 'Change the limits and the words of one of the caller’s links',
    description:
      'An absent member stays as it is, null removes it. Nothing else of a link changes. An expired link takes files again if it gets a later expiry. A link that is used up or revoked cannot be changed: it gets the answer of a link that is not the caller’s. Uploads that are open go on, whatever the new limits are. The count of refused drops ends; a body without members ends it, also of a link that cannot be changed, and changes nothing else.',
    body: { type: 'application/json', schema: ChangeLinkRequest, nullRemoves: true },
    writes: true,
    leaves: 'rows',
    answers: { 200: { description: 'The link as it is now.', body: LinkEntryResponse } },
    problems: ['error.drop.link_not_found', 'error.drop.cap_below_use', 'error.drop.links_exhausted'],
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
