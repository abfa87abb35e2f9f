import type { Instant } from '@blindkeep/protocol/ids'
import type { PauseReads, PauseWrites } from '../../ports/store.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'

const latest = prepared((db, _given: object) =>
  db.selectFrom('pauses').select((pause) => pause.fn.max<Instant | null>('until').as('until')),
)

const setting = prepared((db, given: { readonly pauseId: string; readonly until: Instant }) =>
  db
    .insertInto('pauses')
    .values({ pause_id: given.pauseId, until: given.until })
    .onConflict((conflict) => conflict.column('pause_id').doUpdateSet({ until: given.until })),
)

const removal = prepared((db, given: { readonly pauseId: string }) =>
  db.deleteFrom('pauses').where('pause_id', '=', given.pauseId),
)

const removalOfEnded = prepared((db, given: { readonly at: Instant }) =>
  db.deleteFrom('pauses').where('until', '<=', given.at),
)

export function pauseReads(db: Db): PauseReads {
  return {
    async lastEnd() {
      return (await latest.first(db, {}))?.until ?? undefined
    },
  }
}

export function pauseWrites(db: Db): PauseWrites {
  return {
    async set(pauseId, { at, until }) {
      await removalOfEnded.changed(db, { at })
      await setting.changed(db, { pauseId, until })
    },
    async end(pauseId) {
      await removal.changed(db, { pauseId })
    },
  }
}
