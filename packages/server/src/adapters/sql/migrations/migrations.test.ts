import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { accountId, assetUpload, bytes, hash, opaqueId, uploadId } from '../../../contracts/store/world.ts'
import { RELEASE } from '../../../ground/release.ts'
import { postgresDialect, sqliteDialect } from '../../../rows/dialects.ts'
import { openConnection } from '../sqlite/connection.ts'
import { createHealth } from '../sqlite/health.ts'
import {
  DatabaseBehind,
  DatabaseTooNew,
  DatabaseUnconvertible,
  type Migration,
  migrate,
  migrations,
  requireMigrated,
  requireServing,
} from './migrations.ts'

async function inDatabase(work: (db: Kysely<unknown>) => Promise<void>): Promise<void> {
  const connection = openConnection(':memory:', { health: createHealth(), queryOnly: false })
  try {
    await connection.lend(({ kysely }) => work(kysely))
  } finally {
    connection.close()
  }
}

/** Later ones than those of this release. */
const added: Migration = {
  summary: 'Adds things.',
  statements: (dialect) => [
    `create table things (number ${dialect.integer}) ${dialect.tableEnd}`,
    'insert into things (number) values (1)',
  ],
  serves: 1,
}
const changed: Migration = { summary: '', statements: () => ['update things set number = number + 1'], serves: 1 }
const contracted: Migration = {
  summary: '',
  statements: () => ['update things set number = number * 10'],
  serves: migrations.length + 2,
}
const first = [...migrations, added]
const second = [...first, changed]
const third = [...second, contracted]

async function things(db: Kysely<unknown>): Promise<readonly unknown[]> {
  return (await sql<{ number: number }>`select number from things`.execute(db)).rows.map((row) => row.number)
}

describe('migrations', () => {
  it('run in order, each once', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, first)
      assert.deepEqual(await things(db), [1])
      await migrate(db, sqliteDialect, third)
      await migrate(db, sqliteDialect, third)
      assert.deepEqual(await things(db), [20])
    }))

  it('refuse a database that has more of them than this release knows, and name the version that ran them', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, first)
      const isTooNew = (error: unknown) =>
        error instanceof DatabaseTooNew &&
        error.message ===
          `Blindkeep ${RELEASE} has upgraded the database to migration ${first.length}, and this version (${RELEASE}) knows ${migrations.length}: install ${RELEASE} or a later one, or go back to your backup from before that.`
      await assert.rejects(migrate(db, sqliteDialect), isTooNew)
      await assert.rejects(requireMigrated(db), isTooNew)
      await sql`insert into migrations (number, serves) values (99, 99)`.execute(db)
      await assert.rejects(requireMigrated(db), /^DatabaseTooNew: A newer version .* to migration 99, .* knows \d+: /)
    }))

  it('may be newer for a node that serves, until one contracts what its release uses', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect)
      await assert.rejects(requireServing(db, first), DatabaseBehind)
      await migrate(db, sqliteDialect, second)
      await requireServing(db)
      await requireServing(db, first)
      await migrate(db, sqliteDialect, third)
      await assert.rejects(requireServing(db, first), DatabaseTooNew)
      await requireServing(db, second)
    }))

  it('are required all: a check without migrating refuses a database that lacks one', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, migrations.slice(0, 1))
      await assert.rejects(
        requireMigrated(db),
        (error) =>
          error instanceof DatabaseBehind && /at migration 1, this version \(.*\) needs \d+\./.test(error.message),
      )
      assert.deepEqual((await sql`select number from migrations`.execute(db)).rows.length, 1)
      await migrate(db, sqliteDialect)
      await requireMigrated(db)
    }))

  it('say in one sentence each what they change, and never stop serving themselves', () => {
    for (const [index, { summary, serves }] of migrations.entries()) {
      assert.match(summary, /^[A-Z][^.]+\.$/)
      assert.ok(serves >= 1 && serves <= index + 1)
    }
  })
})

