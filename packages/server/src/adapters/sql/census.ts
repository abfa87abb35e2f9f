import { type RawBuilder, sql } from 'kysely'
import { type Census, type CensusReads, MAX_COUNTED } from '../../ports/store/census.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'

/** Each condition is one that an index covers, so that only rows that count are read. */
const counted = (rows: RawBuilder<unknown>) =>
  sql<number>`(select count(*) from (select 1 ${rows} limit ${sql.lit(MAX_COUNTED)}) as counted)`

const inState = (state: string) => counted(sql`from objects where state = ${sql.lit(state)}`)
const kept = (condition: string) => counted(sql`from objects where state = 'kept' and ${sql.raw(condition)}`)

const census = prepared((db, _given: object) =>
  db.selectNoFrom([
    counted(sql`from uploads where state = 'open'`).as('open'),
    counted(sql`from uploads where state = 'finishing'`).as('finishing'),
    kept('damaged_at is not null').as('damaged'),
    kept('suspected_at is not null').as('suspected'),
    inState('orphaned').as('orphaned'),
    inState('marked').as('marked'),
    inState('deleting').as('deleting'),
    counted(sql`from holds`).as('holds'),
  ]),
)

export function censusReads(db: Db): CensusReads {
  return {
    async take(): Promise<Census> {
      const row = await census.first(db, {})
      if (row === undefined) throw new Error('a census gave no row')
      const { open, finishing, holds, ...objects } = row
      return { uploads: { open, finishing }, objects, holds }
    },
  }
}
