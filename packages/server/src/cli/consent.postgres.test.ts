import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runCommand } from '../../../../testing/command.ts'
import { MARKER } from '../adapters/filesystem/marker.ts'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { inOwnDatabase } from '../testing/postgresStores.ts'

/** A directory for data, whose store of bytes is there and empty. */
async function inDataDirectory(work: (cwd: string, data: string) => Promise<void>): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), 'blindkeep-consent-'))
  try {
    const data = join(cwd, 'data')
    await mkdir(join(data, 'blobs'), { recursive: true, mode: 0o700 })
    await writeFile(join(data, 'blobs', MARKER), '')
    await work(cwd, data)
  } finally {
    await rm(cwd, { recursive: true })
  }
}

describe('a command after which nothing is as before', () => {
  it('says so and changes nothing without a terminal, unless --yes is given: migrate-to', () =>
    inDataDirectory(async (cwd, data) => {
      await (await openSqliteStore({ path: join(data, 'blindkeep.sqlite') })).close()
      const [rows, bytes] = [join(cwd, 'new.sqlite'), join(cwd, 'new')]
      const migrate = ['migrate-to', `sqlite:${rows}`, `file:${bytes}`]
      const env = { PATH: process.env.PATH ?? '', DATA_DIR: data }
      const asked = await runCommand(migrate, { cwd, env })
      assert.equal(asked.status, 2, asked.stderr)
      assert.match(asked.stderr, /This server was moved to .*new\.sqlite, with its files in .*new/)
      assert.match(asked.stderr, /No server starts on the old data then[\s\S]*add --yes/)
      assert.deepEqual(await readdir(cwd), ['data'])
      assert.equal((await runCommand([...migrate, '--yes'], { cwd, env })).status, 0)
      assert.ok((await readdir(data)).includes('blindkeep.sqlite.moved'))
    }))

  it(
    'says so and changes nothing without a terminal, unless --yes is given: restored',
    inOwnDatabase(({ url, outsider }) =>
      inDataDirectory(async (cwd, data) => {
        const secret = join(cwd, 'master.secret')
        await writeFile(secret, 'ab'.repeat(32), { mode: 0o600 })
        const env = { PATH: process.env.PATH ?? '', DATA_DIR: data, DATABASE_URL: url, MASTER_SECRET_FILE: secret }
        const lives = async () => (await outsider.query(`select from server_facts where name = 'life'`)).rowCount
        const asked = await runCommand(['restored'], { cwd, env })
        assert.equal(asked.status, 2, asked.stderr)
        assert.match(asked.stderr, /gives up every receipt[\s\S]*add --yes/)
        assert.equal(await lives(), 0)
        // No server has run here: it goes on, and finds that.
        assert.match((await runCommand(['restored', '--yes'], { cwd, env })).stderr, /no attestation key yet/)
      }),
    ),
  )
})
