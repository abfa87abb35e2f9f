import type { Instant } from '@blindkeep/protocol/ids'
import type { Db } from './db.ts'
import { runs, value } from './statements.ts'

export const pauseReads = {
  /** The end of the pause that ends last; it may have passed. Undefined if there is none. */
  lastEnd: value((db) => db.selectFrom('pauses').select((pause) => pause.fn.max<Instant | null>('until').as('until'))),
}

const setting = runs((db, pauseId: string, until: Instant) =>
  db
    .insertInto('pauses')
    .values({ pauseId, until })
    .onConflict((conflict) => conflict.column('pauseId').doUpdateSet({ until })),
)

const removalOfEnded = runs((db, at: Instant) => db.deleteFrom('pauses').where('until', '<=', at))

export const pauseWrites = {
  /** Begins or renews one pause. Removes the pauses that had ended at `at`. */
  async set(db: Db, pauseId: string, { at, until }: { readonly at: Instant; readonly until: Instant }): Promise<void> {
    await removalOfEnded(db, at)
    await setting(db, pauseId, until)
  },
  end: runs((db, pauseId: string) => db.deleteFrom('pauses').where('pauseId', '=', pauseId)),
}
