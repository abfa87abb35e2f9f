import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ROWS, runRows } from './runRows.ts'
import { tableOf } from './table.ts'

describe('the benchmarks', () => {
  it('measure a ratio for each comparison of each row', async (test) => {
    const report = await runRows({ rows: ROWS, rounds: 1, isQuick: true, print: () => undefined })
    test.diagnostic(tableOf(report))
    assert.deepEqual(report.failures, [])
    const measured = new Set(report.results.map(({ id }) => id))
    assert.deepEqual(
      [...measured],
      ROWS.flatMap(({ ids }) => ids),
    )
    for (const { id, ratio } of report.results) assert.ok(Number.isFinite(ratio) && ratio > 0, `${id}: ${ratio}`)
  })
})
