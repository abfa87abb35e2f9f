import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { sqliteDialect } from './dialects.ts'
import { DatabaseTooNew, type Migration, migrate } from './migrations.ts'
import type { Schema } from './schema.ts'
import { openConnection } from './sqliteConnection.ts'
import { createHealth } from './sqliteHealth.ts'

async function inDatabase(work: (db: Kysely<Schema>) => Promise<void>): Promise<void> {
  const connection = openConnection(':memory:', { health: createHealth(), queryOnly: false })
  try {
    await connection.lend(work)
  } finally {
    connection.close()
  }
}

const first: Migration = (dialect) => [
  `create table things (number ${dialect.integer}) ${dialect.tableEnd}`,
  'insert into things (number) values (1)',
]
const second: Migration = () => ['update things set number = number + 1']

async function things(db: Kysely<Schema>): Promise<readonly unknown[]> {
  return (await sql<{ number: number }>`select number from things`.execute(db)).rows.map((row) => row.number)
}

describe('migrations', () => {
  it('run in order, each once', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [first])
      assert.deepEqual(await things(db), [1])
      await migrate(db, sqliteDialect, [first, second])
      await migrate(db, sqliteDialect, [first, second])
      assert.deepEqual(await things(db), [2])
    }))

  it('refuse a database that has been through more of them than are known', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [first, second])
      await assert.rejects(
        migrate(db, sqliteDialect, [first]),
        (error) => error instanceof DatabaseTooNew && /migration 2, this release knows 1/.test(error.message),
      )
    }))
})
