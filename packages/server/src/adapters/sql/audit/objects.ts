import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { AuditedObject, ObjectState } from '../../../ports/store.ts'
import { columnsOf } from '../columns.ts'
import type { Db } from '../db.ts'
import { prepared } from '../prepared.ts'
import type { ObjectTable, Schema } from '../schema.ts'

/** A location ends in the id of the session that wrote it. */
const uploadId = sql<string>`substr(objects.location, 69)`
const kept = sql`from parts where parts.upload_id = ${uploadId} and parts.state = 'kept'`
const unclosed = sql`from uploads where uploads.upload_id = ${uploadId} and uploads.location = objects.location
  and uploads.closed_at is null`

function audited(db: Kysely<Schema>) {
  return db
    .selectFrom('objects')
    .select(columnsOf('objects'))
    .select([
      sql<number>`(select count(*) ${unclosed})`.as('sessions'),
      sql<number | null>`(select received_bytes ${unclosed})`.as('received_bytes'),
      sql<number>`(
        select count(*) from drops where drops.upload_id = ${uploadId} and drops.location = objects.location
      )`.as('drops'),
      sql<number>`(select count(*) from asset_blobs where asset_blobs.location = objects.location)`.as('blobs'),
      sql<number>`(select count(*) from receipts where receipts.upload_id = ${uploadId})`.as('receipts'),
      sql<number>`(select count(*) ${kept})`.as('parts'),
      sql<number>`(select coalesce(sum(length), 0) ${kept})`.as('part_bytes'),
      sql<number>`(
        select count(*) ${kept} and parts."offset" > 0 and not exists (
          select 1 from parts as before where before.upload_id = parts.upload_id and before.state = 'kept'
            and before."offset" + before.length = parts."offset"
        )
      )`.as('part_gaps'),
    ])
}

const page = prepared((db, given: { readonly after: string; readonly max: number }) =>
  audited(db).where(sql<SqlBool>`objects.location > ${given.after}`).orderBy('location').limit(given.max),
)

const byLocation = prepared((db, given: { readonly location: string }) =>
  audited(db).where('location', '=', given.location),
)

export async function auditedObjects(db: Db, after: string, max: number): Promise<readonly AuditedObject[]> {
  return (await page.all(db, { after, max })).map(objectOf)
}

const loose = prepared((db, given: { readonly max: number }) =>
  db
    .selectFrom('parts')
    .select('key')
    .where('state', '=', sql.lit('kept' as const))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('objects')
            .select('objects.location')
            .where('objects.location', '=', sql<string>`substr(parts.key, 1, 104)`),
        ),
      ),
    )
    .orderBy('key')
    .limit(given.max),
)

export async function looseParts(db: Db, max: number): Promise<readonly string[]> {
  return (await loose.all(db, { max })).map(({ key }) => key)
}

export async function auditedObject(db: Db, location: string): Promise<AuditedObject | undefined> {
  const row = await byLocation.first(db, { location })
  return row && objectOf(row)
}

/** Reads the object's columns of a joined row. */
export function presentObject(row: {
  readonly object_state: ObjectState | null
  readonly object_size: number | null
}): { readonly state: ObjectState; readonly size: number } | undefined {
  const { object_state: state, object_size: size } = row
  return state === null || size === null ? undefined : { state, size }
}

type Row = Selectable<ObjectTable> & {
  readonly sessions: number
  readonly received_bytes: number | null
  readonly drops: number
  readonly blobs: number
  readonly receipts: number
  readonly parts: number
  readonly part_bytes: number
  readonly part_gaps: number
}

function objectOf(row: Row): AuditedObject {
  const { location, size, state, sessions, drops, blobs, receipts } = row
  return {
    location,
    size,
    state,
    since: row.since,
    checkedAt: row.checked_at,
    damagedAt: row.damaged_at ?? undefined,
    sessions,
    drops,
    blobs,
    receipts,
    receivedBytes: row.received_bytes ?? undefined,
    parts: { count: row.parts, bytes: row.part_bytes, gaps: row.part_gaps },
  }
}
