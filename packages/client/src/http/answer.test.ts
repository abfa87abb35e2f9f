import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { InboxResponse } from '@blindkeep/protocol/schemas/drops'
import { readAnswer } from './answer.ts'

describe('an answer that does not match its schema', () => {
  it('is refused at once, however long it is', () => {
    for (const item of [0, {}]) {
      const drops = Array.from({ length: 2_000_000 }, () => item)
      const before = process.cpuUsage()
      const { fault } = readAnswer(InboxResponse, { drops })
      assert.match(fault ?? '', /^\/drops\/0 must /)
      // All faults together take many seconds and gigabytes.
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 3_000_000, `${(user + system) / 1000} ms of processor time`)
    }
  })

  it('is refused with the place of the fault', () => {
    assert.equal(readAnswer(InboxResponse, { drops: 'none' }).fault, '/drops must be array')
    assert.equal(readAnswer(InboxResponse, []).fault, 'must be object')
    assert.match(readAnswer(InboxResponse, {}).fault ?? '', /^must have required properties drops/)
    assert.match(readAnswer(InboxResponse, { drops: [{ size: 'one' }] }).fault ?? '', /^\/drops\/0\/size must be /)
  })
})
