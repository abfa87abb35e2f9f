import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseSessionId } from '@blindkeep/protocol/ids'
import { createBudget, type Holder } from './budget.ts'

const KIB = 1024
const stranger = { kind: 'guest', key: undefined } as const
const guest = (key: string): Holder => ({ kind: 'guest', key })
const owner = (key: string): Holder => ({ kind: 'owner', key })

/** Takes until the budget refuses. Returns how many were let in. */
function fill(budget: ReturnType<typeof createBudget>, holder: Holder, kept: 'json' | 'chunk' = 'json'): number {
  let count = 0
  while (budget.open().take(kept, holder, 64 * KIB) === undefined) count += 1
  return count
}

describe('the memory of requests', () => {
  it('is bounded, and the request that comes last is refused until another one leaves', () => {
    const budget = createBudget()
    const first = budget.open()
    assert.equal(first.take('json', stranger, 64 * KIB), undefined)
    assert.equal(fill(budget, stranger), 127)
    assert.equal(budget.heldBytes(), 8 * KIB * KIB)
    assert.deepEqual(budget.open().take('json', stranger, 64 * KIB), { refused: 'overloaded', retryAfterSeconds: 5 })
    first.leave()
    first.leave()
    assert.equal(fill(budget, stranger), 1)
  })

  it('has a place for small bodies in any flood', () => {
    const budget = createBudget()
    fill(budget, stranger)
    assert.equal(budget.open().take('json', stranger, 4 * KIB), undefined)
    assert.notEqual(budget.open().take('json', stranger, 4 * KIB + 1), undefined)
  })

  it('leaves owners their part when guests use up theirs, and chunks theirs when JSON is full', () => {
    const budget = createBudget()
    fill(budget, stranger)
    fill(budget, stranger, 'chunk')
    for (const kept of ['json', 'chunk'] as const)
      assert.equal(budget.open().take(kept, owner('a'), 64 * KIB), undefined)
  })

  it('gives one known source, and one account, a share', () => {
    const budget = createBudget()
    assert.equal(fill(budget, guest('192.0.2.1')), 16)
    assert.equal(fill(budget, guest('192.0.2.2')), 16)
    assert.equal(fill(budget, owner('a')), 128)
    assert.equal(fill(budget, owner('b')), 128)
  })

  it('leaves the other sessions of an account a quarter when one takes all that it gets', () => {
    const budget = createBudget()
    const [thief, other] = [parseSessionId(randomUUID()), parseSessionId(randomUUID())]
    assert.equal(fill(budget, { ...owner('a'), sessionId: thief }), 96)
    assert.equal(fill(budget, { ...owner('a'), sessionId: other }), 32)
  })

  it('is empty when everything has left', () => {
    const budget = createBudget()
    const holds = Array.from({ length: 10 }, (_, index) => {
      const hold = budget.open()
      hold.take('chunk', guest(`192.0.2.${index % 3}`), 100 * KIB)
      hold.take('json', owner('a'), 5 * KIB)
      return hold
    })
    assert.equal(budget.heldBytes(), 10 * 105 * KIB)
    for (const hold of holds) hold.leave()
    assert.equal(budget.heldBytes(), 0)
  })
})
