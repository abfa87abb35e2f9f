import { type Kysely, SqliteAdapter, sql } from 'kysely'
import type { AuditReads, AuditWrites } from '../../ports/store.ts'
import { accountWrites, auditedAccounts } from './audit/accounts.ts'
import { auditedAssets, auditedBlobs } from './audit/assets.ts'
import { auditedCopies, auditedCopy } from './audit/copies.ts'
import { auditedDrops } from './audit/drops.ts'
import { auditedLinks, linkWrites } from './audit/links.ts'
import { auditedReceipts } from './audit/receipts.ts'
import { auditedUploads } from './audit/uploads.ts'
import type { Schema } from './schema.ts'

/** What SQLite tells of itself at the most (https://www.sqlite.org/pragma.html#pragma_integrity_check). */
const TOLD_MOST = 100

export function auditReads(db: Kysely<Schema>): AuditReads {
  return {
    damage: (deep) => damageOf(db, deep),
    accounts: (after, most) => auditedAccounts(db, after, most),
    links: (after, most) => auditedLinks(db, after, most),
    uploads: (after, most) => auditedUploads(db, after, most),
    drops: (after, most) => auditedDrops(db, after, most),
    assets: (after, most) => auditedAssets(db, after, most),
    blobs: (after, most) => auditedBlobs(db, after, most),
    copies: (after, most) => auditedCopies(db, after, most),
    copy: (location) => auditedCopy(db, location),
    receipts: (after, most) => auditedReceipts(db, after, most),
  }
}

export function auditWrites(db: Kysely<Schema>): AuditWrites {
  return { ...accountWrites(db), ...linkWrites(db) }
}

/** PostgreSQL keeps references whole whoever writes, and has tools of its own for its pages. */
async function damageOf(db: Kysely<Schema>, deep: boolean): Promise<readonly string[]> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return []
  const check = deep
    ? sql<Readonly<Record<string, string>>>`pragma integrity_check(${sql.lit(TOLD_MOST)})`
    : sql<Readonly<Record<string, string>>>`pragma quick_check(${sql.lit(TOLD_MOST)})`
  const told = (await check.execute(db)).rows.flatMap((row) => Object.values(row))
  const dangling = await sql<{ readonly table: string; readonly parent: string }>`pragma foreign_key_check`.execute(db)
  return [
    ...told.filter((text) => text !== 'ok'),
    ...dangling.rows
      .slice(0, TOLD_MOST)
      .map(({ table, parent }) => `a row of ${table} refers to one of ${parent} that is not there`),
  ]
}
