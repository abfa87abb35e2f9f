import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEntries, type NewEntry } from './entries.ts'
import { MAX_ROWS, viewOf } from './snapshot.ts'

const entry = (id: string, change: Partial<NewEntry> = {}): NewEntry => ({
  ...{ id, name: id, folder: '', size: 10, lastModified: 0, of: 100 },
  ...change,
})

function viewed(...given: readonly NewEntry[]) {
  const entries = createEntries(() => undefined)
  for (const one of given) entries.add(one)
  return viewOf(entries)
}

describe('what there is to draw', () => {
  it('counts all, and draws of very many what moves or needs somebody, each in its place', () => {
    const landed = Array.from({ length: MAX_ROWS }, (_, index) => entry(`landed ${index}`, { phase: 'landed' }))
    const view = viewed(
      ...landed,
      entry('failed', { phase: 'failed', failure: 'refused' }),
      entry('sending', { phase: 'sending' }),
    )
    assert.deepEqual([view.counts.landed, view.hiddenRows, view.rows.length], [MAX_ROWS, 2, MAX_ROWS])
    assert.deepEqual(
      view.rows.slice(-2).map(({ id }) => id),
      ['failed', 'sending'],
    )
    assert.equal(view.rows[0]?.id, 'landed 0')
  })

  it('adds up what was asked to be sent in this visit, with what is under way', () => {
    const { totals } = viewed(
      entry('a', { phase: 'sending', sent: 40, inFlight: 20 }),
      entry('b', { phase: 'landed', sent: 100 }),
      entry('c', { phase: 'landed', sent: 100, landedAt: '2026-01-01T00:00:00.000Z' }),
      entry('d', { phase: 'cancelled', sent: 50 }),
      entry('e', { phase: 'chosen' }),
    )
    assert.deepEqual(totals, { files: 2, landed: 1, bytes: 160, of: 200, isRetrying: false })
  })

  it('never tells more than all of a file, whatever a line says is under way', () => {
    const { rows } = viewed(entry('a', { phase: 'sending', sent: 90, inFlight: 20 }))
    assert.equal(rows[0]?.bytes, 100)
  })

  it('cuts names that nobody could draw', () => {
    const { rows } = viewed(entry('a', { name: 'x'.repeat(64 * 1024) }))
    assert.ok((rows[0]?.name.length ?? 0) < 500)
  })
})
