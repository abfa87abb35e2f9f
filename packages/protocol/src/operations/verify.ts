import { StorageVerifyRequest, StorageVerifyResponse } from '../schemas/verify.ts'
import type { Operations } from './operation.ts'

export const verifyOperations = {
  verifyStorage: {
    method: 'POST',
    path: '/v1/storage/verify',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Does the server really hold these blobs?',
    description:
      'A pure read. One verdict for each asset and one entry for each hash, in the order of the request; durable is the conjunction over exactly the hashes declared. With deep the bytes are read and hashed again, within a budget of the account: past it deep reads rate_limited.',
    body: { type: 'application/json', schema: StorageVerifyRequest },
    answers: { 200: { description: 'The verdicts.', body: StorageVerifyResponse } },
    problems: ['error.storage.unavailable'],
  },
} as const satisfies Operations
