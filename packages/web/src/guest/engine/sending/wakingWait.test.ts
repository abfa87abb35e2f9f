import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { createWakingWait } from './wakingWait.ts'

const HOUR_MS = 3_600_000

describe('a wait that can be ended early', () => {
  it('ends when it is woken, together with all other waits', async () => {
    const { wait, wake } = createWakingWait(systemEnvironment.wait)
    const waits = Promise.all([wait(HOUR_MS), wait(HOUR_MS, new AbortController().signal)])
    wake()
    await waits
  })

  it('ends by itself when it starts after the waking', async () => {
    const { wait, wake } = createWakingWait(systemEnvironment.wait)
    wake()
    await wait(1)
  })

  it('rejects with the reason of its signal, aborted before or during the wait', async () => {
    const { wait } = createWakingWait(systemEnvironment.wait)
    const controller = new AbortController()
    const waiting = wait(HOUR_MS, controller.signal)
    controller.abort(new Error('paused'))
    await assert.rejects(waiting, /paused/)
    await assert.rejects(wait(HOUR_MS, controller.signal), /paused/)
  })
})
