import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import { never } from '../testing/guest.ts'
import { known } from '../testing/world.ts'
import { createScanTurns } from './scanTurns.ts'

const newId = (): AccountId => known(parseAccountId(randomUUID()))

describe('the queue for turns', () => {
  it('is bounded: who would be the sixty-fifth does not wait', async () => {
    const turns = createScanTurns({ giveUpAfter: () => never })
    const running = [newId(), newId()]
    for (const account of running) assert.equal(await turns.enter(account, never), true)
    const waiting = Array.from({ length: 64 }, () => turns.enter(newId(), never))
    assert.equal(await turns.enter(newId(), never), false)
    for (const account of running) turns.leave(account)
    assert.deepEqual(await Promise.all(waiting.slice(0, 2)), [true, true])
  })

  it('is left at once by who has no time at all', async () => {
    const turns = createScanTurns({ giveUpAfter: () => AbortSignal.abort() })
    const account = newId()
    assert.equal(await turns.enter(account, never), true)
    assert.equal(await turns.enter(account, never), false)
    turns.leave(account)
    assert.equal(await turns.enter(account, never), true)
  })
})
