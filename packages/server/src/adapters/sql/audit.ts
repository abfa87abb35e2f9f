import { type Kysely, SqliteAdapter, sql } from 'kysely'
import type { AuditReads, AuditWrites, Damage } from '../../ports/store.ts'
import { accountWrites, auditedAccounts } from './audit/accounts.ts'
import { auditedAssets, auditedBlobs } from './audit/assets.ts'
import { auditedDrops } from './audit/drops.ts'
import { auditedLinks, linkWrites } from './audit/links.ts'
import { auditedObject, auditedObjects } from './audit/objects.ts'
import { auditedReceipts } from './audit/receipts.ts'
import { auditedUploads } from './audit/uploads.ts'
import type { Schema } from './schema.ts'

const MAX_DANGLING = 100

export function auditReads(db: Kysely<Schema>): AuditReads {
  return {
    damage: (deep, most) => damageOf(db, deep, most),
    accounts: (after, most) => auditedAccounts(db, after, most),
    links: (after, most) => auditedLinks(db, after, most),
    uploads: (after, most) => auditedUploads(db, after, most),
    drops: (after, most) => auditedDrops(db, after, most),
    assets: (after, most) => auditedAssets(db, after, most),
    blobs: (after, most) => auditedBlobs(db, after, most),
    objects: (after, most) => auditedObjects(db, after, most),
    object: (location) => auditedObject(db, location),
    receipts: (after, most) => auditedReceipts(db, after, most),
  }
}

export function auditWrites(db: Kysely<Schema>): AuditWrites {
  return { ...accountWrites(db), ...linkWrites(db) }
}

/** PostgreSQL keeps references whole whoever writes, and has tools of its own for its pages. */
async function damageOf(db: Kysely<Schema>, deep: boolean, most: number): Promise<Damage> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return { broken: [], dangling: [] }
  const broken = await checked(db, deep, most)
  // Going through rows throws where pages are broken, and what was told of them would be lost.
  if (broken.length > 0) return { broken, dangling: [] }
  const { rows } = await sql<{ readonly table: string; readonly parent: string }>`pragma foreign_key_check`.execute(db)
  const sentence = (row: { readonly table: string; readonly parent: string }) =>
    `a row of ${row.table} refers to one of ${row.parent} that is not there`
  return { broken, dangling: rows.slice(0, MAX_DANGLING).map(sentence) }
}

/** What SQLite tells of itself (https://www.sqlite.org/pragma.html#pragma_integrity_check), `most` faults at the most. */
async function checked(db: Kysely<Schema>, deep: boolean, most: number): Promise<readonly string[]> {
  const check = sql.raw(deep ? 'integrity_check' : 'quick_check')
  const { rows } = await sql<Readonly<Record<string, string>>>`pragma ${check}(${sql.lit(most)})`.execute(db)
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
}
