import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialects.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { devicesAndAlbums } from './migrations/0002-devices-and-albums.ts'
import { assets } from './migrations/0003-assets.ts'
import { custody } from './migrations/0004-custody.ts'
import { strangers } from './migrations/0005-strangers.ts'
import type { Schema } from './schema.ts'

/** Statements that lead from the schema before to the one after. */
export type Migration = (dialect: Dialect) => readonly string[]

/** In order, numbered from 1. Append only: a released migration is never edited, as databases remember only how many they have been through. */
export const migrations: readonly Migration[] = [firstTables, devicesAndAlbums, assets, custody, strangers]

/** A newer release has written this database: its rows may mean what this code does not know. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
}

/** This release has migrations that the database has not been through, and was not asked to bring it there. */
export class DatabaseBehind extends Error {
  override readonly name = 'DatabaseBehind'
}

/** Throws `DatabaseBehind` or `DatabaseTooNew` unless the schema is exactly this release's. */
export async function requireMigrated(db: Kysely<Schema>): Promise<void> {
  const done = await migrationsDone(db)
  if (done > migrations.length) throw tooNew(done, migrations.length)
  if (done < migrations.length)
    throw new DatabaseBehind(
      `The database is at migration ${done}, this release needs ${migrations.length}. Stop the server and run \`blindkeep-server migrate\`, or start it with this release.`,
    )
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
  const done = await migrationsDone(db)
  if (done > known.length) throw tooNew(done, known.length)
  for (const [index, migration] of known.entries()) {
    if (index < done) continue
    for (const statement of migration(dialect)) await sql.raw(statement).execute(db)
    await sql`insert into migrations (number) values (${index + 1})`.execute(db)
  }
}

async function migrationsDone(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    readonly done: number
  }>`select coalesce(max(number), 0) as done from migrations`.execute(db)
  return rows[0]?.done ?? 0
}

function tooNew(done: number, known: number): DatabaseTooNew {
  return new DatabaseTooNew(
    `The database was written by a newer release: it is at migration ${done}, this release knows ${known}. Start that release or a later one.`,
  )
}
