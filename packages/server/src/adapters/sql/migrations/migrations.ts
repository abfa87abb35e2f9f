import { type Kysely, sql } from 'kysely'
import { RELEASE } from '../../../ground/release.ts'
import type { Dialect } from '../../../rows/dialects.ts'
import { firstTables } from './0001.ts'
import { secondTables } from './0002.ts'
import { thirdTables } from './0003.ts'
import { fourthTables } from './0004.ts'
import { fifthTables } from './0005.ts'
import { sixthTables } from './0006.ts'
import { seventhTables } from './0007.ts'
import { eighthTables } from './0008.ts'
import { ninthTables } from './0009.ts'
import { tenthTables } from './0010.ts'
import { eleventhTables } from './0011.ts'
import { twelfthTables, UNCONVERTIBLE_ACCOUNT } from './0012.ts'
import { thirteenthTables, UNSIGNED_KEY_CHANGE } from './0013.ts'
import { fourteenthTables } from './0014.ts'
import { fifteenthTables } from './0015.ts'
import { sixteenthTables } from './0016.ts'
import { seventeenthTables } from './0017.ts'
import { eighteenthTables } from './0018.ts'
import { nineteenthTables } from './0019.ts'

/**
 * One step of the schema. Nodes of two releases share a database while an operator updates them one after another, so a
 * step is one of two kinds:
 *
 * - It expands: it adds a table, a column that may be null or has a default, or an index. Code that does not know it
 *   still works. `serves` stays as it was.
 * - It contracts: it removes or changes what the release before no longer uses. `serves` rises to the number of
 *   migrations that release knows.
 *
 * A step that adds what a deleted account must not keep is no expansion: `serves` rises to its own number, and the
 * operator stops all nodes for it.
 *
 * On PostgreSQL no statement waits longer than `MIGRATION_LOCK_TIMEOUT_MS` for a table. An index on a large table is
 * made beforehand by the operator, with `create index concurrently`; the step says `if not exists`.
 */
export interface Migration {
  /** What it changes, in one sentence for operators. */
  readonly summary: string
  readonly statements: (dialect: Dialect) => readonly string[]
  /** Code that knows fewer migrations than this must not use the database any more. */
  readonly serves: number
  /** What it cannot convert: a query that finds a row of it in a database of the step before, and a sentence on it. */
  readonly refuses?: { readonly query: string; readonly because: string }
}

