import type { TSchema } from 'typebox'
import {
  AttestationKeysResponse,
  DeprecationsResponse,
  MovesResponse,
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
    summary: 'Get the keys that verify receipts',
    description:
      'Append-only, oldest first, the active key last. Remember the keys: a key that disappears or changes means that the server is malicious or damaged.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Every key that the server has signed receipts with.', AttestationKeysResponse),
    problems: [],
  },
  deprecation: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/deprecation`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'List the announced cutoffs of protocol versions',
    description: 'The same announcements as in server-info. The Warning header of an answer names this path.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('The announcements.', DeprecationsResponse),
    problems: [],
  },
  moves: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/moves`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Get the statements by which the server has changed its name and its attestation keys',
    description:
      'Append-only. Each published key but the first begins with exactly one of these statements, a move or a rotation: a key without one is not the server’s. Needed whenever there is a key that a client does not know yet, and for receipts that name a former origin of the server. A former name of the server answers the same as its present one.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('All statements.', MovesResponse),
    problems: [],
  },
  revokedJti: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/revoked-jti`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'List the revoked capability tokens',
    description:
      'generated_at gives the age of the list. If the server cannot read the list, it answers 503, never an empty list.',
    answers: { 200: { description: 'The list.', body: RevokedJtiResponse, headers: ['Cache-Control'] } },
    problems: ['error.federation.revocations_unavailable'],
  },
  serverInfo: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/server-info`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Get the addresses and protocol versions of the server',
    description: 'The first call of every client. The addresses include the path of the public URL.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Public facts about the server, none about its users.', ServerInfoResponse),
    problems: [],
  },
} as const satisfies Operations
