import { immutableContent } from './contents.ts'
import type { Operations } from './operation.ts'

export const blobOperations = {
  blob: {
    method: 'GET',
    path: '/v1/blob/{hash}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Get the ciphertext of a blob',
    description: 'Any blob of the caller’s assets. Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: immutableContent,
    problems: ['error.blob.not_found', 'error.blob.withheld', 'error.request.range_not_satisfiable'],
  },
  blobHead: {
    method: 'HEAD',
    path: '/v1/blob/{hash}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Get the size of a blob’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges', 'Cache-Control'] },
      304: immutableContent[304],
    },
    problems: ['error.blob.not_found', 'error.blob.withheld'],
  },
} as const satisfies Operations
