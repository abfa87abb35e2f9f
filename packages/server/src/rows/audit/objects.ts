import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Db } from '../db.ts'
import { all, first, values } from '../statements.ts'
import type { ObjectState } from '../tables/objects.ts'
import type { UploadState } from '../tables/uploads.ts'
import { columnsOf, type Tables } from '../tables.ts'
import type { AuditedObject, LandedAs, PresentObject } from './audited.ts'

/** A location ends in the id of the session that wrote it. */
const uploadId = sql<string>`substr(objects.location, 69)`
const fromKeptParts = sql`from parts where parts.upload_id = ${uploadId} and parts.state = 'kept'`
const unclosed = sql`from uploads where uploads.upload_id = ${uploadId} and uploads.location = objects.location
  and uploads.closed_at is null`

function audited(db: Kysely<Tables>) {
  return db
    .selectFrom('objects')
    .select(columnsOf('objects'))
    .select(['objects.checkedAt', 'objects.damagedAt', 'objects.suspectedAt'])
    .select([
      sql<number>`(select count(*) ${unclosed})`.as('sessions'),
      sql<number | null>`(select received_bytes ${unclosed})`.as('receivedBytes'),
      sql<number>`(
        select count(*) from drops where drops.upload_id = ${uploadId} and drops.location = objects.location
      )`.as('drops'),
      sql<number>`(select count(*) from asset_blobs where asset_blobs.location = objects.location)`.as('blobs'),
      sql<number>`(select count(*) from receipts where receipts.upload_id = ${uploadId})`.as('receipts'),
      sql<number>`(select count(*) ${fromKeptParts})`.as('parts'),
      sql<number>`(select coalesce(sum(length), 0) ${fromKeptParts})`.as('partBytes'),
      sql<number>`(
        select count(*) ${fromKeptParts} and parts."offset" > 0 and not exists (
          select 1 from parts as before where before.upload_id = parts.upload_id and before.state = 'kept'
            and before."offset" + before.length = parts."offset"
        )
      )`.as('partGaps'),
    ])
}

const page = all((db, after: string, max: number) =>
  audited(db).where(sql<SqlBool>`objects.location > ${after}`).orderBy('location').limit(max),
)

const byLocation = first((db, location: string) => audited(db).where('location', '=', location))

export async function auditedObjects(db: Db, after: string, max: number): Promise<readonly AuditedObject[]> {
  return (await page(db, after, max)).map(objectOf)
}

export async function auditedObject(db: Db, location: string): Promise<AuditedObject | undefined> {
  const row = await byLocation(db, location)
  return row && objectOf(row)
}

export const looseParts = values((db, max: number) =>
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
    .limit(max),
)

/** The object of a joined row. */
export function presentObject(state: ObjectState | undefined, size: number | undefined): PresentObject {
  return state === undefined || size === undefined ? undefined : { state, size }
}

/** The session of a joined row. */
export function landedAs(state: UploadState | undefined, isSame: 0 | 1): LandedAs | undefined {
  return state && { state, isSame: isSame === 1 }
}

type Row = Omit<AuditedObject, 'parts'> & {
  readonly parts: number
  readonly partBytes: number
  readonly partGaps: number
}

function objectOf({ parts, partBytes, partGaps, ...object }: Row): AuditedObject {
  return { ...object, parts: { count: parts, bytes: partBytes, gaps: partGaps } }
}