/** Numbered from 1. Only append: a database records only how many it has run, so released ones never change. */
export const migrations: readonly Migration[] = [
  { summary: 'Makes the tables of an empty database.', statements: firstTables, serves: 1 },
  {
    summary:
      'Adds a table for the addresses of messages about new files and a column for the title of a link, and lets the server note when it was backed up.',
    statements: secondTables,
    // Code that does not know these rows would leave them behind when it deletes an account.
    serves: 2,
  },
  {
    summary: 'Adds a table and two columns for the names that owners give to shares, sessions and devices.',
    statements: thirdTables,
    // For the same reason.
    serves: 3,
  },
  {
    summary: 'Adds a table for passkeys and a column for the passkey that opened a session.',
    statements: fourthTables,
    // For the same reason; and a recovery would leave them valid.
    serves: 4,
  },
  {
    summary: 'Lets messages about new files go to browsers.',
    statements: fifthTables,
    // Code that does not know this kind would give such a channel up.
    serves: 5,
  },
  {
    summary: 'Adds a column for the passphrases of shares.',
    statements: sixthTables,
    // Code that does not know it would show such a share to everyone who has its address.
    serves: 6,
  },
  {
    summary: 'Lets owners delete albums, and keeps of ended links and revoked devices what is still needed.',
    statements: seventhTables,
    // Code that does not know it would use deleted albums and list links that are in no list any more.
    serves: 7,
  },
  {
    summary: 'Adds columns for files that guests could not send, and frees assets that no signed manifest retains.',
    statements: eighthTables,
    // Code that does not know the columns would leave them behind when it deletes an account.
    serves: 8,
  },
  {
    summary: 'Adds a column for the session that opened an upload or asked for a capability.',
    statements: ninthTables,
    serves: 8,
  },
  {
    summary: 'Makes the index of open uploads again, with the time of the last chunk of each.',
    statements: tenthTables,
    serves: 8,
  },
  {
    summary: 'Removes the column for what a guest’s session counts as in what guests are shown.',
    statements: eleventhTables,
    // Code that does not know it would write to that column.
    serves: 11,
  },
  {
    summary: 'Replaces hashes of secrets by hashes of keys, with which accounts and passkeys sign in.',
    statements: twelfthTables,
    // Code that does not know it asks for the secrets.
    serves: 12,
    refuses: {
      query: UNCONVERTIBLE_ACCOUNT,
      because:
        'The database has accounts of an earlier release, and this one signs in with keys and cannot take them over: start it with an empty data directory and database, or stay with the version that you have.',
    },
  },
  {
    summary: 'Adds a table for the signed statements by which the attestation key changes, and notes for moves.',
    statements: thirteenthTables,
    // Code that does not know it would change the key without a statement.
    serves: 13,
    refuses: {
      query: UNSIGNED_KEY_CHANGE,
      because:
        'The database has an attestation key that was replaced by an earlier release, without the signed statement that this one needs: start it with an empty data directory and database, or stay with the version that you have.',
    },
  },
  {
    summary: 'Adds a table for how often shares are opened and downloaded, and how often they may be.',
    statements: fourteenthTables,
    // Code that does not know it would show a share whose downloads are used up.
    serves: 14,
  },
  {
    summary: 'Adds a column for metadata that wait for the manifest that names them.',
    statements: fifteenthTables,
    // Code that does not know it would show an asset with two metadata.
    serves: 15,
  },
  {
    summary: 'Adds a table for what was discarded or deleted and can be restored.',
    statements: sixteenthTables,
    // Code that does not know these rows would leave them behind when it deletes an account, and count too little use.
    serves: 16,
  },
  {
    summary: 'Adds a column for when the owner confirmed the recovery words.',
    statements: seventeenthTables,
    // Code that does not know the column would leave it behind when it deletes an account.
    serves: 17,
  },
  {
    summary: 'Adds a column for how often guests could not send through a link.',
    statements: eighteenthTables,
    // Code that does not know it would leave it behind when it deletes an account.
    serves: 18,
  },
  {
    summary: 'Adds a column for an operator’s note on an invite.',
    statements: nineteenthTables,
    // For the same reason.
    serves: 19,
  },
]

/** From this migration on, the table of migrations says which version ran each. */
const VERSIONED = 2

/** How far a database is. */
export interface SchemaState {
  /** How many migrations have run. 0 for a database without tables. */
  readonly done: number
  /** Code that knows fewer migrations must not use it. */
  readonly serves: number
  /** The version that ran the last migration, if the database says so. */
  readonly version?: string | undefined
  /** Why the migrations of this version cannot run, as a sentence. */
  readonly unconvertible?: string | undefined
}

/** A newer version has changed this database: this code does not understand its rows. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
  readonly state: SchemaState
  /** How many migrations this version knows. */
  readonly known: number

  /** `wayBack`: what an operator can do who has to stay with this version, as the end of a sentence. */
  constructor(state: SchemaState, known: number, wayBack = 'go back to your backup from before that') {
    const { done, version } = state
    const writer = version === undefined ? 'A newer version of Blindkeep' : `Blindkeep ${version}`
    super(
      `${writer} has upgraded the database to migration ${done}, and this version (${RELEASE}) knows ${known}: install ${version ?? 'that version'} or a later one, or ${wayBack}.`,
    )
    this.state = state
    this.known = known
  }
}

/** The database has rows that a migration of this version cannot convert. Nothing was changed. */
export class DatabaseUnconvertible extends Error {
  override readonly name = 'DatabaseUnconvertible'
}

/** The database lacks migrations of this version, and the caller did not ask to run them. */
export class DatabaseBehind extends Error {
  override readonly name = 'DatabaseBehind'
}

/** Throws `DatabaseBehind` or `DatabaseTooNew` unless the schema is exactly this version's. */
export async function requireMigrated(db: Kysely<unknown>, known: readonly Migration[] = migrations): Promise<void> {
  const state = await stateOf(db, known)
  if (state.done > known.length) throw new DatabaseTooNew(state, known.length)
  refuseUnconvertible(state)
  refuseBehind(state, known.length)
}

