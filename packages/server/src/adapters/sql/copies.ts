import type { Instant } from '@blindkeep/protocol/ids'
import type { Kysely, Selectable } from 'kysely'
import type { Copy, CopyReads, CopyState, CopyWrites } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { CopyTable, Schema } from './schema.ts'

const byLocation = prepared((db, given: { readonly location: string }) =>
  db.selectFrom('copies').selectAll().where('location', '=', given.location),
)

const inState = prepared((db, given: { readonly state: CopyState; readonly before: Instant; readonly most: number }) =>
  db
    .selectFrom('copies')
    .selectAll()
    .where('state', '=', given.state)
    .where('since', '<', given.before)
    .orderBy('since')
    .orderBy('location')
    .limit(given.most),
)

const insertion = prepared((db, given: Copy) =>
  db.insertInto('copies').values({
    location: given.location,
    size: given.size,
    state: given.state,
    since: given.since,
    checked_at: given.since,
  }),
)

interface Step {
  readonly location: string
  readonly from: CopyState
  readonly to: CopyState
  readonly at: Instant
}

const movement = prepared((db, given: Step) =>
  db
    .updateTable('copies')
    .set({ state: given.to, since: given.at })
    .where('location', '=', given.location)
    .where('state', '=', given.from),
)

/** What is kept was read whole right before. */
const keeping = prepared((db, given: Step) =>
  db
    .updateTable('copies')
    .set({ state: given.to, since: given.at, checked_at: given.at })
    .where('location', '=', given.location)
    .where('state', '=', given.from),
)

const removal = prepared((db, given: { readonly location: string }) =>
  db.deleteFrom('copies').where('location', '=', given.location),
)

export function copyReads(db: Kysely<Schema>): CopyReads {
  return {
    async find(location) {
      const row = await byLocation.first(db, { location })
      return row && copyOf(row)
    },
    async listIn(state, before, most) {
      return (await inState.all(db, { state, before, most })).map(copyOf)
    },
  }
}

export function copyWrites(db: Kysely<Schema>): CopyWrites {
  return {
    async insert(copy) {
      await insertion.changed(db, copy)
    },
    async move(location, step) {
      const statement = step.to === 'kept' ? keeping : movement
      return (await statement.changed(db, { location, ...step })) === 1
    },
    async remove(location) {
      await removal.changed(db, { location })
    },
  }
}

function copyOf({ location, size, state, since }: Selectable<CopyTable>): Copy {
  return { location, size, state, since }
}
