import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { createServerClock } from './serverClock.ts'

const HERE = Date.UTC(2026, 0, 1)
const YEARS_MS = 2 * 365 * 86_400_000

describe('the clock of the server', () => {
  it('is that of its last answer, however wrong the clock here is', () => {
    for (const offMs of [0, 7_200_000, -7_200_000, YEARS_MS, -YEARS_MS]) {
      let here = HERE + offMs
      const clock = createServerClock(
        () => instantOf(here),
        () => 0,
      )
      assert.deepEqual([clock.hasAnswered(), clock.now()], [false, here])
      clock.note(new Headers({ Date: new Date(HERE).toUTCString() }))
      here += 5000
      assert.deepEqual([clock.hasAnswered(), clock.now()], [true, HERE + 5000])
    }
  })

  it('goes on when the clock here is set back, and while this machine sleeps', () => {
    let [here, elapsedMs] = [HERE, 100.5]
    const clock = createServerClock(
      () => instantOf(here),
      () => elapsedMs,
    )
    clock.note(new Headers({ Date: new Date(HERE).toUTCString() }))
    here -= 7_200_000
    elapsedMs += 5000
    assert.equal(clock.now(), HERE + 5000)
    here = HERE + 3_600_000
    assert.equal(clock.now(), HERE + 3_600_000)
  })

  it('stays as it was after an answer without a time or with one outside all calendars, and counts the age of one from a cache', () => {
    const clock = createServerClock(
      () => instantOf(HERE),
      () => 0,
    )
    const date = new Date(HERE - 60_000).toUTCString()
    clock.note(new Headers({ Date: date, Age: '50' }))
    const far = [
      { Date: date, Age: '9007199254740992' },
      { Date: date, Age: '1e999' },
      { Date: 'Sat, 13 Sep 275760 00:00:00 GMT' },
    ]
    for (const headers of [{}, { Date: 'yesterday' }, { Date: date, Age: 'old' }, ...far])
      clock.note(new Headers(headers))
    assert.equal(clock.now(), HERE - 10_000)
  })
})
