import { createDb, type Db } from '../../../rows/db.ts'

/** The same database for one statement without a transaction. A second one would see another instant, and rejects. */
export function forOneStatement({ kind, run }: Db): Db {
  let isAsked = false
  return createDb(kind, async (query) => {
    if (isAsked) throw new Error('`ask` is for one statement')
    isAsked = true
    return run(query)
  })
}
