import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'

function logged(error: unknown): Readonly<Record<string, unknown>> {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }).error('failed', { error })
  return JSON.parse(lines.join('')).error
}

describe('log', () => {
  it('tells of an error its type, message, causes and codes', () => {
    const cause = new TypeError('the disk is away')
    const told = logged(Object.assign(new RangeError('not kept', { cause }), { code: 'EIO', errcode: 10 }))
    assert.equal(told.type, 'RangeError')
    assert.equal(told.message, 'not kept: the disk is away')
    assert.match(String(told.stack), /log\.test\.ts/)
    assert.deepEqual([told.code, told.errcode], ['EIO', 10])
  })

  it('tells nothing of the row that a database refused, in whatever error it comes', () => {
    const row = { detail: 'Key (opaque_id)=(0123) already exists.', parameters: ['0123'], table: 'links' }
    const refused = Object.assign(new Error('duplicate key value'), row)
    for (const error of [refused, new Error('not kept', { cause: refused }), new AggregateError([refused], 'several')])
      assert.doesNotMatch(JSON.stringify(logged(error)), /0123/)
  })
})
