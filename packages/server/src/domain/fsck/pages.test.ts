import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ReadTx, type Store, ValueUnreadable } from '../../ports/store.ts'
import { never } from '../../testing/guest.ts'
import { pages } from './pages.ts'

describe('the pages of a table', () => {
  it('come up to an unreadable row, and the error names the row before it', async () => {
    const seen: number[] = []
    const store: Pick<Store, 'read'> = { read: (work) => work({} as ReadTx) }
    const table = {
      first: 0,
      pageSize: 8,
      keyOf: (row: number) => row,
      async read(_: ReadTx, after: number, max: number) {
        const rows = Array.from({ length: max }, (_each, index) => after + index + 1)
        if (rows.includes(14)) throw new ValueUnreadable('too large')
        return rows
      },
    }
    const all = async () => {
      for await (const rows of pages(store, table, { signal: never })) seen.push(...rows)
    }
    await assert.rejects(all(), /^ValueUnreadable: the row after 13: too large$/)
    assert.deepEqual(
      seen,
      Array.from({ length: 13 }, (_each, index) => index + 1),
    )
  })
})
