import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import { never } from '../../testing/guest.ts'
import { defined } from '../../testing/world.ts'
import { createScanTurns } from './scanTurns.ts'

const newId = (): AccountId => defined(parseAccountId(randomUUID()))

describe('the queue for scan turns', () => {
  it('is bounded: a sixty-fifth request does not wait', async () => {
    const turns = createScanTurns({ giveUpAfter: () => never })
    const running = [newId(), newId()]
    for (const account of running) assert.equal(await turns.enter(account, never), true)
    const waiting = Array.from({ length: 64 }, () => turns.enter(newId(), never))
    assert.equal(await turns.enter(newId(), never), false)
    for (const account of running) turns.leave(account)
    assert.deepEqual(await Promise.all(waiting.slice(0, 2)), [true, true])
  })

  it('lets a request pass one whose account is already scanning', async () => {
    let waits = 0
    const giveUpAfter = () => {
      waits += 1
      return never
    }
    const turns = createScanTurns({ giveUpAfter })
    const [one, two, three] = [newId(), newId(), newId()]
    for (const account of [one, two]) await turns.enter(account, never)
    const order: string[] = []
    const waiting = [
      turns.enter(one, never).then(() => order.push('one again')),
      turns.enter(three, never).then(() => order.push('three')),
    ]
    turns.leave(two)
    await waiting[1]
    assert.deepEqual(order, ['three'])
    // A turn that was passed on still occupies one of the two.
    const four = turns.enter(newId(), never).then(() => order.push('four'))
    assert.equal(waits, 3)
    turns.leave(three)
    await four
    turns.leave(one)
    await waiting[0]
    assert.deepEqual(order, ['three', 'four', 'one again'])
  })

  it('is left at once by a request without time to wait', async () => {
    const turns = createScanTurns({ giveUpAfter: () => AbortSignal.abort() })
    const account = newId()
    assert.equal(await turns.enter(account, never), true)
    assert.equal(await turns.enter(account, never), false)
    turns.leave(account)
    assert.equal(await turns.enter(account, never), true)
  })
})
