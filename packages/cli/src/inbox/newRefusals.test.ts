import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OwnLink } from '@blindkeep/client/owner'
import { parseOpaqueId } from '@blindkeep/protocol/ids'
import { createNewRefusals } from './newRefusals.ts'

const opaqueId = parseOpaqueId('0f'.repeat(16)) ?? assert.fail()

function link(reasons: NonNullable<OwnLink['refused']>['reasons'], hour: number) {
  const at = `2030-01-01T0${hour}:00:00Z`
  return { opaqueId, label: undefined, refused: { reasons, firstAt: at, lastAt: at } }
}

describe('new refusals of links', () => {
  it('are each reason once, and again with another count', () => {
    const newRefusals = createNewRefusals()
    const told = (...reasons: Parameters<typeof link>[0]) =>
      newRefusals([link(reasons, 0)]).map(({ fact: { why, count } }) => [why, count])
    assert.deepEqual(told({ why: 'too_large', count: 1 }), [['too_large', 1]])
    assert.deepEqual(told({ why: 'too_large', count: 1 }, { why: 'expired', count: 2 }), [['expired', 2]])
    assert.deepEqual(told({ why: 'too_large', count: 3 }, { why: 'expired', count: 2 }), [['too_large', 3]])
  })

  it('are those with the same count, after the owner has dismissed it', () => {
    const newRefusals = createNewRefusals()
    const of = (hour: number) => newRefusals([link([{ why: 'too_large', count: 1 }], hour)]).length
    assert.deepEqual([of(0), of(0), of(2), of(2)], [1, 0, 1, 0])
  })
})