/** SHA-256 of the statements of each released migration, in both dialects. Append when a version is released. */
const RELEASED = ['3daf0f4bd31a2724997a1f190efd572567ea164688d1bdb3c3309f4792f66d5c']

describe('a released migration', () => {
  it('never changes: what a later version needs is a migration of its own', () => {
    const hashes = migrations
      .slice(0, RELEASED.length)
      .map(({ statements }) =>
        hash256([sqliteDialect, postgresDialect].flatMap((dialect) => statements(dialect)).join(';')),
      )
    assert.deepEqual(hashes, RELEASED)
  })
})

const hash256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a database that was upgraded from the first migration', () => {
  it('has the tables, columns and indexes of a new one, and the rows that it had', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, migrations.slice(0, 1))
      await insert(db, 'server_facts', { name: 'server_id', value: bytes(7) })
      await migrate(db, sqliteDialect)
      const { rows } = await sql<Row>`select name, value from server_facts`.execute(db)
      assert.deepEqual(
        rows.map(({ name, value }) => [name, value]),
        [['server_id', bytes(7)]],
      )
      await insert(db, 'server_facts', { name: 'backed_up_at', value: bytes(1) })
      await assert.rejects(insert(db, 'server_facts', { name: 'other', value: bytes(1) }), /CHECK/)
      assert.deepEqual((await sql`pragma foreign_key_check`.execute(db)).rows, [])
      const upgraded = await schemaOf(db)
      await inDatabase(async (fresh) => {
        await migrate(fresh, sqliteDialect)
        assert.deepEqual(upgraded, await schemaOf(fresh))
      })
    }))
})

describe('the migration that lets messages go to browsers', () => {
  it('keeps the channels that are there, their order and their rules', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, migrations.slice(0, 4))
      await insert(db, 'accounts', {
        account_id: accountId(1),
        email: 'a@example.org',
        secret_hash: 'x',
        kdf_version: 1,
        created_at: 1,
        change_seq: 0,
      })
      const row = (number: number, kind: string) => ({
        channel_seq: number,
        channel_id: `channel ${number}`,
        account_id: accountId(1),
        kind,
        state: 'active',
        created_at: 1,
        notified_seq: 0,
        due_at: 1,
        sealed_target: bytes(9, number),
      })
      for (const [index, kind] of ['webhook', 'ntfy', 'email'].entries())
        await insert(db, 'channels', row(7 - index, kind))
      await assert.rejects(insert(db, 'channels', row(8, 'push')), /CHECK/)
      const all = () => sql<Row>`select * from channels order by channel_seq`.execute(db)
      const { rows } = await all()
      await migrate(db, sqliteDialect, migrations.slice(0, 5))
      assert.deepEqual((await all()).rows, rows)
      await insert(db, 'channels', row(8, 'push'))
      await assert.rejects(insert(db, 'channels', row(9, 'fax')), /CHECK/)
      await assert.rejects(insert(db, 'channels', { ...row(9, 'push'), claim_id: 'x' }), /CHECK/)
      assert.deepEqual((await sql`pragma foreign_key_check`.execute(db)).rows, [])
    }))
})

async function schemaOf(db: Kysely<unknown>): Promise<readonly unknown[]> {
  return (await sql`select type, name, sql from sqlite_schema order by type, name`.execute(db)).rows
}

type Row = Readonly<Record<string, unknown>>

async function insert(db: Kysely<unknown>, table: string, row: Row): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(db)
}

