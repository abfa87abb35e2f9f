import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type PostgresServer, startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'
import { openObjectStore, type TestObjectStore } from '../testing/objectStore.ts'
import { ROWS, runRows } from './runRows.ts'
import { tableOf } from './table.ts'

describe('the benchmarks', () => {
  // For figures each row has its own; to show that the rows work, one is enough.
  let postgres: PostgresServer
  let objects: TestObjectStore
  before(async () => {
    postgres = await startPostgresServer()
    process.env.BLINDKEEP_TEST_POSTGRES = postgres.url('postgres')
    objects = await openObjectStore()
    Object.assign(process.env, objects.place)
  })
  after(async () => {
    await objects?.stop()
    await postgres?.stop()
  })

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
