/**
 * The words in which the databases differ. Everything else here, queries and migrations alike, is SQL that SQLite and PostgreSQL both speak.
 */
export interface Dialect {
  /** A whole number from 0 to 2^53-1. */
  readonly integer: string
  readonly bytes: string
  /** Compared and sorted byte by byte, whatever languages the database knows: its indexes then outlive an update of the system's rules for sorting. */
  readonly text: string
  /** A primary key that rises with each insertion. */
  readonly sequence: string
  /** What ends a `create table`. */
  readonly tableEnd: string
  /** The same for a table of small rows that are looked up by their primary key, so that the row itself sits in the key's tree. */
  readonly keyedTableEnd: string
  /** A member of what is kept as JSON text. */
  member(column: string, name: string): string
  /** Midnight in UTC, as an instant, of the date with which a text begins. */
  midnightOf(text: string): string
}

export const sqliteDialect: Dialect = {
  integer: 'integer',
  bytes: 'blob',
  text: 'text',
  sequence: 'integer primary key',
  tableEnd: 'strict',
  keyedTableEnd: 'strict, without rowid',
  member: (column, name) => `json_extract(${column}, '$.${name}')`,
  midnightOf: (text) => `unixepoch(substr(${text}, 1, 10)) * 1000`,
}

export const postgresDialect: Dialect = {
  integer: 'bigint',
  bytes: 'bytea',
  text: 'text collate "C"',
  sequence: 'bigint generated always as identity primary key',
  tableEnd: '',
  keyedTableEnd: '',
  member: (column, name) => `(${column}::json ->> '${name}')`,
  midnightOf: (text) => `extract(epoch from substr(${text}, 1, 10)::date)::bigint * 1000`,
}