describe('the migration that bounds what accounts leave', () => {
  it('keeps what is needed of links and devices that were made and revoked by the thousand', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, migrations.slice(0, 6))
      const owner = { account_id: accountId(1) }
      await insert(db, 'accounts', { ...owner, email: 'a@b', secret_hash: 's', kdf_version: 1, created_at: 0 })
      const albumId = assetUpload(1).albumId
      await insert(db, 'albums', { album_id: albumId, ...owner, created_at: 0 })
      await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
        insert into links (opaque_id, account_id, drop_public_key, suite_id, protocol_version, created_at, single_use, revoked_at, sealed_label)
        select printf('%032x', i), ${accountId(1)}, x'01', 1, '2026-11-01', i, 0, i, x'02' from n`.execute(db)
      await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
        insert into devices (device_id, account_id, public_key, created_at, revoked_at)
        select 'device ' || i, ${accountId(1)}, zeroblob(1984), i, i from n`.execute(db)
      await insert(db, 'assets', { asset_id: 'asset', ...owner, album_id: albumId, created_at: 0, changed_at: 0 })
      const blob = { asset_id: 'asset', ...owner, role: 'original', ciphertext_hash: hash(1), size: 1, location: 'x' }
      const envelope = JSON.stringify({ created_by_device: 'device 7' })
      await insert(db, 'asset_blobs', { ...blob, upload_id: 'u', content_type: 't', landed_at: 0, envelope })
      await migrate(db, sqliteDialect, migrations.slice(0, 7))
      const listed =
        await sql`select count(*) as count, min(created_at) as first from links where is_buried = 0`.execute(db)
      assert.deepEqual({ ...Object(listed.rows[0]) }, { count: 2000, first: 501 })
      const buried =
        await sql`select count(*) as count, max(sealed_label) as label from links where is_buried = 1`.execute(db)
      assert.deepEqual({ ...Object(buried.rows[0]) }, { count: 500, label: null })
      const devices = await sql<{ device_id: string }>`select device_id from devices order by device_seq`.execute(db)
      assert.equal(devices.rows.length, 101)
      assert.deepEqual([devices.rows[0]?.device_id, devices.rows[1]?.device_id], ['device 7', 'device 201'])
    }))
})

describe('the migration to keys', () => {
  const account = { account_id: accountId(1), email: 'a@b', secret_hash: 's', kdf_version: 1, created_at: 0 }
  const before = migrations.slice(0, 11)

  it('refuses a database with an account, and changes nothing', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, before)
      await insert(db, 'accounts', account)
      const known = await schemaOf(db)
      for (const use of [migrate(db, sqliteDialect), requireMigrated(db), requireServing(db)])
        await assert.rejects(use, DatabaseUnconvertible)
      assert.deepEqual(await schemaOf(db), known)
    }))

  it('takes over what else is there, also a deleted account', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect, before)
      await insert(db, 'accounts', { ...account, secret_hash: '-', deleted_at: 1 })
      await migrate(db, sqliteDialect)
      const { rows } = await sql`select email, sign_in_key_hash from accounts`.execute(db)
      assert.deepEqual(
        rows.map((row) => ({ ...Object(row) })),
        [{ email: 'a@b', sign_in_key_hash: null }],
      )
    }))

  it('lets an account have a key exactly while it is not deleted', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect)
      const row = { account_id: accountId(1), email: 'a@b', kdf_version: 1, created_at: 0 }
      for (const wrong of [{}, { sign_in_key_hash: bytes(31) }, { sign_in_key_hash: bytes(32), deleted_at: 1 }])
        await assert.rejects(insert(db, 'accounts', { ...row, ...wrong }), /CHECK/)
      await insert(db, 'accounts', { ...row, sign_in_key_hash: bytes(32) })
    }))
})

describe('the table of upload sessions', () => {
  it('refuses a session that is neither wholly a guest’s nor wholly an owner’s', () =>
    inDatabase(async (db) => {
      await migrate(db, sqliteDialect)
      const account = { account_id: accountId(1), email: 'a@b', kdf_version: 1, created_at: 0 }
      await insert(db, 'accounts', { ...account, sign_in_key_hash: bytes(32) })
      const link = { opaque_id: opaqueId(1), account_id: accountId(1), drop_public_key: bytes(9), suite_id: 1 }
      await insert(db, 'links', { ...link, protocol_version: '2026-11-01', created_at: 0, single_use: 0 })
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
