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

  it('give one source a quarter of the queue, and its place back when its turn comes', async () => {
    const turns = createTurns({ concurrent: 1, queueMax: 8 })
    const gate = Promise.withResolvers<string>()
    const done = () => Promise.resolve('done')
    const first = turns.take(() => gate.promise, 'stranger')
    const waiting = [turns.take(done, 'stranger'), turns.take(done, 'stranger')]
    await assert.rejects(turns.take(done, 'stranger'), HasherBusy)
    waiting.push(turns.take(done, 'owner'), turns.take(done, undefined))
    gate.resolve('first')
    assert.deepEqual(await Promise.all([first, ...waiting]), ['first', 'done', 'done', 'done', 'done'])
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => turns.take(done, 'stranger'))), ['done', 'done', 'done'])
  })

  it('do not count the unknown source as one', async () => {
    const turns = createTurns({ concurrent: 1, queueMax: 8 })
    const done = () => Promise.resolve('done')
    const answers = await Promise.all(Array.from({ length: 9 }, () => turns.take(done, undefined)))
    assert.equal(answers.length, 9)
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
