import { all, inserts } from './statements.ts'
import { columnsOf } from './tables.ts'

export const deprecationReads = {
  /** All of them, in the order in which they were announced. */
  list: all((db) => db.selectFrom('deprecations').select(columnsOf('deprecations')).orderBy('deprecationSeq')),
}

/** Nothing changes or removes an announcement. */
export const deprecationWrites = {
  append: inserts('deprecations'),
}
