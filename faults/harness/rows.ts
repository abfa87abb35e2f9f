/** Typed rows of SQLite, so that a check never compares a number with a text that looks like it. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

export interface Row {
  text(name: string): string
  number(name: string): number
  bytes(name: string): Uint8Array
  optionalText(name: string): string | undefined
}

export function rowsOf(database: DatabaseSync, query: string, ...values: readonly SQLInputValue[]): readonly Row[] {
  return database
    .prepare(query)
    .all(...values)
    .map(readable)
}

function readable(row: Readonly<Record<string, unknown>>): Row {
  const wrong = (name: string) => new Error(`the column ${name} holds ${typeof row[name]}`)
  return {
    text(name) {
      const value = row[name]
      if (typeof value !== 'string') throw wrong(name)
      return value
    },
    number(name) {
      const value = row[name]
      if (typeof value !== 'number') throw wrong(name)
      return value
    },
    bytes(name) {
      const value = row[name]
      if (!(value instanceof Uint8Array)) throw wrong(name)
      return value
    },
    optionalText(name) {
      const value = row[name]
      return typeof value === 'string' ? value : undefined
    },
  }
}
