import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerError, LinkError, NetworkError, ProblemError, SendError } from '@blindkeep/client/errors'
import { failureOf, isTemporary, isTrouble, linkFaultOf, retryOf } from './failures.ts'

const problem = (status: number, code: ProblemError['code']) =>
  new ProblemError({ operation: 'guestLink', status, code })

describe('the failure of a file', () => {
  it('is another one for a lost network, a busy server, a full disk, a failing server and a quota', () => {
    const causes = [
      [new NetworkError('unreachable'), 'no_connection'],
      [problem(429, 'error.drop.rate_limited'), 'busy'],
      [undefined, 'busy'],
      [problem(500, 'error.storage.unavailable'), 'storage_unavailable'],
      [problem(500, 'error.storage.full'), 'disk_full'],
      [problem(500, 'error.request.failed'), 'server_failed'],
    ] as const
    for (const [cause, failure] of causes) {
      assert.equal(failureOf(new SendError('server_unavailable', cause)), failure)
      if (cause !== undefined) assert.equal(failureOf(cause), failure)
      assert.ok(isTrouble(failure))
    }
    assert.equal(failureOf(new SendError('owner_full')), 'owner_full')
    assert.equal(isTrouble('owner_full'), false)
  })

  it('is the move of the server, whatever it stopped', () => {
    const moved = problem(410, 'error.server.moved')
    assert.deepEqual([failureOf(moved), failureOf(new SendError('refused', moved))], ['server_moved', 'server_moved'])
    assert.equal(retryOf('server_moved'), 'none')
  })

  it('is "unexpected" for a bug in the page', () => {
    assert.equal(failureOf(new TypeError('a mistake')), 'unexpected')
  })

  it('offers another try only when one can help', () => {
    assert.deepEqual((['link_closed', 'file_changed', 'owner_full', 'too_large'] as const).map(retryOf), [
      'none',
      'as_new_file',
      'resume',
      'none',
    ])
  })
})

describe('the fault of a link', () => {
  it('differs for each error, and is temporary or permanent', () => {
    const faults = [
      [new LinkError('fragment_missing'), 'fragment_missing', false],
      [new LinkError('key_swapped'), 'key_swapped', false],
      [new LinkError('words_altered'), 'words_altered', false],
      [problem(404, 'error.drop.link_not_found'), 'closed', false],
      [problem(410, 'error.server.moved'), 'server_moved', false],
      [problem(404, 'unknown'), 'answer_broken', true],
      [problem(429, 'error.drop.rate_limited'), 'busy', true],
      [problem(503, 'unknown'), 'busy', true],
      [problem(500, 'error.request.failed'), 'server_failed', true],
      [new NetworkError('timeout'), 'unreachable', true],
      [new AnswerError('guestLink', 'a fault'), 'answer_broken', true],
    ] as const
    for (const [error, fault, isExpected] of faults) {
      assert.equal(linkFaultOf(error), fault)
      assert.equal(isTemporary(fault), isExpected, fault)
    }
  })
})
