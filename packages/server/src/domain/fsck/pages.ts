import { type ReadTx, type Store, ValueUnreadable } from '../../ports/store.ts'
import type { Examination } from './options.ts'

/** Before every number that a row can have, also one that it should not have. */
export const FIRST_NUMBER = Number.MIN_SAFE_INTEGER
/** Rows that are asked for at once. Each page is a snapshot of its own, so that a long examination holds up nothing. */
const MAX_PAGE = 500

interface Table<Row, Key> {
  /** Comes before every other key. */
  readonly first: Key
  readonly read: (tx: ReadTx, after: Key, most: number) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
  /** Rows a page, where other than usual. */
  readonly most?: number
}

/** A whole table, page by page. Throws `ValueUnreadable`, which says where, at a row that cannot be read. */
export async function* pages<Row, Key>(
  store: Pick<Store, 'read'>,
  { first, read, keyOf, most = MAX_PAGE }: Table<Row, Key>,
  { signal }: Pick<Examination, 'signal'>,
): AsyncGenerator<readonly Row[]> {
  let [after, asked] = [first, most]
  for (;;) {
    signal.throwIfAborted()
    const rows = await store
      .read((tx) => read(tx, after, asked))
      .catch((error: unknown) => {
        if (!(error instanceof ValueUnreadable)) throw error
        if (asked > 1) return undefined
        throw new ValueUnreadable(`the row after ${after === first ? 'none' : after}: ${error.message}`)
      })
    // Ever fewer, until the one row is found.
    if (rows === undefined) asked = Math.ceil(asked / 2)
    else {
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < asked) return
      after = keyOf(last)
    }
  }
}
