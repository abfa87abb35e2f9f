import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Client } from 'pg'
import { runCommand } from '../../../../testing/command.ts'
import { DatabaseBehind, migrations } from '../adapters/sql/migrations/migrations.ts'
import { createPostgresHealth } from '../adapters/sql/postgres/health.ts'
import { preparePostgres } from '../adapters/sql/postgres/schema.ts'
import { openPostgresStore } from '../adapters/sql/postgres/store.ts'
import { inDatabase, inOwnDatabase } from '../testing/postgresStores.ts'

interface World {
  readonly url: string
  readonly outsider: Client
  upgrade(...flags: readonly string[]): ReturnType<typeof runCommand>
}

/** A database as the first build left it, with a row in a table that the upgrade changes. */
function onFirstMigration(work: (world: World) => Promise<void>) {
  return inOwnDatabase(async ({ url, outsider }) => {
    const known = migrations.slice(0, 1)
    await preparePostgres({ url, health: createPostgresHealth(), schema: 'migrate', known })
    await outsider.query(`insert into server_facts (name, value) values ('life', '\\x01')`)
    const cwd = await mkdtemp(join(tmpdir(), 'blindkeep-upgrade-'))
    const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url, DATA_DIR: join(cwd, 'data') }
    try {
      await work({ url, outsider, upgrade: (...flags) => runCommand(['upgrade', ...flags], { cwd, env }) })
    } finally {
      await rm(cwd, { recursive: true })
    }
  }, 'template0')
}

/** Columns, checks and indexes, without their order. */
async function schemaOf(outsider: Client): Promise<readonly unknown[]> {
  const { rows } = await outsider.query(`
    select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(column_default, '') as what
      from information_schema.columns where table_schema = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    order by 1`)
  return rows.map(({ what }) => what)
}

describe('an upgrade of PostgreSQL', () => {
  it(
    'is not done by a start; the command says what it changes, asks for a backup, and does it',
    onFirstMigration(async ({ url, outsider, upgrade }) => {
      await assert.rejects(openPostgresStore({ url, schema: 'serve' }), DatabaseBehind)
      const check = await upgrade('--check', '--json')
      assert.equal(check.status, 0, check.stderr)
      const plan = JSON.parse(check.stdout)
      assert.deepEqual(
        [plan.database, plan.migration, plan.needs, plan.copy, plan.earlier_version_serves],
        ['postgres', 1, migrations.length, undefined, false],
      )
      assert.equal(plan.changes.length, migrations.length - 1)
      assert.match((await upgrade('--check')).stdout, /cannot copy a PostgreSQL database: make a backup first/)
      const asked = await upgrade()
      assert.equal(asked.status, 2)
      assert.match(asked.stderr, /add --yes/)
      assert.equal((await outsider.query('select from migrations')).rowCount, 1)
      const done = await upgrade('--yes')
      assert.equal(done.status, 0, done.stderr)
      assert.equal((await outsider.query('select from migrations')).rowCount, migrations.length)
      const { rows } = await outsider.query(`select name from server_facts where value = '\\x01'`)
      assert.deepEqual(rows, [{ name: 'life' }])
      await outsider.query(`insert into server_facts (name, value) values ('backed_up_at', '\\x01')`)
      const other = outsider.query(`insert into server_facts (name, value) values ('other', '\\x01')`)
      await assert.rejects(other, /violates check constraint/)
      const upgraded = await schemaOf(outsider)
      await inDatabase(async (fresh) => assert.deepEqual(upgraded, await schemaOf(fresh.outsider)))()
      await (await openPostgresStore({ url, schema: 'serve' })).close()
      // There is nothing left to ask about.
      assert.equal((await upgrade()).status, 0)
    }),
  )

  it(
    'is refused by a version that the database no longer serves, with the version to install',
    onFirstMigration(async ({ outsider, upgrade }) => {
      await upgrade('--yes')
      const insert = 'insert into migrations (number, serves, version) values ($1, $2, $3)'
      await outsider.query(insert, [migrations.length + 1, migrations.length, '97.0.0'])
      assert.equal((await upgrade('--check')).status, 0)
      await outsider.query(insert, [migrations.length + 2, migrations.length + 1, '98.0.0'])
      const { status, stdout } = await upgrade('--check')
      assert.equal(status, 1)
      assert.match(
        stdout,
        /^Blindkeep 98\.0\.0 has upgraded .* install 98\.0\.0 or a later one, or go back to your backup/,
      )
    }),
  )
})
