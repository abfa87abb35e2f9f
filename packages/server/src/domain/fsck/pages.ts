import { type ReadTx, type Store, ValueUnreadable } from '../../ports/store.ts'
import type { Examination } from './options.ts'

/** Comes before every number, also before a wrong negative one. */
export const FIRST_NUMBER = Number.MIN_SAFE_INTEGER
/** Each page is its own snapshot, so a long examination delays no other work. */
const MAX_PAGE = 500

interface Table<Row, Key> {
  /** Comes before every other key. */
  readonly first: Key
  readonly read: (tx: ReadTx, after: Key, max: number) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
  /** Rows of a page; 500 when left out. */
  readonly pageSize?: number
}

/** A whole table by pages. At an unreadable row throws `ValueUnreadable`, which names the row before. */
export async function* pages<Row, Key>(
  store: Pick<Store, 'read'>,
  { first, read, keyOf, pageSize = MAX_PAGE }: Table<Row, Key>,
  { signal }: Pick<Examination, 'signal'>,
): AsyncGenerator<readonly Row[]> {
  let [after, asked] = [first, pageSize]
  for (;;) {
    signal.throwIfAborted()
    const rows = await store
      .read((tx) => read(tx, after, asked))
      .catch((error: unknown) => {
        if (!(error instanceof ValueUnreadable)) throw error
        if (asked > 1) return undefined
        throw new ValueUnreadable(`the row after ${after === first ? 'none' : after}: ${error.message}`)
      })
    // Half the size each time, until the page contains only the unreadable row.
    if (rows === undefined) asked = Math.ceil(asked / 2)
    else {
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < asked) return
      after = keyOf(last)
    }
  }
}
