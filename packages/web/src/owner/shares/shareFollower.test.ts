import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createShareFollower } from './shareFollower.ts'

/** A follower with a clock of the test. */
function world(following = 1) {
  let [clock, looks] = [0, 0]
  let due: { readonly at: number; readonly run: () => void } | undefined
  const follower = createShareFollower({
    refresh: async () => {
      looks += 1
      return { following, changed: [], behind: 0 }
    },
    now: () => clock,
    later(ms, run) {
      const mine = { at: clock + ms, run }
      due = mine
      return () => {
        if (due === mine) due = undefined
      }
    },
  })
  return {
    ...follower,
    looks: () => looks,
    async pass(ms: number) {
      for (const end = clock + ms; clock < end; clock += 500)
        if (due !== undefined && due.at <= clock) {
          const { run } = due
          due = undefined
          run()
          await setImmediate()
        }
    },
  }
}

describe('shares that follow an album, in a page', () => {
  it('are compared once for many changes, when these are over', async () => {
    const { changed, pass, looks } = world()
    for (let change = 0; change < 10; change += 1) {
      changed()
      await pass(1000)
    }
    assert.equal(looks(), 0)
    await pass(3000)
    assert.equal(looks(), 1)
    await pass(100_000)
    assert.equal(looks(), 1)
  })

  it('are compared each minute while changes go on, and not after the end of the page', async () => {
    const { changed, pass, looks, stop } = world()
    for (let second = 0; second < 185; second += 1) {
      changed()
      await pass(1000)
    }
    assert.equal(looks(), 3)
    stop()
    changed()
    await pass(100_000)
    assert.equal(looks(), 3)
  })

  it('are not looked for again and again where there are none', async () => {
    const { changed, pass, looks, look } = world(0)
    await look()
    for (let minute = 0; minute < 9; minute += 1) {
      changed()
      await pass(60_000)
    }
    assert.equal(looks(), 1)
    await pass(60_000)
    changed()
    await pass(60_000)
    assert.equal(looks(), 2)
  })
})
