import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatInstant, instantOf } from '@blindkeep/protocol/ids'
import { byProtection, isProtected, protectionDays, protectionEnd, startOf } from './protection.ts'

const DAY_MS = 86_400_000
/** At three in the afternoon, wherever this runs. */
const nowMs = new Date('2026-03-10T15:00:00').getTime()
const inDays = (days: number) => formatInstant(instantOf(nowMs + days * DAY_MS))

describe('the days up to which a file may be protected', () => {
  it('begin tomorrow, or after its present protection, and end within what the server accepts', () => {
    const free = { nowMs, retainedUntil: undefined, daysMax: 400 }
    assert.deepEqual(protectionDays(free), { earliest: '2026-03-11', latest: '2027-04-14', suggested: '2026-04-09' })
    assert.deepEqual(protectionDays({ ...free, retainedUntil: inDays(-9) }), protectionDays(free))
    const days = protectionDays({ ...free, retainedUntil: inDays(60) })
    assert.deepEqual([days?.earliest, days?.suggested], ['2026-05-10', '2026-05-10'])
    assert.equal(protectionDays({ ...free, daysMax: 7 })?.suggested, '2026-03-17')
    for (const daysMax of [0, 60])
      assert.equal(protectionDays({ nowMs, retainedUntil: inDays(60), daysMax }), undefined)
    assert.equal(protectionDays({ ...free, daysMax: 0 }), undefined)
  })

  it('are their beginnings: later than now, later than before, and not beyond the bound', () => {
    for (const hour of [0, 12, 23])
      for (const retainedUntil of [undefined, inDays(3)]) {
        const at = new Date(nowMs).setHours(hour, 59, 59, 999)
        const days = protectionDays({ nowMs: at, retainedUntil, daysMax: 9 })
        assert.ok(days !== undefined)
        const ends = [days.earliest, days.latest].map((day) => Date.parse(protectionEnd(day, days) ?? ''))
        const from = Math.max(at, retainedUntil === undefined ? 0 : Date.parse(retainedUntil))
        assert.ok(
          ends.every((end) => end > from && end <= at + 9 * DAY_MS),
          String(ends),
        )
      }
  })

  it('are no others: neither before nor after them, nor what is no day', () => {
    const days = protectionDays({ nowMs, retainedUntil: undefined, daysMax: 9 })
    assert.ok(days !== undefined)
    assert.equal(protectionEnd('2026-03-12', days), formatInstant(instantOf(startOf('2026-03-12'))))
    for (const day of ['', '2026-03-10', '2026-03-20', '2026-03-1', 'soon'])
      assert.equal(protectionEnd(day, days), undefined)
  })

  it('are over when the server’s clock says so', () => {
    assert.deepEqual(
      [undefined, inDays(-1), inDays(0), inDays(1)].map((until) => isProtected(until, nowMs)),
      [false, false, false, true],
    )
  })
})

describe('files of which some are protected', () => {
  it('are those that can be deleted now, and the last day of the others', () => {
    const file = (name: string, retainedUntil?: string) => ({ name, retainedUntil })
    const [free, over] = [file('free'), file('over', inDays(-1))]
    const ends = ['2026-04-01T00:00:00.5Z', '2026-04-01T00:00:00Z']
    const { free: found, kept } = byProtection([free, ...ends.map((end) => file(end, end)), over], nowMs)
    assert.deepEqual(found, [free, over])
    assert.deepEqual(kept, { count: 2, until: ends[0] })
    assert.equal(byProtection([free, over], nowMs).kept, undefined)
  })
})
