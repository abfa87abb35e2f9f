import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createPatience } from './patience.ts'

/** A patience on timers that the test moves. */
function watched({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  let given = 0
  const patience = createPatience(
    () => {
      given += 1
    },
    () => nowMs,
  )
  return {
    patience,
    givenUp: () => given,
    pass(ms: number) {
      nowMs += ms
      mock.timers.tick(ms)
    },
    /** The server waits so long, then the bytes are there. */
    bring(bytes: number, afterMs: number) {
      patience.wait()
      this.pass(afterMs)
      patience.progress(bytes)
    },
  }
}

describe('patience with a peer', () => {
  it('ends after 10 s without a byte', (context) => {
    const { patience, pass, givenUp } = watched(context)
    patience.wait()
    pass(9_999)
    assert.equal(givenUp(), 0)
    pass(1)
    assert.equal(givenUp(), 1)
  })

  it('ends for a peer that keeps sending a byte now and then', (context) => {
    const slow = watched(context)
    for (let second = 0; second < 9; second += 1) slow.bring(1, 1000)
    assert.equal(slow.givenUp(), 0)
    for (let second = 0; second < 2; second += 1) slow.bring(1, 1000)
    assert.equal(slow.givenUp(), 1)
  })

  it('lasts for hours with a peer that sends one kibibyte in a second', (context) => {
    const steady = watched(context)
    for (let second = 0; second < 7200; second += 1) steady.bring(1024, 1000)
    assert.equal(steady.givenUp(), 0)
  })

  it('lasts a minute without a byte after a quick beginning, and not longer', (context) => {
    const train = watched(context)
    train.bring(1_000_000, 1000)
    train.bring(100_000, 59_999)
    assert.equal(train.givenUp(), 0)
    train.patience.wait()
    train.pass(59_999)
    assert.equal(train.givenUp(), 0)
    train.pass(1)
    assert.equal(train.givenUp(), 1)
  })

  it('does not run while the server is not waiting, nor after its end', (context) => {
    const { patience, pass, bring, givenUp } = watched(context)
    bring.call({ pass, patience } as ReturnType<typeof watched>, 1, 1000)
    pass(1_000_000)
    patience.wait()
    pass(8_000)
    assert.equal(givenUp(), 0)
    patience.end()
    patience.wait()
    pass(1_000_000)
    assert.equal(givenUp(), 0)
  })
})
