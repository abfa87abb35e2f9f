/**
 * The words in which the databases differ. Everything else here, queries and migrations alike, is SQL that SQLite and PostgreSQL both speak.
 * An adapter for PostgreSQL adds its own words: `bigint`, `bytea`, `bigint generated always as identity primary key`, and no ends.
 */
export interface Dialect {
  /** A whole number from 0 to 2^53-1. */
  readonly integer: string
  readonly bytes: string
  /** A primary key that rises with each insertion. */
  readonly sequence: string
  /** What ends a `create table`. */
  readonly tableEnd: string
  /** The same for a table of small rows that are looked up by their primary key, so that the row itself sits in the key's tree. */
  readonly keyedTableEnd: string
}

export const sqliteDialect: Dialect = {
  integer: 'integer',
  bytes: 'blob',
  sequence: 'integer primary key',
  tableEnd: 'strict',
  keyedTableEnd: 'strict, without rowid',
}
