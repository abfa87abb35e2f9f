import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { AuditedCopy, CopyState } from '../../../ports/store.ts'
import { prepared } from '../prepared.ts'
import type { CopyTable, Schema } from '../schema.ts'

/** A location ends in the id of the session that wrote it, by which the session is found. */
const uploadId = sql<string>`substr(copies.location, 69)`
const unclosed = sql`from uploads where uploads.upload_id = ${uploadId} and uploads.location = copies.location
  and uploads.closed_at is null`

function audited(db: Kysely<Schema>) {
  return db
    .selectFrom('copies')
    .selectAll()
    .select([
      sql<number>`(select count(*) ${unclosed})`.as('sessions'),
      sql<number | null>`(select received_bytes ${unclosed})`.as('received_bytes'),
      sql<number>`(
        select count(*) from drops where drops.upload_id = ${uploadId} and drops.location = copies.location
      )`.as('drops'),
      sql<number>`(select count(*) from asset_blobs where asset_blobs.location = copies.location)`.as('blobs'),
      sql<number>`(select count(*) from receipts where receipts.upload_id = ${uploadId})`.as('receipts'),
    ])
}

const page = prepared((db, given: { readonly after: string; readonly most: number }) =>
  audited(db).where(sql<SqlBool>`copies.location > ${given.after}`).orderBy('location').limit(given.most),
)

const byLocation = prepared((db, given: { readonly location: string }) =>
  audited(db).where('location', '=', given.location),
)

export async function auditedCopies(db: Kysely<Schema>, after: string, most: number): Promise<readonly AuditedCopy[]> {
  return (await page.all(db, { after, most })).map(copyOf)
}

export async function auditedCopy(db: Kysely<Schema>, location: string): Promise<AuditedCopy | undefined> {
  const row = await byLocation.first(db, { location })
  return row && copyOf(row)
}

/** Of a row that was joined with its copy. */
export function presentCopy(row: {
  readonly copy_state: CopyState | null
  readonly copy_size: number | null
}): { readonly state: CopyState; readonly size: number } | undefined {
  const { copy_state: state, copy_size: size } = row
  return state === null || size === null ? undefined : { state, size }
}

type Row = Selectable<CopyTable> & {
  readonly sessions: number
  readonly received_bytes: number | null
  readonly drops: number
  readonly blobs: number
  readonly receipts: number
}

function copyOf(row: Row): AuditedCopy {
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
  }
}
