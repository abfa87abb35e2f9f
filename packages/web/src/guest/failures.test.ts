import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerError, LinkError, NetworkError, ProblemError, SendError } from '@blindkeep/client/errors'
import { failureOf, linkFaultOf, mayPass, retryOf } from './failures.ts'

const problem = (status: number, code: ProblemError['code']) =>
  new ProblemError({ operation: 'guestLink', status, code })

describe('what went wrong with a file', () => {
  it('tells a server that asks to wait from a line that is down', () => {
    assert.equal(failureOf(new SendError('gave_up', problem(429, 'error.drop.rate_limited'))), 'busy')
    assert.equal(failureOf(new SendError('gave_up', problem(503, 'unknown'))), 'busy')
    assert.equal(failureOf(new SendError('gave_up')), 'busy')
    assert.equal(failureOf(new SendError('gave_up', new NetworkError('unreachable'))), 'no_connection')
  })

  it('calls a fault of our own unexpected, and never the server’s', () => {
    assert.equal(failureOf(new TypeError('a mistake')), 'unexpected')
  })

  it('offers another try only where one helps', () => {
    assert.deepEqual((['link_closed', 'file_changed', 'owner_full', 'too_large'] as const).map(retryOf), [
      'none',
      'as_new_file',
      'go_on',
      'none',
    ])
  })
})

describe('what is wrong with a link', () => {
  it('is its own word for each, and passes or does not', () => {
    const faults = [
      [new LinkError('fragment_missing'), 'fragment_missing', false],
      [new LinkError('key_swapped'), 'key_swapped', false],
      [problem(404, 'error.drop.link_not_found'), 'closed', false],
      [problem(404, 'unknown'), 'answer_broken', true],
      [problem(429, 'error.drop.rate_limited'), 'busy', true],
      [problem(503, 'unknown'), 'unreachable', true],
      [new NetworkError('timeout'), 'unreachable', true],
      [new AnswerError('guestLink', 'a fault'), 'answer_broken', true],
    ] as const
    for (const [error, fault, passes] of faults) {
      assert.equal(linkFaultOf(error), fault)
      assert.equal(mayPass(fault), passes, fault)
    }
  })
})
