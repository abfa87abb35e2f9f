import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'

function logged(error: unknown): Readonly<Record<string, unknown>> {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }).error('failed', { error })
  return JSON.parse(lines.join('')).error
}

describe('log', () => {
  it('records the type, message, causes and codes of an error', () => {
    const cause = new TypeError('the disk is away')
    const entry = logged(Object.assign(new RangeError('not kept', { cause }), { code: 'EIO', errcode: 10 }))
    assert.equal(entry.type, 'RangeError')
    assert.equal(entry.message, 'not kept: the disk is away')
    assert.match(String(entry.stack), /log\.test\.ts/)
    assert.deepEqual([entry.code, entry.errcode], ['EIO', 10])
  })

  it('records nothing of a row that a database refused, in any error', () => {
    const row = { detail: 'Key (opaque_id)=(0123) already exists.', parameters: ['0123'], table: 'links' }
    const refused = Object.assign(new Error('duplicate key value'), row)
    for (const error of [refused, new Error('not kept', { cause: refused }), new AggregateError([refused], 'several')])
      assert.doesNotMatch(JSON.stringify(logged(error)), /0123/)
  })
})
