import { StorageVerifyRequest, StorageVerifyResponse } from '../schemas/verify.ts'
import type { Operations } from './operation.ts'

export const verifyOperations = {
  verifyStorage: {
    method: 'POST',
    path: '/v1/storage/verify',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Check that the server still has these blobs',
    description:
      'Changes nothing. One verdict for each asset and one entry for each hash, in the order of the request; durable is the conjunction over exactly the declared hashes. With deep, the server reads and hashes the bytes again, within a budget of the account; beyond it the member deep is rate_limited.',
    body: { type: 'application/json', schema: StorageVerifyRequest },
    answers: { 200: { description: 'The verdicts.', body: StorageVerifyResponse } },
    problems: [],
  },
} as const satisfies Operations
