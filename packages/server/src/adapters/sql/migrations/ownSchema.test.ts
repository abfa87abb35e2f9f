import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { ForeignSchema } from '../../../ports/store.ts'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { sqliteSchema } from '../sqlite/schema.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { migrations, statementsAfter, tableOfMigrations } from './migrations.ts'
import { digestOf, NEWEST_SCHEMA, sqliteSchemaAfter } from './ownSchema.ts'

it('the newest schema is known without making it', () => {
  assert.equal(NEWEST_SCHEMA, digestOf(sqliteSchemaAfter(migrations.length)), 'NEWEST_SCHEMA is to be the second value')
})

it('an earlier database is judged before a row of it is read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-schema-'))
  try {
    const path = join(directory, 'blindkeep.sqlite')
    const database = new DatabaseSync(path)
    const earlier = statementsAfter(0, sqliteDialect, migrations.slice(0, 11))
    for (const statement of [tableOfMigrations(sqliteDialect), ...earlier]) database.exec(statement)
    // A view in its place that cannot be read, as a function of it is missing.
    database.exec('drop table accounts; create view accounts as select no_such_function() as deleted_at')
    database.close()
    await assert.rejects(sqliteSchema(path), ForeignSchema)
    await assert.rejects(openSqliteStore({ path }), ForeignSchema)
  } finally {
    await rm(directory, { recursive: true })
  }
})
