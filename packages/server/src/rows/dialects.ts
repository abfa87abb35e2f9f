/**
 * What differs between the databases. All other SQL, in the queries of this folder and in the migrations
 * (`adapters/sql/migrations/`), works on SQLite and PostgreSQL alike, unless it asks which of them it is on
 * (`Db.kind`).
 */
export interface Dialect {
  /** A whole number from 0 to 2^53-1. */
  readonly integer: string
  readonly bytes: string
  /** Compared and sorted by bytes: an update of the system's sorting rules breaks no index. */
  readonly text: string
  /** A primary key that increases with each insertion. */
  readonly sequence: string
  /** Ends a `create table`. */
  readonly tableEnd: string
  /** The same for a table of small rows that queries find by their primary key: the key's tree holds the rows. */
  readonly keyedTableEnd: string
  /** A member of a text that is a JSON object. */
  memberOf(column: string, member: string): string
  /** Statements that put another check in the place of the one that a column was created with. */
  replaceCheck(change: CheckChange): readonly string[]
}

interface CheckChange {
  /** No other table may refer to it. */
  readonly table: string
  readonly column: string
  readonly check: string
  /** Each column of the table as in `create table`, without this check. */
  readonly columns: Readonly<Record<string, string>>
  /** The table's other checks. */
  readonly checks?: readonly string[]
  /** The statements that create its indexes, except for those of keys. */
  readonly indexes?: readonly string[]
}

export const sqliteDialect: Dialect = {
  integer: 'integer',
  bytes: 'blob',
  text: 'text',
  sequence: 'integer primary key',
  tableEnd: 'strict',
  keyedTableEnd: 'strict, without rowid',
  memberOf: (column, member) => `${column} ->> '${member}'`,
  // SQLite cannot change a check (https://www.sqlite.org/lang_altertable.html#otheralter).
  replaceCheck({ table, column, check, columns, checks = [], indexes = [] }) {
    const names = Object.keys(columns).join(', ')
    const definitions = Object.entries(columns).map(
      ([name, definition]) => `${name} ${definition}${name === column ? ` check (${check})` : ''}`,
    )
    return [
      `create table ${table}_replaced (${[...definitions, ...checks].join(', ')}) strict`,
      `insert into ${table}_replaced (${names}) select ${names} from ${table}`,
      `drop table ${table}`,
      `alter table ${table}_replaced rename to ${table}`,
      ...indexes,
    ]
  },
}

export const postgresDialect: Dialect = {
  integer: 'bigint',
  bytes: 'bytea',
  text: 'text collate "C"',
  sequence: 'bigint generated always as identity primary key',
  tableEnd: '',
  keyedTableEnd: '',
  memberOf: (column, member) => `cast(${column} as json) ->> '${member}'`,
  replaceCheck: ({ table, column, check }) => [
    `alter table ${table} drop constraint ${table}_${column}_check`,
    `alter table ${table} add constraint ${table}_${column}_check check (${check})`,
  ],
}
