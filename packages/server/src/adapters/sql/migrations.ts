import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialects.ts'
import { firstTables } from './migrations/0001.ts'
import type { Schema } from './schema.ts'

/** Statements that change the schema from the one before to the next. */
export type Migration = (dialect: Dialect) => readonly string[]

/** In order, numbered from 1. Only append: a released migration never changes, because a database records only how many it has run. */
export const migrations: readonly Migration[] = [firstTables]

/** A newer release has written this database: this code may not understand its rows. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
}

/** The database lacks migrations of this release, and the caller did not ask to run them. */
export class DatabaseBehind extends Error {
  override readonly name = 'DatabaseBehind'
}

/** Throws `DatabaseBehind` or `DatabaseTooNew` unless the schema is exactly this release's. */
export async function requireMigrated(db: Kysely<Schema>, known: readonly Migration[] = migrations): Promise<void> {
  const done = await migrationsDone(db)
  if (done > known.length) throw tooNew(done, known.length)
  if (done < known.length)
    throw new DatabaseBehind(
      `The database is at migration ${done}, this release needs ${known.length}. Stop the server and run \`blindkeep-server migrate\`, or start it with this release.`,
    )
}

/**
 * Brings the schema up to date. The caller runs this in one transaction that excludes every other process: a failure leaves the schema as it was.
 * Throws `DatabaseTooNew`.
 */
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
