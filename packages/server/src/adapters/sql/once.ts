import type { Db } from './db.ts'

/** The same database for one statement, which needs no transaction. A second one would see another instant, and rejects. */
export function once(db: Db): Db {
  let isAsked = false
  return {
    ...db,
    async run(query) {
      if (isAsked) throw new Error('`ask` is for one statement')
      isAsked = true
      return db.run(query)
    },
  }
}
