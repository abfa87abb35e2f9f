import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { Table } from '../../../rows/columns.ts'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { tables } from '../../../rows/tables.ts'
import { statementsAfter, tableOfMigrations } from './migrations.ts'
import { tablesOfRelease } from './tables.ts'

const inSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `account_id not null`: each column as the database says it. */
const described = (table: Table) =>
  Object.entries(table).map(([name, { start }]) =>
    start === 'given' || start === 'made' ? `${inSnakeCase(name)} not null` : inSnakeCase(name),
  )

describe('the descriptions of the tables', () => {
  const database = new DatabaseSync(':memory:')
  for (const statement of [tableOfMigrations(sqliteDialect), ...statementsAfter(0, sqliteDialect)])
    database.exec(statement)

  it('are those that the migrations create', () => {
    const created = tablesOfRelease().map(({ name }) => name)
    assert.deepEqual(Object.keys(tables).map(inSnakeCase).toSorted(), created.toSorted())
  })

  it('read a name in one way, whatever the table', () => {
    const forms = Object.values<Table>(tables).flatMap((table) =>
      Object.entries(table).map(([name, { form }]) => `${name} ${form}`),
    )
    const names = [...new Set(forms)].map((form) => form.split(' ')[0])
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
  })

  for (const [name, table] of Object.entries<Table>(tables))
    it(`has each column of ${inSnakeCase(name)}, and whether it may be NULL`, () => {
      const columns = database
        .prepare('select name, "notnull" or pk > 0 as required from pragma_table_info(?)')
        .all(inSnakeCase(name))
        .map(({ name, required }) => (required === 1 ? `${name} not null` : String(name)))
      assert.deepEqual(described(table).toSorted(), columns.toSorted())
    })
})
