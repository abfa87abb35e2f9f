import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { createSparingLog, SUMMARY_MS } from './sparingLog.ts'

function noted() {
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  const note = (event: string, facts: Readonly<Record<string, unknown>> = {}) => void lines.push([event, facts])
  return { lines, log: createSparingLog({ info: note, warn: note, error: note }) }
}

describe('the log in an outage', () => {
  it('has one line for what fails, and one a minute with how often it has failed since', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { lines, log } = noted()
    const fail = (times: number) => {
      for (let count = 0; count < times; count += 1)
        log.error('failed', {
          requestId: `req_${count}`,
          route: '/v1/drops',
          error: new StorageUnavailable('the database does not answer'),
        })
    }
    fail(500)
    log.error('failed', { error: new StorageUnavailable('the object store does not answer') })
    assert.deepEqual(
      lines.map(([, { requestId, error }]) => [requestId, error instanceof Error && error.message]),
      [
        ['req_0', 'the database does not answer'],
        [undefined, 'the object store does not answer'],
      ],
    )
    t.mock.timers.tick(SUMMARY_MS)
    assert.deepEqual(lines.slice(2), [['failed', { reason: 'the database does not answer', repeated: 499 }]])
    fail(3)
    t.mock.timers.tick(SUMMARY_MS)
    assert.deepEqual(lines.slice(3), [['failed', { reason: 'the database does not answer', repeated: 3 }]])
    t.mock.timers.tick(SUMMARY_MS)
    fail(1)
    assert.equal(lines.length, 5, 'it is over after a minute, and then a new one')
  })

  it('has one line for receivers that fail alike, and a line for each fault of the code', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { lines, log } = noted()
    for (let count = 0; count < 50; count += 1) {
      log.warn('an owner’s channel failed', { kind: 'push', fault: 'unreachable', attempts: count, state: 'active' })
      log.error('failed', { route: '/v1/drops', error: new TypeError('not a function') })
    }
    assert.deepEqual([lines.length, lines.filter(([event]) => event === 'failed').length], [51, 50])
  })
})
