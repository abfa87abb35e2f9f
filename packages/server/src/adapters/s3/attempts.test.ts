import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempted } from './attempts.ts'

const ANSWER_MS = 400

describe('attempts', () => {
  it('have each twice the time of the one before, the last the whole time', async () => {
    const begun: number[] = []
    const hanging = attempted({ operation: 'wait', answerMs: ANSWER_MS }, async () => {
      begun.push(performance.now())
      await sleep(10 * ANSWER_MS, undefined, { ref: false })
    })
    await assert.rejects(hanging, /failed to wait: TimeoutError/)
    const [one = 0, two = 0, three = 0] = begun
    assert.equal(begun.length, 3)
    // Timers may fire a millisecond early.
    const took = [two - one, three - two, performance.now() - three].map(Math.ceil)
    assert.ok(took.every((ms, at) => ms >= ANSWER_MS / 2 ** (2 - at) - 2))
    assert.ok((took[0] ?? 0) < ANSWER_MS)
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
