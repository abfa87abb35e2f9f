import { HealthResponse, ReadinessResponse, VersionResponse } from '../schemas/discovery.ts'
import type { Operations } from './operation.ts'

export const serviceOperations = {
  version: {
    method: 'GET',
    path: '/v1/version',
    tag: 'service',
    neverFails: true,
    auth: 'none',
    summary: 'Name and release of the software',
    description: 'A probe; it has no failure of its own.',
    answers: { 200: { description: 'Name and release.', body: VersionResponse } },
    problems: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    auth: 'none',
    summary: 'This document',
    description: 'OpenAPI 3.2, made from the same table as the routes.',
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
    description: 'Answers as long as the process turns; asks nothing of the disk.',
    answers: { 200: { description: 'It is.', body: HealthResponse } },
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    auth: 'none',
    summary: 'Can it serve?',
    description: 'Asks the database and the blob store.',
    answers: {
      200: { description: 'Both answer.', body: ReadinessResponse },
      503: { description: 'One of them does not.', body: ReadinessResponse },
    },
    problems: [],
  },
  problemPage: {
    method: 'GET',
    path: '/problems/{code}',
    tag: 'service',
    auth: 'none',
    summary: 'What a problem code means and what to do',
    description: 'The page that the member `type` of every problem names.',
    answers: { 200: { description: 'A page for people.', body: 'html', headers: ['Cache-Control'] } },
    problems: ['error.request.not_found'],
  },
} as const satisfies Operations
