import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempted } from './attempts.ts'

const ANSWER_MS = 400

describe('attempts', () => {
  it('have each twice the time of the one before, the last the whole time', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const lasted: number[] = []
    let [passedMs, isUnderWay, hasFailed] = [0, false, false]
    const hanging = attempted({ operation: 'wait', answerMs: ANSWER_MS }, (signal) => {
      ;[passedMs, isUnderWay] = [0, true]
      signal.addEventListener('abort', () => {
        lasted.push(passedMs)
        isUnderWay = false
      })
      return new Promise(() => undefined)
    })
    const failed = assert.rejects(hanging, /failed to wait: TimeoutError/).finally(() => {
      hasFailed = true
    })
    while (!hasFailed) {
      await new Promise(setImmediate)
      if (!isUnderWay) continue
      passedMs++
      context.mock.timers.tick(1)
    }
    await failed
    assert.deepEqual(lasted, [ANSWER_MS / 4, ANSWER_MS / 2, ANSWER_MS])
  })

  it('last as long as they show progress', async () => {
    const attempts = { operation: 'send', answerMs: ANSWER_MS, most: 1 }
    const sent = await attempted(attempts, async (_signal, progress) => {
      for (let piece = 0; piece < 8; piece++) {
        await sleep(ANSWER_MS / 4)
        progress()
      }
      return 'all'
    })
    assert.equal(sent, 'all')
  })
})
