import { HealthResponse, ReadinessResponse, VersionResponse } from '../schemas/discovery.ts'
import type { Operations } from './operation.ts'

export const serviceOperations = {
  version: {
    method: 'GET',
    path: '/v1/version',
    tag: 'service',
    neverFails: true,
    auth: 'none',
    summary: 'Get the name and release of the software',
    description: 'A probe that never fails.',
    answers: { 200: { description: 'Name and release.', body: VersionResponse } },
    problems: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    auth: 'none',
    summary: 'Get this document',
    description: 'OpenAPI 3.2, generated from the same table as the routes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'The document.', body: 'json', headers: ['ETag', 'Cache-Control'] },
      304: { description: 'The client’s copy is current.', headers: ['ETag', 'Cache-Control'] },
    },
    problems: [],
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    auth: 'none',
    summary: 'Is the process alive?',
    description: 'Answers while the process runs. Does not use the disk.',
    answers: { 200: { description: 'The process is alive.', body: HealthResponse } },
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    auth: 'none',
    summary: 'Can it serve?',
    description:
      'For load balancers: a server that answers 503 gets no new requests. Says what the server has seen, in the last seconds, of the database, the blob store, the clock and the end of the receipt log, and never waits for them; a slow store is not a fault. It is 503 from the moment that the server begins to end. A server without room for uploads is ready, as it can be read and deleted from: `warnings` says so. One that can write nothing at all is not.',
    answers: {
      200: { description: 'It can.', body: ReadinessResponse },
      503: { description: 'It cannot, or ends.', body: ReadinessResponse },
    },
    problems: [],
  },
  problemPage: {
    method: 'GET',
    path: '/problems/{code}',
    tag: 'service',
    auth: 'none',
    summary: 'Read what a problem code means and what to do',
    description: 'The page that the member `type` of a problem names.',
    answers: { 200: { description: 'A page for people.', body: 'html', headers: ['Cache-Control'] } },
    problems: ['error.request.not_found'],
  },
} as const satisfies Operations
