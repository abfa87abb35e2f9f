/**
 * Rows together with what other rows record about them, so that fsck can prove that they agree. These questions read
 * whole tables, a page at a time. All values of one answer are of one instant. Answers name links by their numbers: a
 * link's id is a credential.
 */
import { sql } from 'kysely'
import { auditedAccounts, recountUse } from './audit/accounts.ts'
import { auditedAssets, auditedBlobs } from './audit/assets.ts'
import type { Damage } from './audit/audited.ts'
import { auditedBin } from './audit/bin.ts'
import { auditedDrops } from './audit/drops.ts'
import { auditedLinks, recountOpen } from './audit/links.ts'
import { auditedObject, auditedObjects, looseParts } from './audit/objects.ts'
import { auditedReceipts } from './audit/receipts.ts'
import { auditedUploads } from './audit/uploads.ts'
import { type Db, sqliteKind } from './db.ts'

const MAX_DANGLING = 100

export const auditReads = {
  /**
   * At most `max` faults that the database finds in itself. `deep` compares every index with its table. None from a
   * database that prevents such faults. The search beyond the first fault may throw `StoreDamaged`; with a `max` of 1
   * it always reports the first one.
   */
  damage: damageOf,
  /** At most `max` accounts (the same for all below) by id, from the first after `after`. Empty is before all. */
  accounts: auditedAccounts,
  /** In the order of their numbers, from the first one after `after`. */
  links: auditedLinks,
  uploads: auditedUploads,
  drops: auditedDrops,
  assets: auditedAssets,
  blobs: auditedBlobs,
  bin: auditedBin,
  /** In the order of their locations. */
  objects: auditedObjects,
  object: auditedObject,
  /** Keys of at most `max` kept parts whose object has no row. */
  looseParts,
  /** In the order of the chain. */
  receipts: auditedReceipts,
}

/** One conditional statement that counts by itself: it is right even if rows changed since the audit. */
export const auditWrites = {
  /** Sets an account's use and its number of pending drops to what its rows add up to. False if they were right. */
  recountUse,
  /** Sets a link's open sessions and bytes to what its rows add up to. False if they were right. */
  recountOpen,
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
