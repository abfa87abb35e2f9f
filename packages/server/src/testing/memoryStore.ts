import { backup, DatabaseSync } from 'node:sqlite'
import { memoryPath, openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import type { Store } from '../ports/store.ts'

/** More than an empty database has: it is copied in one step. */
const PAGES = 10_000

/**
 * A store in memory with the tables of the migrations. The first store runs the migrations, the others begin as a copy
 * of its pages: tests open thousands of stores, and migrations take ten times as long.
 */
export async function openMemoryStore(): Promise<Store> {
  migrated ??= openMigrated()
  const path = memoryPath()
  // Holds the database until the store has opened it.
  const holder = new DatabaseSync(path)
  try {
    await backup(await migrated, path, { rate: PAGES })
    return await openSqliteStore({ path })
  } finally {
    holder.close()
  }
}

let migrated: Promise<DatabaseSync> | undefined

/** An empty database in the state after the migrations. */
async function openMigrated(): Promise<DatabaseSync> {
  const path = memoryPath()
  const store = await openSqliteStore({ path })
  const database = new DatabaseSync(path)
  await store.close()
  return database
}
