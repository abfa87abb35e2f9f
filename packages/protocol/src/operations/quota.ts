import { QuotaResponse } from '../schemas/quota.ts'
import type { Operations } from './operation.ts'

export const quotaOperations = {
  quota: {
    method: 'GET',
    path: '/v1/quota',
    tag: 'quota',
    auth: 'bearer',
    summary: 'The caller’s storage use',
    description: 'used counts open uploads, pending drops and stored copies, each with its declared size.',
    answers: { 200: { description: 'Use and limits.', body: QuotaResponse } },
    problems: [],
  },
} as const satisfies Operations
