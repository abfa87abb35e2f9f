import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HasherBusy } from '../../ports/secrets.ts'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('run at most the allowed number at once, in the order of the calls', async () => {
    const turns = createTurns({ concurrent: 2, queueMax: 10 })
    const started: number[] = []
    let running = 0
    let runningMost = 0
    const work = (index: number) => async () => {
      started.push(index)
      running += 1
      runningMost = Math.max(runningMost, running)
      await new Promise(setImmediate)
      running -= 1
    }
    await Promise.all(Array.from({ length: 12 }, (_, index) => turns.take(work(index))))
    assert.deepEqual(
      started,
      Array.from({ length: 12 }, (_, index) => index),
    )
    assert.equal(runningMost, 2)
  })

  it('continue after work that failed', async () => {
    const turns = createTurns({ concurrent: 1, queueMax: 2 })
    const failing = turns.take(() => Promise.reject(new Error('broken')))
    const next = turns.take(() => Promise.resolve('next'))
    await assert.rejects(failing, /broken/)
    assert.equal(await next, 'next')
    assert.equal(await turns.take(() => Promise.resolve('later')), 'later')
  })

  it('leave room for others when one source fills its part of the queue', async () => {
    const turns = createTurns({ concurrent: 1, queueMax: 4, queueMaxOfSource: 2 })
    const gate = Promise.withResolvers<string>()
    const work = () => gate.promise
    const flood = [turns.take(work, 'flooder'), turns.take(work, 'flooder'), turns.take(work, 'flooder')]
    await assert.rejects(turns.take(work, 'flooder'), HasherBusy)
    const others = [turns.take(work, 'neighbour'), turns.take(work)]
    await assert.rejects(turns.take(work), HasherBusy)
    gate.resolve('done')
    assert.deepEqual(await Promise.all([...flood, ...others]), Array(5).fill('done'))
  })

  it('reject a call when the queue is full', async () => {
    const turns = createTurns({ concurrent: 1, queueMax: 1 })
    const gate = Promise.withResolvers<string>()
    const first = turns.take(() => gate.promise)
    const second = turns.take(() => Promise.resolve('second'))
    await assert.rejects(
      turns.take(() => Promise.resolve('third')),
      HasherBusy,
    )
    gate.resolve('first')
    assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
  })
})
