import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { sendTroubleOf } from './sendTrouble.ts'

const problem = (status: number, code: ProblemError['code']) =>
  new ProblemError({ operation: 'appendChunk', status, code })

describe('a trouble while sending', () => {
  it('tells a lost network, a busy server, a disk that is away, a full one and a failing server apart', () => {
    const troubles = [
      [new NetworkError('unreachable'), 'no_connection'],
      [new NetworkError('timeout'), 'no_connection'],
      [problem(429, 'error.drop.rate_limited'), 'busy'],
      [problem(503, 'unknown'), 'busy'],
      [problem(500, 'error.request.overloaded'), 'busy'],
      [undefined, 'busy'],
      [problem(500, 'error.storage.unavailable'), 'storage_unavailable'],
      [problem(500, 'error.storage.full'), 'disk_full'],
      [problem(500, 'error.request.failed'), 'server_failed'],
      [problem(502, 'unknown'), 'server_failed'],
      [new AnswerError('appendChunk', 'it is a page of a hotel'), 'server_failed'],
    ] as const
    for (const [failure, trouble] of troubles) assert.equal(sendTroubleOf(failure), trouble, String(failure))
  })
})
