/**
 * Whether a database has the tables and indexes that this release makes, and nothing else. A trigger, or a table that
 * was changed, acts in the server's own statements: its author decides what the server stores.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { ForeignSchema } from '../../../ports/store.ts'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { migrations, migrationsDone, statementsAfter, tableOfMigrations } from './migrations.ts'
import { tablesOfRelease } from './tables.ts'

/** What SQLite writes itself, for `analyze`. */
const STATISTICS: readonly string[] = ['table sqlite_stat1', 'table sqlite_stat4']
/**
 * A table of others acts in no statement of ours, unless it refers to a row of ours, which then cannot be deleted.
 * Programs that replicate databases add such tables. Judged by the statement that SQLite runs, as the other columns of
 * its schema can be forged.
 */
const ACTS_NOT = /^create table (?!.*\breferences\b)/is

/** `digestOf` the newest schema. Making it from the migrations would take a twentieth of a start. */
export const NEWEST_SCHEMA = '521ac907befcadb287e1aa344d3acb4509a4ec407f0252530075ccc2aa25144c'

/**
 * Before anything is written to it, migrations included. Throws `ForeignSchema`. An empty or a newer database passes.
 */
export async function requireOwnSqlite(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<SchemaRow>`${sql.raw(SCHEMA)}`.execute(db)
  const found = schemaOf(rows)
  if (found.size === 0 || digestOf(found) === NEWEST_SCHEMA) return
  const done = found.has('table migrations') ? await migrationsDone(db) : 0
  if (done > migrations.length) return
  const own = sqliteSchemaAfter(done)
  const others = rows.filter(({ name, text }) => !own.has(name) && ACTS_NOT.test(text ?? '')).map(({ name }) => name)
  const isHarmless = ({ name, onTable, text }: SchemaRow) =>
    STATISTICS.includes(name) || others.includes(name) || (text === null && others.includes(`table ${onTable}`))
  const added = rows.filter((row) => !own.has(row.name) && !isHarmless(row)).map(({ name }) => name)
  const missing = [...own.keys()].filter((name) => !found.has(name))
  const changed = [...own.keys()].filter((name) => found.has(name) && found.get(name) !== own.get(name))
  refuse([
    ...added.map((name) => `the ${name}`),
    ...missing.map((name) => `no ${name}`),
    ...changed.map((name) => `another ${name}`),
  ])
}

/**
 * Looks at what acts in the server's own statements, as others may have views and functions of their own in a database.
 * A newer schema passes, too. Throws `ForeignSchema`.
 */
export async function requireOwnPostgres(db: Kysely<unknown>): Promise<void> {
  const names = ['migrations', ...tablesOfRelease().map(({ name }) => name)]
  const { rows } = await sql<{ readonly what: string }>`
    with ours as (select oid, relname, relkind, relnamespace from pg_class
      where oid in (select to_regclass(name) from unnest(${names}::text[]) as names(name))),
    made as (select pronamespace as place, proname as name, oid, 'function ' || oid::regprocedure as what from pg_proc
      union all select oprnamespace, oprname, oid, 'operator ' || oid::regoperator from pg_operator)
    select 'the trigger ' || tgname || ' on ' || relname as what from pg_trigger join ours on tgrelid = ours.oid where not tgisinternal
    union all select 'the rule ' || rulename || ' on ' || relname from pg_rewrite join ours on ev_class = ours.oid
    union all select 'the policy ' || polname || ' on ' || relname from pg_policy join ours on polrelid = ours.oid
    union all select 'the table ' || inhrelid::regclass || ' as a part of ' || relname from pg_inherits join ours on inhparent = ours.oid
    union all select 'no table in the place of ' || relname from ours where relkind <> 'r'
    union all select 'the ' || what || ' in the place of one of PostgreSQL' from made
      where place in (select relnamespace from ours)
        and name in (select name from made as built_in where built_in.place = 'pg_catalog'::regnamespace)
        and oid not in (select objid from pg_depend where deptype = 'e')`.execute(db)
  refuse(rows.map(({ what }) => what))
}

function refuse(differences: readonly string[]): void {
  if (differences.length > 0) throw new ForeignSchema(differences)
}

interface SchemaRow {
  readonly name: string
  readonly onTable: string
  readonly text: string | null
}

type Schema = ReadonlyMap<string, string | null>

const SCHEMA = `select type || ' ' || name as name, tbl_name as "onTable", sql as text from sqlite_schema`

function schemaOf(rows: readonly Omit<SchemaRow, 'onTable'>[]): Schema {
  return new Map(rows.map(({ name, text }) => [name, text]))
}

/** SHA-256 of all of it but the statistics, in hex. */
export function digestOf(schema: Schema): string {
  const own = [...schema].filter(([name]) => !STATISTICS.includes(name))
  return createHash('sha256').update(JSON.stringify(own.toSorted())).digest('hex')
}

const known = new Map<number, Schema>()

/** As the first `done` migrations make it. */
export function sqliteSchemaAfter(done: number): Schema {
  const made = known.get(done) ?? makeSchema(done)
  known.set(done, made)
  return made
}

function makeSchema(done: number): Schema {
  const database = new DatabaseSync(':memory:')
  try {
    const first = migrations.slice(0, done)
    for (const statement of [tableOfMigrations(sqliteDialect), ...statementsAfter(0, sqliteDialect, first)])
      database.exec(statement)
    const rows = database.prepare(SCHEMA).all()
    return schemaOf(rows.map(({ name, text }) => ({ name: String(name), text: text === null ? null : String(text) })))
  } finally {
    database.close()
  }
}
