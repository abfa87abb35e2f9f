/** How many rows need attention, for monitoring. Each count stops at `MAX_COUNTED`, so that it never takes long. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import { first } from './statements.ts'
import type { ObjectState } from './tables/objects.ts'
import type { UploadState } from './tables/uploads.ts'

const MAX_COUNTED = 10_000

export interface Census {
  readonly uploads: Readonly<Record<Extract<UploadState, 'open' | 'finishing'>, number>>
  /** Kept objects that are withheld (suspected: not read again yet), and objects on their way out. */
  readonly objects: Readonly<
    Record<'damaged' | 'unreadable' | 'suspected' | Extract<ObjectState, 'orphaned' | 'marked' | 'deleting'>, number>
  >
  readonly holds: number
}

/** Each condition is one that an index covers, so that only rows that count are read. */
const counted = (rows: RawBuilder<unknown>) =>
  sql<number>`(select count(*) from (select 1 ${rows} limit ${sql.lit(MAX_COUNTED)}) as counted)`

const inState = (state: string) => counted(sql`from objects where state = ${sql.lit(state)}`)
const keptWhere = (condition: string) => counted(sql`from objects where state = 'kept' and ${sql.raw(condition)}`)

const census = first((db) =>
  db.selectNoFrom([
    counted(sql`from uploads where state = 'open'`).as('open'),
    counted(sql`from uploads where state = 'finishing'`).as('finishing'),
    keptWhere('damaged_at is not null').as('damaged'),
    keptWhere('suspected_at is not null and checked_at > suspected_at').as('unreadable'),
    keptWhere('suspected_at is not null and checked_at <= suspected_at').as('suspected'),
    inState('orphaned').as('orphaned'),
    inState('marked').as('marked'),
    inState('deleting').as('deleting'),
    counted(sql`from holds`).as('holds'),
  ]),
)

export const censusReads = {
  async take(db: Db): Promise<Census> {
    const row = await census(db)
    if (row === undefined) throw new Error('a census gave no row')
    const { open, finishing, holds, ...objects } = row
    return { uploads: { open, finishing }, objects, holds }
  },
}
