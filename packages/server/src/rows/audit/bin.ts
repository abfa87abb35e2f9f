import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { all, first } from '../statements.ts'
import { columnsOf } from '../tables.ts'
import type { AuditedEntry } from './audited.ts'

const page = all((db, after: number, max: number) =>
  db
    .selectFrom('bin')
    .select(columnsOf('bin'))
    .select('binSeq')
    .select(
      // A client may give an asset the id of a drop.
      sql<0 | 1>`case when bin.opaque_id is not null
          and exists (select 1 from drops where drops.drop_id = bin.entry_id)
        or bin.album_id is not null and exists (select 1 from assets
          where assets.asset_id = bin.entry_id and assets.deleted_at is null and assets.account_id = bin.account_id)
        then 1 else 0 end`.as('isLive'),
    )
    .where('binSeq', '>', after)
    .orderBy('binSeq')
    .limit(max),
)

const objectAt = first((db, location: string) =>
  db.selectFrom('objects').select(['state', 'size']).where('location', '=', location),
)

export async function auditedBin(db: Db, after: number, max: number): Promise<readonly AuditedEntry[]> {
  const entries: AuditedEntry[] = []
  for (const { removed, isLive, ...entry } of await page(db, after, max)) {
    const blobs = removed.drop === undefined ? removed.blobs : [removed.drop]
    const objects: AuditedEntry['objects'][number][] = []
    for (const { location, size } of blobs) objects.push({ size, object: await objectAt(db, location) })
    entries.push({ ...entry, isLive: isLive === 1, objects })
  }
  return entries
}
