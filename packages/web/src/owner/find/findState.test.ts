import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ALL,
  type FindState,
  filtersIn,
  findQueryOf,
  findStateIn,
  isFiltered,
  needsNames,
  queryOf,
} from './findState.ts'

const through = (state: FindState) => findStateIn(new URLSearchParams(queryOf(state)))

describe('what is looked for, in the address of a page', () => {
  it('comes back as it was, and an unused search leaves the address as it is', () => {
    const state: FindState = {
      ...{ words: 'Köln & 0500=?#', kind: 'image', sender: 'Ada', since: '2026-05-01', until: '2026-05-02' },
      ...{ larger: 10, only: 'unread', link: 'ab'.repeat(16), sort: 'largest' },
      ...{ question: 'Aktenzeichen & =', answer: '2026/17', by: 'Thema' },
    }
    assert.deepEqual(through(state), state)
    assert.equal(queryOf(ALL), '')
    assert.deepEqual(through(ALL), ALL)
    assert.equal(filtersIn(state), 7)
  })

  it('is nothing for values that the page does not know', () => {
    const query = new URLSearchParams('kind=x&sort=__proto__&since=yesterday&until=2026-5-1&mb=3&only=all')
    assert.deepEqual(findStateIn(query), ALL)
  })

  it('counts whole days of the reader, the last one too, and no day that is none', () => {
    const { sinceMs = 0, untilMs = 0 } = findQueryOf({ ...ALL, since: '2026-05-01', until: '2026-05-01' })
    assert.equal(new Date(sinceMs).toDateString(), new Date(2026, 4, 1).toDateString())
    assert.equal(untilMs - sinceMs, 86_400_000)
    assert.equal(findQueryOf(ALL).sinceMs, undefined)
  })

  it('needs names only where a name decides, and may hide files only with a search or a filter', () => {
    assert.deepEqual([needsNames(ALL), isFiltered(ALL)], [false, false])
    assert.deepEqual([needsNames({ ...ALL, sort: 'name' }), isFiltered({ ...ALL, sort: 'name' })], [true, false])
    assert.deepEqual([needsNames({ ...ALL, larger: 10 }), isFiltered({ ...ALL, larger: 10 })], [false, true])
    assert.deepEqual([needsNames({ ...ALL, by: 'A' }), isFiltered({ ...ALL, by: 'A', question: 'A' })], [true, false])
    assert.deepEqual([needsNames({ ...ALL, words: 'a' }), isFiltered({ ...ALL, words: ' ' })], [true, false])
  })
})
