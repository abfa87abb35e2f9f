/** Copies all rows to a database of the same release, SQLite or PostgreSQL, reads them back, and compares. */
import { createHash, type Hash } from 'node:crypto'
import { type Table, tablesOfRelease } from '../migrations/tables.ts'

export type Value = string | number | Uint8Array | null
/** The values of a row by their columns. */
export type Row = Readonly<Record<string, Value>>

/** All rows are of one instant. */
export interface RowSource {
  /** In the order of the primary key: both databases compare texts by bytes. Pages of at most `MAX_PAGE` rows. */
  pages(table: Table): AsyncIterable<readonly Row[]>
}

/** One transaction, which sees its own rows. */
export interface RowTarget extends RowSource {
  add(table: Table, rows: readonly Row[]): Promise<void>
}

export class RowsDiffer extends Error {
  override readonly name = 'RowsDiffer'
}

/** A row may hold a value of a megabyte. */
export const MAX_PAGE = 200

/** Returns the number of rows. Throws `RowsDiffer` when the target ends with others, also if it was not empty. */
export async function copyRows(
  { from, to }: { readonly from: RowSource; readonly to: RowTarget },
  onProgress: (rows: number) => void = () => undefined,
): Promise<number> {
  let copied = 0
  for (const table of tablesOfRelease()) {
    const [given, kept] = [createHash('sha256'), createHash('sha256')]
    for await (const rows of from.pages(table)) {
      await to.add(table, rows)
      take(given, table, rows)
      copied += rows.length
      onProgress(copied)
    }
    for await (const rows of to.pages(table)) take(kept, table, rows)
    if (given.digest('hex') !== kept.digest('hex'))
      throw new RowsDiffer(`the copy of the table ${table.name} is not equal to the original. Nothing was kept.`)
  }
  return copied
}

function take(hash: Hash, table: Table, rows: readonly Row[]): void {
  for (const row of rows) hash.update(`${jsonOf(table, row)}\n`)
}

/** A row as JSON, its bytes as PostgreSQL reads and writes them. */
export function jsonOf({ columns }: Table, row: Row): string {
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, textOf(row[column] ?? null)])))
}

function textOf(value: Value): string | number | null {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value
}
