import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ROWS, runRows } from './runRows.ts'
import { tableOf } from './table.ts'

describe('the benchmarks', () => {
  it('measure a figure, or a ratio, for each comparison of each row', async (test) => {
    const report = await runRows({ rows: ROWS, rounds: 1, isQuick: true, print: () => undefined })
    test.diagnostic(tableOf(report))
    assert.deepEqual(report.failures, [])
    const measured = new Set(report.results.map(({ id }) => id))
    assert.deepEqual(
      [...measured],
      ROWS.flatMap(({ ids }) => ids),
    )
    for (const { id, figure, beside, ratio } of report.results) {
      const number = beside === undefined ? figure.value : ratio
      assert.ok(Number.isFinite(number) && number > 0, `${id}: ${number}`)
    }
  })
})
