import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { inOwnDatabase } from '../testing/postgresStores.ts'
import { putObject } from '../testing/putObject.ts'
import { USE } from '../testing/serverUse.ts'
import { openServerData } from './data.ts'

it(
  'a server is not made new in an empty database beside the objects of another one',
  inOwnDatabase(async ({ url, outsider }) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    const configOf = (more: Readonly<Record<string, string>>) => {
      const config = readConfig({ DATA_DIR: directory, BLOBS_URL: `file:${join(directory, 'blobs')}`, ...more })
      assert.ok(!('faults' in config))
      return config
    }
    try {
      const before = await openServerData(configOf({}), USE)
      await putObject(before)
      await before.close()
      const changed = async () => {
        const { rows } = await outsider.query("select tablename from pg_tables where schemaname = 'public'")
        return { tables: rows.length, names: (await readdir(directory, { recursive: true })).toSorted() }
      }
      const unchanged = await changed()
      const inPostgres = { DATABASE_URL: url, MASTER_SECRET_FILE: join(directory, 'new.secret') }
      await assert.rejects(openServerData(configOf(inPostgres), USE), /has objects of a server/)
      const refused = { ...inPostgres, BLOBS_URL: `file:${join(directory, 'other')}`, FIRST_START: 'refused' }
      await assert.rejects(openServerData(configOf(refused), USE), /FIRST_START=refused says/)
      const elsewhere = { ...refused, DATA_DIR: join(directory, 'empty') }
      await assert.rejects(openServerData(configOf(elsewhere), USE), /FIRST_START=refused says/)
      assert.deepEqual(await changed(), unchanged)
    } finally {
      await rm(directory, { recursive: true })
    }
  }, 'template0'),
)
