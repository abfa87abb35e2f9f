import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment } from './environment.ts'

const ALL_DAY_MS = 86_400_000

describe('waiting', () => {
  it('ends after its time', async () => {
    await systemEnvironment.wait(1, new AbortController().signal)
  })

  it('does not end at once when a server has named its time and no timer can hold it', async () => {
    for (const milliseconds of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      const controller = new AbortController()
      let hasEnded = false
      const waiting = systemEnvironment.wait(milliseconds, controller.signal).then(() => {
        hasEnded = true
      })
      await systemEnvironment.wait(20)
      controller.abort(new Error('enough'))
      await assert.rejects(waiting, /enough/)
      assert.equal(hasEnded, false)
    }
  })

  it('rejects at once with the reason when it is aborted before or meanwhile', async () => {
    const controller = new AbortController()
    const waiting = systemEnvironment.wait(ALL_DAY_MS, controller.signal)
    controller.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    await assert.rejects(systemEnvironment.wait(ALL_DAY_MS, controller.signal), /enough/)
  })
})
