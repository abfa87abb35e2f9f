import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { memoryPath, openSqliteStore } from '../adapters/sql/sqlite.ts'
import type { Store } from '../ports/store.ts'

/**
 * A store in memory with the tables of the migrations. The first store runs the migrations, the others copy its schema: tests open thousands of stores,
 * and migrations take several times as long as new tables. The store's contract and the migrations' own tests run the migrations each time.
 */
export async function openMemoryStore(): Promise<Store> {
  migrated ??= readMigrated()
  const script = await migrated
  const path = memoryPath()
  // Holds the database until the store has opened it.
  const holder = new DatabaseSync(path)
  try {
    holder.exec(script)
    return await openSqliteStore({ path })
  } finally {
    holder.close()
  }
}

let migrated: Promise<string> | undefined

/** Statements that make a new database in the state after the migrations. */
async function readMigrated(): Promise<string> {
  const path = memoryPath()
  const store = await openSqliteStore({ path })
  const reader = new DatabaseSync(path)
  try {
    const schema = reader
      .prepare(`select type, name, sql from sqlite_schema where sql is not null order by type <> 'table', rowid`)
      .all()
    for (const { name } of schema.filter(({ type, name }) => type === 'table' && name !== 'migrations'))
      assert.equal(reader.prepare(`select count(*) as rows from "${name}"`).get()?.rows, 0, `${name} is empty`)
    const rows = reader.prepare('select number, serves from migrations order by number').all()
    const done = rows.map(({ number, serves }) => `(${number}, ${serves})`).join()
    const statements = [...schema.map(({ sql }) => sql), `insert into migrations (number, serves) values ${done}`]
    return `begin;\n${statements.join(';\n')};\ncommit`
  } finally {
    reader.close()
    await store.close()
  }
}