/**
 * For a node that shares the database: a newer schema is good enough as long as it serves this version. Throws
 * `DatabaseBehind`, as another version may be running on the present schema and only the operator knows when to change
 * it, or `DatabaseTooNew`.
 */
export async function requireServing(db: Kysely<unknown>, known: readonly Migration[] = migrations): Promise<void> {
  const state = await stateOf(db, known)
  if (state.serves > known.length) throw new DatabaseTooNew(state, known.length)
  refuseUnconvertible(state)
  refuseBehind(state, known.length)
}

/**
 * Brings the schema up to date. The caller runs this in one transaction that excludes every other process: a failure
 * leaves the schema as it was. Throws `DatabaseTooNew`.
 */
export async function migrate(
  db: Kysely<unknown>,
  dialect: Dialect,
  known: readonly Migration[] = migrations,
): Promise<void> {
  await sql.raw(tableOfMigrations(dialect)).execute(db)
  const state = await stateOf(db, known)
  if (state.done > known.length) throw new DatabaseTooNew(state, known.length)
  refuseUnconvertible(state)
  for (const statement of statementsAfter(state.done, dialect, known)) await sql.raw(statement).execute(db)
}

/** Makes the table of an empty database in which `statementsAfter` notes what has run. */
export function tableOfMigrations({ integer, tableEnd }: Dialect): string {
  return `create table if not exists migrations (number ${integer} primary key, serves ${integer} not null) ${tableEnd}`
}

/** What brings a database from its first `done` migrations to all, and notes it. */
export function statementsAfter(
  done: number,
  dialect: Dialect,
  known: readonly Migration[] = migrations,
): readonly string[] {
  const statements = known.flatMap((migration, index) =>
    index < done
      ? []
      : [
          ...migration.statements(dialect),
          `insert into migrations (number, serves) values (${index + 1}, ${migration.serves})`,
        ],
  )
  if (known.length < VERSIONED) return statements
  return [...statements, `update migrations set version = '${RELEASE.replaceAll("'", "''")}' where number > ${done}`]
}

/** Of a database that has the table of migrations. */
export async function stateOf(db: Kysely<unknown>, known: readonly Migration[] = migrations): Promise<SchemaState> {
  const state = await progressOf(db)
  return { ...state, unconvertible: await unconvertibleOf(db, state, known) }
}

/** Reads no table but that of migrations: the others may be foreign. */
export async function migrationsDone(db: Kysely<unknown>): Promise<number> {
  return (await progressOf(db)).done
}

async function progressOf(db: Kysely<unknown>): Promise<SchemaState> {
  const { rows } =
    await sql<SchemaState>`select coalesce(max(number), 0) as done, coalesce(max(serves), 0) as serves from migrations`.execute(
      db,
    )
  const state = rows[0] ?? { done: 0, serves: 0 }
  if (state.done < VERSIONED) return state
  const last = await sql<{
    version: string | null
  }>`select version from migrations where number = ${state.done}`.execute(db)
  return { ...state, version: last.rows[0]?.version ?? undefined }
}

/** Of an empty database there is nothing to ask. */
async function unconvertibleOf(
  db: Kysely<unknown>,
  { done }: SchemaState,
  known: readonly Migration[],
): Promise<string | undefined> {
  if (done === 0) return undefined
  for (const { refuses } of known.slice(done))
    if (refuses !== undefined && (await sql.raw(refuses.query).execute(db)).rows.length > 0) return refuses.because
  return undefined
}

/** Throws `DatabaseUnconvertible`. */
export function refuseUnconvertible({ unconvertible }: SchemaState): void {
  if (unconvertible !== undefined) throw new DatabaseUnconvertible(unconvertible)
}

function refuseBehind({ done }: SchemaState, known: number): void {
  if (done >= known) return
  throw new DatabaseBehind(
    `The database is at migration ${done}, this version (${RELEASE}) needs ${known}. Run \`blindkeep-server upgrade\`, on SQLite while the server is stopped, and then this again; \`blindkeep-server upgrade --check\` says beforehand what it changes. A backup from before the upgrade has to be made with the version that you had.`,
  )
}
