import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialects.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { devicesAndAlbums } from './migrations/0002-devices-and-albums.ts'
import { assets } from './migrations/0003-assets.ts'
import { custody } from './migrations/0004-custody.ts'
import type { Schema } from './schema.ts'

/** Statements that lead from the schema before to the one after. */
export type Migration = (dialect: Dialect) => readonly string[]

/** In order, numbered from 1. Append only: a released migration is never edited, as databases remember only how many they have been through. */
export const migrations: readonly Migration[] = [firstTables, devicesAndAlbums, assets, custody]

/** A newer release has written this database: its rows may mean what this code does not know. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
}

/** Brings the schema up to date. Runs inside one transaction of the caller's, serial with every other process, so that half a schema is never left. */
export async function migrate(
  db: Kysely<Schema>,
  dialect: Dialect,
  known: readonly Migration[] = migrations,
): Promise<void> {
  await sql
    .raw(`create table if not exists migrations (number ${dialect.integer} primary key) ${dialect.tableEnd}`)
    .execute(db)
  const { rows } = await sql<{
    readonly done: number
  }>`select coalesce(max(number), 0) as done from migrations`.execute(db)
  const done = rows[0]?.done ?? 0
  if (done > known.length) {
    throw new DatabaseTooNew(
      `The database was written by a newer release: it is at migration ${done}, this release knows ${known.length}. Start that release or a later one.`,
    )
  }
  for (const [index, migration] of known.entries()) {
    if (index < done) continue
    for (const statement of migration(dialect)) await sql.raw(statement).execute(db)
    await sql`insert into migrations (number) values (${index + 1})`.execute(db)
  }
}
