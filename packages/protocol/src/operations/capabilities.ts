import { CapabilitiesResponse, MintCapabilityRequest, MintCapabilityResponse } from '../schemas/capabilities.ts'
import type { Operations } from './operation.ts'

export const capabilityOperations = {
  mintCapability: {
    method: 'POST',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Mint a capability token',
    description:
      'A JWT by which one peer may read the album, for 24 hours at most; it verifies under the signing_key of server-info. Each request makes another one. So far nothing is read with it on this server.',
    body: { type: 'application/json', schema: MintCapabilityRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The token, this once.', body: MintCapabilityResponse } },
    problems: ['error.federation.lifetime_too_long', 'error.album.not_available', 'error.request.limit_reached'],
  },
  listCapabilities: {
    method: 'GET',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Live capability tokens of an album',
    description: 'Those that have neither ended nor been revoked, oldest first. The tokens themselves are not kept.',
    answers: { 200: { description: 'The tokens.', body: CapabilitiesResponse } },
    problems: ['error.album.not_available'],
  },
  revokeCapability: {
    method: 'DELETE',
    path: '/v1/albums/{album_id}/capabilities/{jti}',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Revoke a capability token',
    description:
      'It is on the list of revoked tokens within a second, until its own end. The answer is the same whether or not the album had such a token.',
    answers: { 204: { description: 'No such token of the album is live now.' } },
    problems: ['error.album.not_available'],
  },
} as const satisfies Operations
