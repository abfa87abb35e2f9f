import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment } from './environment.ts'

const ALL_DAY_MS = 86_400_000

describe('waiting', () => {
  it('ends after its time', async () => {
    await systemEnvironment.wait(1, new AbortController().signal)
  })

  it('rejects at once with the reason when it is aborted before or meanwhile', async () => {
    const controller = new AbortController()
    const waiting = systemEnvironment.wait(ALL_DAY_MS, controller.signal)
    controller.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    await assert.rejects(systemEnvironment.wait(ALL_DAY_MS, controller.signal), /enough/)
  })
})
