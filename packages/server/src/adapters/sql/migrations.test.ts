import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import {
  accountId,
  albumId,
  assetBlob,
  assetId,
  assetUpload,
  at,
  bytes,
  dropId,
  hash,
  opaqueId,
  uploadId,
} from '../../ports/storeContract/world.ts'
import { sqliteDialect } from './dialects.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { devicesAndAlbums } from './migrations/0002-devices-and-albums.ts'
import { assets } from './migrations/0003-assets.ts'
import { custody } from './migrations/0004-custody.ts'
import { DatabaseTooNew, type Migration, migrate } from './migrations.ts'
import type { Schema } from './schema.ts'
import { openConnection } from './sqliteConnection.ts'
import { createHealth } from './sqliteHealth.ts'
import { createReadTx, createWriteTx } from './tx.ts'

async function inDatabase(work: (db: Kysely<Schema>) => Promise<void>): Promise<void> {
  const connection = openConnection(':memory:', { health: createHealth(), queryOnly: false })
  try {
    await connection.lend(work)
  } finally {
    connection.close()
  }
}

const first: Migration = (dialect) => [
  `create table things (number ${dialect.integer}) ${dialect.tableEnd}`,
  'insert into things (number) values (1)',
]
const second: Migration = () => ['update things set number = number + 1']

async function things(db: Kysely<Schema>): Promise<readonly unknown[]> {
  return (await sql<{ number: number }>`select number from things`.execute(db)).rows.map((row) => row.number)
}

describe('migrations', () => {
  it('run in order, each once', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [first])
      assert.deepEqual(await things(db), [1])
      await migrate(db, sqliteDialect, [first, second])
      await migrate(db, sqliteDialect, [first, second])
      assert.deepEqual(await things(db), [2])
    }))

  it('refuse a database that has been through more of them than are known', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [first, second])
      await assert.rejects(
        migrate(db, sqliteDialect, [first]),
        (error) => error instanceof DatabaseTooNew && /migration 2, this release knows 1/.test(error.message),
      )
    }))
})

type Row = Readonly<Record<string, unknown>>

async function insert(db: Kysely<Schema>, table: string, row: Row): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(db)
}

/** The statements that made what the schema has, by name. What a key alone made has none. */
async function schemaOf(db: Kysely<Schema>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ readonly name: string; readonly made: string | null }>`
    select name, sql as made from sqlite_schema`.execute(db)
  return new Map(rows.map(({ name, made }) => [name, made ?? '']))
}

async function rowsOf(db: Kysely<Schema>, table: string): Promise<readonly Row[]> {
  return (await sql<Row>`select * from ${sql.table(table)}`.execute(db)).rows.map((row) => ({ ...row }))
}

const states = ['open', 'finishing', 'landed', 'failed', 'ended'] as const

/** Two sessions in each state, with two chunks each, the landed ones with drops and receipts: as a server before the third migration left them. */
async function fillBeforeAssets(db: Kysely<Schema>): Promise<void> {
  await insert(db, 'accounts', {
    account_id: accountId(1),
    email: 'a@b',
    secret_hash: 's',
    kdf_version: 1,
    created_at: 0,
    used_bytes: 1_000,
    pending_drops: 2,
  })
  const link = { opaque_id: opaqueId(1), account_id: accountId(1), drop_public_key: bytes(9), suite_id: 1 }
  await insert(db, 'links', { ...link, protocol_version: '2026-11-01', created_at: 0, single_use: 0 })
  for (const [index, state] of [...states, ...states].entries()) await insertSession(db, index + 1, state)
  await insert(db, 'log_head', { one: 1, receipt_seq: 8, receipt_hash: hash(8), received_at: at(8) })
}

async function insertSession(db: Kysely<Schema>, number: number, state: (typeof states)[number]): Promise<void> {
  const isClosed = state !== 'open' && state !== 'finishing'
  const declared = {
    account_id: accountId(1),
    opaque_id: opaqueId(1),
    size: 100 + number,
    ciphertext_hash: hash(number),
    content_type: 'image/png',
    kem_ct: bytes(1120, number),
    suggested_filename: number % 2 === 0 ? `${number}.png` : null,
    location: `00/${number}`,
  }
  await insert(db, 'uploads', {
    ...declared,
    upload_id: uploadId(number),
    idempotency_key: number % 2 === 0 ? `key ${number}` : null,
    declaration_hash: hash(100 + number),
    created_at: at(number),
    state,
    received_bytes: 60 + number,
    chunk_count: 2,
    last_chunk_at: at(number + 1),
    closed_at: isClosed ? at(number + 2) : null,
  })
  const chunk = { upload_id: uploadId(number), checksum: hash(number) }
  await insert(db, 'chunks', { ...chunk, offset: 60, length: number })
  await insert(db, 'chunks', { ...chunk, offset: 0, length: 60 })
  if (state !== 'landed') return
  const ids = { upload_id: uploadId(number), drop_id: dropId(number), received_at: at(number + 2) }
  await insert(db, 'drops', { ...declared, ...ids, leased_until: null })
  const receipt = { receipt_seq: number, receipt_hash: hash(number), receipt_cbor: bytes(9), key_id: hash(1) }
  await insert(db, 'receipts', { ...receipt, ...ids })
}

