import type { TSchema } from 'typebox'
import {
  AttestationKeysResponse,
  DeprecationsResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
} from '../schemas/discovery.ts'
import { SERVICE } from '../wire.ts'
import type { Operations } from './operation.ts'

const cachedDocument = <Body extends TSchema>(description: string, body: Body) =>
  ({
    200: { description, body, headers: ['ETag', 'Cache-Control'] },
    304: { description: 'The client’s copy is current.', headers: ['ETag', 'Cache-Control'] },
  }) as const

export const discoveryOperations = {
  attestationKeys: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/attestation-keys`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Keys that receipts verify under',
    description:
      'Append-only, oldest first, the active key last. Pin what you saw: a key that vanishes or changes is an alarm.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Every key the server has signed receipts with.', AttestationKeysResponse),
    problems: [],
  },
  deprecation: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/deprecation`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Announced cutoffs of protocol versions',
    description: 'The same announcements as in server-info; a Warning header on an answer points here.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('The announcements.', DeprecationsResponse),
    problems: [],
  },
  revokedJti: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/revoked-jti`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Revoked capability tokens',
    description: 'Judge its age by generated_at. When the list cannot be read the answer is 503, never an empty list.',
    answers: { 200: { description: 'The list.', body: RevokedJtiResponse, headers: ['Cache-Control'] } },
    problems: ['error.federation.revocations_unavailable'],
  },
  serverInfo: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/server-info`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Where things are and what the server speaks',
    description: 'The first call of every client. Its addresses follow the whole path of the public URL.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Public facts; nothing about any user.', ServerInfoResponse),
    problems: [],
  },
} as const satisfies Operations
