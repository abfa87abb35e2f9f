import type { ReadTx, Store } from '../../ports/store.ts'
import type { Examination } from './options.ts'

/** Before every number that a row can have, also one that it should not have. */
export const FIRST_NUMBER = Number.MIN_SAFE_INTEGER
/** Rows that are asked for at once. Each page is a snapshot of its own, so that a long examination holds up nothing. */
const PAGE_MOST = 500

interface Table<Row, Key> {
  /** Comes before every other key. */
  readonly first: Key
  readonly read: (tx: ReadTx, after: Key, most: number) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
  /** Rows a page, where other than usual. */
  readonly most?: number
}

/** A whole table, page by page. */
export async function* pages<Row, Key>(
  store: Pick<Store, 'read'>,
  { first, read, keyOf, most = PAGE_MOST }: Table<Row, Key>,
  { signal }: Pick<Examination, 'signal'>,
): AsyncGenerator<readonly Row[]> {
  let after = first
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.read((tx) => read(tx, after, most))
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < most) return
    after = keyOf(last)
  }
}
