/** What differs between the databases. All other SQL in this folder, in queries and migrations, works on SQLite and PostgreSQL alike. */
export interface Dialect {
  /** A whole number from 0 to 2^53-1. */
  readonly integer: string
  readonly bytes: string
  /** Compared and sorted byte by byte, not by a language's rules: an update of the system's sorting rules does not break the indexes. */
  readonly text: string
  /** A primary key that increases with each insertion. */
  readonly sequence: string
  /** Ends a `create table`. */
  readonly tableEnd: string
  /** The same for a table of small rows that queries find by their primary key: the key's tree holds the rows. */
  readonly keyedTableEnd: string
}

export const sqliteDialect: Dialect = {
  integer: 'integer',
  bytes: 'blob',
  text: 'text',
  sequence: 'integer primary key',
  tableEnd: 'strict',
  keyedTableEnd: 'strict, without rowid',
}

export const postgresDialect: Dialect = {
  integer: 'bigint',
  bytes: 'bytea',
  text: 'text collate "C"',
  sequence: 'bigint generated always as identity primary key',
  tableEnd: '',
  keyedTableEnd: '',
}
