import { QuotaResponse } from '../schemas/quota.ts'
import type { Operations } from './operation.ts'

export const quotaOperations = {
  quota: {
    method: 'GET',
    path: '/v1/quota',
    tag: 'quota',
    auth: 'bearer',
    summary: 'Get the caller’s storage usage',
    description:
      'The member used counts open uploads, pending drops, blobs of assets and what is in the bin, each with its declared size.',
    answers: { 200: { description: 'Usage and limits.', body: QuotaResponse } },
    problems: [],
  },
} as const satisfies Operations
