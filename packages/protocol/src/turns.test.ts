import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTurns } from './turns.ts'

const busy = () => new Error('busy')

describe('turns', () => {
  it('run at most the allowed number at once, in the order of the calls', async () => {
    const turns = createTurns({ most: 2, mostWaiting: 10, busy })
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
    const turns = createTurns({ most: 1, mostWaiting: 2, busy })
    const failing = turns.take(() => Promise.reject(new Error('broken')))
    const next = turns.take(() => Promise.resolve('next'))
    await assert.rejects(failing, /broken/)
    assert.equal(await next, 'next')
    assert.equal(await turns.take(() => Promise.resolve('later')), 'later')
  })

  it('give one source its part of the queue, and its place back when its turn comes', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 8, ofSource: { mostWaiting: 2 }, busy })
    const gate = Promise.withResolvers<string>()
    const done = () => Promise.resolve('done')
    const first = turns.take(() => gate.promise, { source: 'stranger' })
    const waiting = [turns.take(done, { source: 'stranger' }), turns.take(done, { source: 'stranger' })]
    await assert.rejects(turns.take(done, { source: 'stranger' }), /busy/)
    waiting.push(turns.take(done, { source: 'owner' }), turns.take(done))
    gate.resolve('first')
    assert.deepEqual(await Promise.all([first, ...waiting]), ['first', 'done', 'done', 'done', 'done'])
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => turns.take(done, { source: 'stranger' }))), [
      'done',
      'done',
      'done',
    ])
  })

  it('do not count the unknown source as one', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 8, ofSource: { mostWaiting: 2 }, busy })
    const done = () => Promise.resolve('done')
    const answers = await Promise.all(Array.from({ length: 9 }, () => turns.take(done)))
    assert.equal(answers.length, 9)
  })

  it('reject a call when the queue is full', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 1, busy })
    const gate = Promise.withResolvers<string>()
    const first = turns.take(() => gate.promise)
    const second = turns.take(() => Promise.resolve('second'))
    await assert.rejects(
      turns.take(() => Promise.resolve('third')),
      /busy/,
    )
    gate.resolve('first')
    assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
  })

  it('pass one whose source has all that it may have at once', async () => {
    const turns = createTurns({ most: 2, mostWaiting: 8, ofSource: { most: 1 }, busy })
    const leaveOne = await turns.enter({ source: 'one' })
    const leaveTwo = await turns.enter({ source: 'two' })
    const order: string[] = []
    const again = turns.enter({ source: 'one' }).then((leave) => {
      order.push('one again')
      leave()
    })
    const other = turns.enter({ source: 'three' }).then(() => order.push('three'))
    leaveTwo()
    await other
    // A turn that was passed on still occupies one of the two.
    const last = turns.enter({ source: 'four' }).then(() => order.push('four'))
    leaveOne()
    await Promise.all([again, last])
    assert.deepEqual(order, ['three', 'one again', 'four'])
  })

  it('end the wait of an asker who gives up, which takes no turn later', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 8, busy })
    const leave = await turns.enter()
    let stopped = 0
    const gone: ((reason: unknown) => void)[] = []
    const watch = (giveUp: (reason: unknown) => void) => {
      gone.push(giveUp)
      return () => {
        stopped += 1
      }
    }
    const impatient = turns.take(() => Promise.resolve('impatient'), { watch })
    const patient = turns.take(() => Promise.resolve('patient'), { watch })
    gone[0]?.(new Error('no patience'))
    await assert.rejects(impatient, /no patience/)
    leave()
    gone[1]?.(new Error('too late'))
    assert.equal(await patient, 'patient')
    assert.equal(stopped, 2)
  })
})
