import { sql } from 'kysely'
import type { AuditReads, AuditWrites, Damage } from '../../ports/store.ts'
import { accountWrites, auditedAccounts } from './audit/accounts.ts'
import { auditedAssets, auditedBlobs } from './audit/assets.ts'
import { auditedDrops } from './audit/drops.ts'
import { auditedLinks, linkWrites } from './audit/links.ts'
import { auditedObject, auditedObjects, looseParts } from './audit/objects.ts'
import { auditedReceipts } from './audit/receipts.ts'
import { auditedUploads } from './audit/uploads.ts'
import { type Db, sqliteKind } from './db.ts'

const MAX_DANGLING = 100

export function auditReads(db: Db): AuditReads {
  return {
    damage: (deep, max) => damageOf(db, deep, max),
    accounts: (after, max) => auditedAccounts(db, after, max),
    links: (after, max) => auditedLinks(db, after, max),
    uploads: (after, max) => auditedUploads(db, after, max),
    drops: (after, max) => auditedDrops(db, after, max),
    assets: (after, max) => auditedAssets(db, after, max),
    blobs: (after, max) => auditedBlobs(db, after, max),
    objects: (after, max) => auditedObjects(db, after, max),
    looseParts: (max) => looseParts(db, max),
    object: (location) => auditedObject(db, location),
    receipts: (after, max) => auditedReceipts(db, after, max),
  }
}

export function auditWrites(db: Db): AuditWrites {
  return { ...accountWrites(db), ...linkWrites(db) }
}

/** None on PostgreSQL: it enforces references itself, and has its own tools to check its pages. */
async function damageOf(db: Db, deep: boolean, max: number): Promise<Damage> {
  if (db.kind !== sqliteKind) return { broken: [], dangling: [] }
  const broken = await checked(db, deep, max)
  // Reading rows throws if pages are broken, and the faults that were found would be lost.
  if (broken.length > 0) return { broken, dangling: [] }
  const { rows } = await sql<{ readonly table: string; readonly parent: string }>`pragma foreign_key_check`.execute(
    db.kysely,
  )
  const sentence = (row: { readonly table: string; readonly parent: string }) =>
    `a row of ${row.table} refers to a row of ${row.parent} that does not exist`
  return { broken, dangling: rows.slice(0, MAX_DANGLING).map(sentence) }
}

/** At most `max` faults that SQLite finds in itself (https://www.sqlite.org/pragma.html#pragma_integrity_check). */
async function checked(db: Db, deep: boolean, max: number): Promise<readonly string[]> {
  const check = sql.raw(deep ? 'integrity_check' : 'quick_check')
  const { rows } = await sql<Readonly<Record<string, string>>>`pragma ${check}(${sql.lit(max)})`.execute(db.kysely)
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
}
