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
    const enter = createScanTurns({ giveUpAfter: () => never })
    const running = [newId(), newId()]
    const leaves = await Promise.all(running.map((account) => enter(account, never)))
    const waiting = Array.from({ length: 64 }, () => enter(newId(), never))
    assert.equal(await enter(newId(), never), undefined)
    for (const leave of leaves) defined(leave)()
    for (const leave of await Promise.all(waiting.slice(0, 2))) assert.ok(leave)
  })

  it('lets a request pass one whose account is already scanning', async () => {
    let waits = 0
    const giveUpAfter = () => {
      waits += 1
      return never
    }
    const enter = createScanTurns({ giveUpAfter })
    const [one, two, three] = [newId(), newId(), newId()]
    const leaveOne = defined(await enter(one, never))
    const leaveTwo = defined(await enter(two, never))
    let leaveThree = () => {}
    const order: string[] = []
    const waiting = [
      enter(one, never).then(() => order.push('one again')),
      enter(three, never).then((leave) => {
        leaveThree = defined(leave)
        order.push('three')
      }),
    ]
    leaveTwo()
    await waiting[1]
    assert.deepEqual(order, ['three'])
    // A turn that was passed on still occupies one of the two.
    const four = enter(newId(), never).then(() => order.push('four'))
    assert.equal(waits, 3)
    leaveThree()
    await four
    leaveOne()
    await waiting[0]
    assert.deepEqual(order, ['three', 'four', 'one again'])
  })

  it('is left at once by a request without time to wait', async () => {
    const enter = createScanTurns({ giveUpAfter: () => AbortSignal.abort() })
    const account = newId()
    const leave = defined(await enter(account, never))
    assert.equal(await enter(account, never), undefined)
    leave()
    assert.ok(await enter(account, never))
  })
})