interface Before {
  readonly rows: ReadonlyMap<string, readonly Row[]>
  readonly schema: ReadonlyMap<string, string>
}

/** A database at the second migration, as it was filled and as it is after the third, which ran in one transaction. */
async function afterAssets(work: (db: Kysely<Schema>, before: Before) => Promise<void>): Promise<void> {
  await inDatabase(async (db) => {
    await migrate(db, sqliteDialect, [firstTables, devicesAndAlbums])
    await fillBeforeAssets(db)
    const rows = new Map<string, readonly Row[]>()
    for (const table of ['accounts', 'links', 'uploads', 'chunks', 'drops', 'receipts', 'log_head'])
      rows.set(table, await rowsOf(db, table))
    const schema = await schemaOf(db)
    await sql`begin immediate`.execute(db)
    await migrate(db, sqliteDialect, [firstTables, devicesAndAlbums, assets])
    await sql`commit`.execute(db)
    await work(db, { rows, schema })
  })
}

describe('the migration to assets', () => {
  it('brings every row through unchanged, in every state, and says why failed sessions failed', () =>
    afterAssets(async (db, before) => {
      assert.equal(before.rows.get('uploads')?.length, 10)
      assert.equal(before.rows.get('chunks')?.length, 20)
      const unsaid = { asset_id: null, album_id: null, role: null, envelope: null }
      const added: Readonly<Record<string, (row: Row) => Row>> = {
        uploads: ({ state }) => ({ ...unsaid, failure: state === 'failed' ? 'content_hash_wrong' : null }),
        drops: () => ({ claim_id: null, claim_hash: null }),
        receipts: () => ({ asset_id: null }),
      }
      for (const [table, rows] of before.rows) {
        const expected = rows.map((row) => ({ ...row, ...added[table]?.(row) }))
        assert.deepEqual(await rowsOf(db, table), expected, table)
      }
      const failed = await createReadTx(db).uploads.find(uploadId(4))
      assert.deepEqual([failed?.opaqueId, failed?.failure], [opaqueId(1), 'content_hash_wrong'])
    }))

  it('leaves nothing of the old tables, and every reference and index that they had', () =>
    afterAssets(async (db, before) => {
      const after = await schemaOf(db)
      for (const [name, made] of after) assert.ok(!`${name} ${made}`.includes('_before'), name)
      for (const [name, made] of before.schema) {
        assert.ok(after.has(name), name)
        if (/^create (unique )?index/.test(made)) assert.equal(after.get(name), made)
      }
      assert.deepEqual((await sql`pragma foreign_key_check`.execute(db)).rows, [])
      await assert.rejects(insert(db, 'chunks', { upload_id: uploadId(99), offset: 0, length: 1, checksum: hash(1) }))
      await createWriteTx(db).uploads.prune(at(1_000))
      assert.deepEqual([(await rowsOf(db, 'uploads')).length, (await rowsOf(db, 'chunks')).length], [4, 8])
    }))

  it('takes no session that is neither wholly a guest’s nor wholly an owner’s', () =>
    afterAssets(async (db) => {
      const albumId = assetUpload(1).albumId
      await insert(db, 'albums', { album_id: albumId, account_id: accountId(1), created_at: 0 })
      const shared = { account_id: accountId(1), size: 1, ciphertext_hash: hash(1), content_type: 'image/png' }
      const rest = { declaration_hash: hash(1), location: '00/x', created_at: 0, state: 'open' }
      const guest = { opaque_id: opaqueId(1), kem_ct: bytes(1120) }
      const owner = { asset_id: assetUpload(1).assetId, album_id: albumId, role: 'original', envelope: '{}' }
      const insertion = (number: number, row: Row) =>
        insert(db, 'uploads', { upload_id: uploadId(number), ...shared, ...rest, ...row })
      await insertion(21, guest)
      await insertion(22, owner)
      const wrong: readonly Row[] = [
        {},
        { ...guest, ...owner },
        ...Object.keys(guest).map((name) => ({ ...guest, [name]: null })),
        ...Object.keys(owner).map((name) => ({ ...owner, [name]: null })),
        ...Object.entries(owner).map(([name, value]) => ({ ...guest, [name]: value })),
        { ...owner, kem_ct: bytes(1120) },
        { ...owner, suggested_filename: 'a.png' },
        { ...owner, idempotency_key: 'key' },
        { ...owner, role: 'unknown' },
        { ...owner, album_id: uploadId(99) },
      ]
      for (const [index, row] of wrong.entries())
        await assert.rejects(insertion(30 + index, row), /CHECK|FOREIGN KEY/, JSON.stringify(row))
    }))
})

