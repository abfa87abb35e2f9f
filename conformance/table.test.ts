/** README.md and the suite, checked both ways: what a row names exists, and what exists is named by a row. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { connect } from './server.ts'
import { rowsUnder, statusRows, testNames } from './table.ts'

const SECTIONS = ['The specification', 'The project’s own rules', 'Statuses']

const server = await connect()
const rows = SECTIONS.flatMap(rowsUnder)
const tests = testNames()

describe('the table of rules', () => {
  it('names tests that exist', () => {
    const named = rows.flatMap((row) => row.tests)
    assert.deepEqual(
      named.filter((name) => !tests.includes(name)),
      [],
    )
    assert.ok(named.length > 0)
  })

  it('names every test', () => {
    const named = new Set(rows.flatMap((row) => row.tests))
    assert.deepEqual(
      tests.filter((name) => !named.has(name)),
      [],
    )
  })

  it('names each test and each rule once', () => {
    assert.equal(new Set(tests).size, tests.length, 'no two tests of a file have one name')
    const rules = SECTIONS.slice(0, 2)
      .flatMap(rowsUnder)
      .map(({ cells }) => cells[0])
    assert.deepEqual(
      rules.filter((rule, index) => rules.indexOf(rule) !== index),
      [],
    )
  })

  it('gives every row a test or a reason', () => {
    for (const row of rows) {
      if (row.excuse === undefined)
        assert.ok(
          row.tests.every((name) => name.includes(': ')),
          row.cells.join(' | '),
        )
      else assert.ok(row.excuse.length > 'not provoked: '.length, row.cells.join(' | '))
    }
  })

  it('has a row for every status that the document declares, and none beyond', () => {
    const status = statusRows(server.document)
    const covered = new Set(status.flatMap(({ pairs }) => pairs))
    const declared = server.document.operations.flatMap(({ name, statuses }) =>
      statuses.map((code) => `${name} ${code}`),
    )
    assert.deepEqual(
      declared.filter((pair) => !covered.has(pair)),
      [],
    )
    for (const row of status)
      assert.ok(row.pairs.length > 0, `the document declares nothing of ${row.cells.join(' | ')}`)
  })
})
