import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialects.ts'
import { firstTables } from './migrations/0001.ts'
import type { Schema } from './schema.ts'

/**
 * One step of the schema. Nodes of two releases share a database while an operator updates them one after another, so a step is one of two kinds:
 *
 * - It expands: it adds a table, a column that may be null or has a default, or an index. Code that does not know it still works. `serves` stays as it was.
 * - It contracts: it removes or changes what the release before no longer uses. `serves` rises to the number of migrations that release knows.
 *
 * On PostgreSQL no statement waits longer than `MIGRATION_LOCK_TIMEOUT_MS` for a table. An index on a large table is made beforehand by the operator, with
 * `create index concurrently`; the step says `if not exists`.
 */
export interface Migration {
  readonly statements: (dialect: Dialect) => readonly string[]
  /** Code that knows fewer migrations than this must not use the database any more. */
  readonly serves: number
}

/** In order, numbered from 1. Only append: a released migration never changes, because a database records only how many it has run. */
export const migrations: readonly Migration[] = [{ statements: firstTables, serves: 1 }]

/** A newer release has written this database: this code does not understand its rows. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
}

/** The database lacks migrations of this release, and the caller did not ask to run them. */
export class DatabaseBehind extends Error {
  override readonly name = 'DatabaseBehind'
}

/** Throws `DatabaseBehind` or `DatabaseTooNew` unless the schema is exactly this release's. */
export async function requireMigrated(db: Kysely<Schema>, known: readonly Migration[] = migrations): Promise<void> {
  const { done } = await stateOf(db)
  if (done > known.length) throw tooNew(done, known.length)
  refuseBehind(done, known.length)
}

/**
 * For a node that shares the database: a newer schema is good enough as long as it serves this release. Throws `DatabaseBehind`, as another release may
 * be running on the present schema and only the operator knows when to change it, or `DatabaseTooNew`.
 */
export async function requireServing(db: Kysely<Schema>, known: readonly Migration[] = migrations): Promise<void> {
  const { done, serves } = await stateOf(db)
  if (serves > known.length) throw tooNew(done, known.length)
  refuseBehind(done, known.length)
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
  const { integer, tableEnd } = dialect
  await sql
    .raw(
      `create table if not exists migrations (number ${integer} primary key, serves ${integer} not null) ${tableEnd}`,
    )
    .execute(db)
  const { done } = await stateOf(db)
  if (done > known.length) throw tooNew(done, known.length)
  for (const [index, { statements, serves }] of known.entries()) {
    if (index < done) continue
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db)
    await sql`insert into migrations (number, serves) values (${index + 1}, ${serves})`.execute(db)
  }
}

interface SchemaState {
  /** How many migrations have run. */
  readonly done: number
  readonly serves: number
}

async function stateOf(db: Kysely<Schema>): Promise<SchemaState> {
  const { rows } =
    await sql<SchemaState>`select coalesce(max(number), 0) as done, coalesce(max(serves), 0) as serves from migrations`.execute(
      db,
    )
  return rows[0] ?? { done: 0, serves: 0 }
}

function refuseBehind(done: number, known: number): void {
  if (done >= known) return
  throw new DatabaseBehind(
    `The database is at migration ${done}, this release needs ${known}. Run \`blindkeep-server migrate\` of this release.`,
  )
}

function tooNew(done: number, known: number): DatabaseTooNew {
  return new DatabaseTooNew(
    `The database was written by a newer release: it is at migration ${done}, this release knows ${known}. Start that release or a later one.`,
  )
}