describe('the migration to custody', () => {
  it('numbers the assets that are there, tombstones too, in the order of their last changes, each account’s from 1', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [firstTables, devicesAndAlbums, assets])
      for (const number of [1, 2, 3])
        await insert(db, 'accounts', {
          account_id: accountId(number),
          email: `${number}@b`,
          secret_hash: 's',
          kdf_version: 1,
          created_at: 0,
          used_bytes: 0,
        })
      for (const number of [1, 2])
        await insert(db, 'albums', { album_id: albumId(number), account_id: accountId(number), created_at: 0 })
      const rows: readonly (readonly [asset: number, account: number, changedAt: number | null])[] = [
        [1, 1, 9],
        [2, 1, 3],
        [3, 2, 5],
        [4, 1, null],
        [5, 1, 9],
      ]
      for (const [number, account, changed] of rows) {
        const changedAt = changed === null ? null : at(changed)
        await insert(db, 'assets', {
          asset_id: assetId(number),
          account_id: accountId(account),
          album_id: albumId(account),
          created_at: changedAt,
          changed_at: changedAt,
          deleted_at: number === 2 ? changedAt : null,
        })
      }
      await migrate(db, sqliteDialect)
      const { changes } = createReadTx(db)
      const feedOf = async (account: number) => {
        const found = await changes.assetsAfter({ accountId: accountId(account), changeSeq: 0, most: 10 })
        return found.map(({ changeSeq, asset }) => [changeSeq, asset.assetId])
      }
      assert.deepEqual(await feedOf(1), [
        [1, assetId(2)],
        [2, assetId(1)],
        [3, assetId(5)],
      ])
      assert.deepEqual(await feedOf(2), [[1, assetId(3)]])
      const counts = [1, 2, 3].map((account) => changes.lastSeq(accountId(account)))
      assert.deepEqual(await Promise.all(counts), [3, 1, 0])
    }))
})

describe('the migration to strangers', () => {
  it('reads of every envelope until when it is retained, and never earlier, whatever else it says', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, [firstTables, devicesAndAlbums, assets, custody])
      const account = { email: 'a@b', secret_hash: 's', kdf_version: 1, created_at: 0, used_bytes: 0 }
      const envelopes = [
        { retention_until: '2027-03-04t23:59:60.999999-23:59' },
        { retention_until: '0000-01-01T00:00:00Z' },
        { retention_until: null, note: '"retention_until":"2030-01-01T00:00:00Z"' },
        {},
      ]
      for (const [index, envelope] of envelopes.entries()) {
        const number = index + 1
        const [owner, album, asset] = [accountId(number), albumId(number), assetId(number)]
        await insert(db, 'accounts', { ...account, account_id: owner, email: `${number}@b` })
        await insert(db, 'albums', { album_id: album, account_id: owner, created_at: 0 })
        await insert(db, 'assets', { asset_id: asset, account_id: owner, album_id: album })
        const { role, ciphertextHash, size, location, uploadId: brought } = assetBlob(number)
        const blob = { asset_id: asset, account_id: owner, role, ciphertext_hash: ciphertextHash, size, location }
        const rest = { upload_id: brought, content_type: 'image/png', landed_at: 0 }
        await insert(db, 'asset_blobs', { ...blob, ...rest, envelope: JSON.stringify(envelope) })
      }
      await migrate(db, sqliteDialect)
      const { retainedUntil } = createReadTx(db).assets
      const found = await Promise.all(envelopes.map((_, index) => retainedUntil(accountId(index + 1))))
      assert.deepEqual(found, [Date.UTC(2027, 2, 6), undefined, undefined, undefined])
      assert.ok(Date.parse('2027-03-04T23:59:59.999-23:59') <= Date.UTC(2027, 2, 6))
    }))
})
