import {
  CapabilitiesResponse,
  CapabilityResponse,
  MintCapabilityRequest,
  MintCapabilityResponse,
} from '../schemas/capabilities.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

export const capabilityOperations = {
  mintCapability: {
    method: 'POST',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Mint a capability token',
    description:
      'A JWT by which one peer may read the album, for at most 24 hours. Verify it with the signing_key of server-info. Each request makes a new token. No operation of this server accepts it yet.',
    body: { type: 'application/json', schema: MintCapabilityRequest },
    creates: true,
    writes: true,
    leaves: 'rows',
    answers: { 201: { description: 'The token, which is shown only once.', body: MintCapabilityResponse } },
    problems: ['error.federation.lifetime_too_long', 'error.album.not_available', 'error.request.limit_reached'],
  },
  listCapabilities: {
    method: 'GET',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'List the live capability tokens of an album',
    description: `All that have neither expired nor been revoked, oldest first: up to 0.4 MB. ${pagesOf('tokens')} The server does not keep the tokens themselves.`,
    query: pageQuery({
      of: 'tokens',
      id: CapabilityResponse.properties.jti,
      gone: 'error.request.not_found',
      places: 'Every token of the album that has not expired has a place, also a revoked one.',
    }),
    answers: { 200: { description: 'The tokens.', body: CapabilitiesResponse } },
    problems: ['error.album.not_available', 'error.request.not_found'],
  },
  revokeCapability: {
    method: 'DELETE',
    path: '/v1/albums/{album_id}/capabilities/{jti}',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Revoke a capability token',
    description:
      'The list of revoked tokens contains it within a second, until it expires. The answer is the same if the album has no such token.',
    answers: { 204: { description: 'The album has no such live token now.' } },
    problems: ['error.album.not_available'],
  },
} as const satisfies Operations
