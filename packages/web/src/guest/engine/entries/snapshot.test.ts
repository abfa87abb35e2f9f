import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FailureReason } from '../../ground/messages.ts'
import { createEntries, type NewEntry } from './entries.ts'
import { MAX_ROWS, viewOf } from './snapshot.ts'

const entry = (id: string, change: Partial<NewEntry> = {}): NewEntry => ({
  ...{ id, name: id, folder: '', size: 10, lastModified: 0, totalBytes: 100 },
  ...change,
})

function viewWith(...given: readonly NewEntry[]) {
  const entries = createEntries(() => undefined)
  for (const one of given) entries.add(one)
  return viewOf(entries)
}

describe('the view of the entries', () => {
  it('counts all, and shows of very many those that move or need the guest, in their order', () => {
    const landed = Array.from({ length: MAX_ROWS }, (_, index) => entry(`landed ${index}`, { phase: 'landed' }))
    const view = viewWith(
      ...landed,
      entry('failed', { phase: 'failed', failure: 'refused' }),
      entry('sending', { phase: 'sending' }),
    )
    assert.deepEqual([view.inOtherTab, view.hasUsedUpLink], [0, false])
    assert.equal(viewWith(entry('a', { phase: 'failed', failure: 'other_tab' })).inOtherTab, 1)
    assert.deepEqual([view.counts.landed, view.hiddenRows, view.rows.length], [MAX_ROWS, 2, MAX_ROWS])
    assert.deepEqual(
      view.rows.slice(-2).map(({ id }) => id),
      ['failed', 'sending'],
    )
    assert.equal(view.rows[0]?.id, 'landed 0')
  })

  it('adds up the files that are sent in this visit, with the bytes of the current chunk', () => {
    const { totals } = viewWith(
      entry('a', { phase: 'sending', sentBytes: 40, inFlightBytes: 20 }),
      entry('b', { phase: 'landed', sentBytes: 100 }),
      entry('c', { phase: 'landed', sentBytes: 100, landedAt: '2026-01-01T00:00:00.000Z' }),
      entry('d', { phase: 'cancelled', sentBytes: 50 }),
      entry('e', { phase: 'chosen' }),
    )
    assert.deepEqual(totals, { files: 2, landed: 1, arrived: 0, doneBytes: 160, totalBytes: 200, trouble: undefined })
  })

  it('has what goes with the files of this visit once, however many have it, and at each of them', () => {
    const [note, other] = [
      { note: 'From the lake', sender: 'Ada' },
      { note: '', sender: 'Ada' },
    ]
    const { messages, rows } = viewWith(
      entry('a', { phase: 'landed', message: note }),
      entry('b', { phase: 'sending', message: { ...note } }),
      entry('c', { phase: 'waiting', message: other }),
      entry('d', { phase: 'sending' }),
      ...(['chosen', 'failed', 'cancelled'] as const).map((phase) => entry(phase, { phase, message: note })),
      entry('e', { phase: 'landed', landedAt: '2026-01-01T00:00:00.000Z', message: other }),
    )
    assert.deepEqual(messages, [
      { message: note, files: 2 },
      { message: other, files: 1 },
    ])
    assert.deepEqual(
      rows.map(({ message }) => message),
      [note, note, other, ...Array(5).fill(undefined)],
    )
    assert.equal(rows[0]?.message, rows[1]?.message)
  })

  it('names the trouble that has lasted longest', () => {
    const troubled = (failure: FailureReason, troubledSince: number) =>
      ({ phase: 'waiting', failure, troubledSince, isRetrying: true }) as const
    const { totals } = viewWith(
      entry('a', troubled('busy', 3)),
      entry('b', { ...troubled('storage_unavailable', 2), triesAt: 9 }),
      entry('c', { phase: 'failed', failure: 'owner_full' }),
      entry('d', { phase: 'sending', troubledSince: 1 }),
    )
    assert.deepEqual(totals.trouble, { reason: 'storage_unavailable', since: 2, until: 9 })
  })

  it('never reports more bytes than the file has', () => {
    const { rows } = viewWith(entry('a', { phase: 'sending', sentBytes: 90, inFlightBytes: 20 }))
    assert.equal(rows[0]?.doneBytes, 100)
  })

  it('shortens very long names', () => {
    const { rows } = viewWith(entry('a', { name: 'x'.repeat(64 * 1024) }))
    assert.ok((rows[0]?.name.length ?? 0) < 500)
  })
})
