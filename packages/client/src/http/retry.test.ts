import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ProblemError } from './errors.ts'
import { isTransient } from './retry.ts'

it('a read is tried again after what passes: a slow connection, a limit, a fault of the server', () => {
  const codes = { 408: 'error.request.too_slow', 404: 'error.asset.not_found', 400: 'error.request.malformed' } as const
  const isTriedAgain = (status: number) => {
    const code = codes[status as keyof typeof codes] ?? 'unknown'
    return isTransient(new ProblemError({ operation: 'asset', status, code }))
  }
  assert.deepEqual([408, 429, 500, 502, 503, 400, 401, 404, 409, 413].filter(isTriedAgain), [408, 429, 500, 502, 503])
})
