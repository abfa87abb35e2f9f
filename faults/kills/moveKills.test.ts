import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { CLI } from '../../testing/command.ts'
import { openObjectStore } from '../../testing/objectStore.ts'
import { createDatabase } from '../../testing/postgresDatabase.ts'
import { pause } from '../harness/api.ts'
import { finishAndCheck } from '../harness/finalChecks.ts'
import { createWorld, startLoad } from '../harness/load.ts'

const LOAD_MS = 4_000
/** Before this, the process only starts. */
const FIRST_LIFE_MS = 400
/** Each run of the move lives so many times longer than the one before. */
const LONGER = 1.5

it('a move that is killed again and again ends well, and then everything is there', async (t) => {
  const world = await createWorld('move')
  t.after(world.close)
  const { server, ledger, owners, random } = world
  const load = startLoad(world, 6)
  await pause(LOAD_MS)
  await load.stop()
  assert.equal(await server.terminate(), 0)

  const postgres = await startPostgresServer()
  t.after(postgres.stop)
  const objects = await openObjectStore()
  t.after(objects.stop)
  const { BLOBS_URL = '', ...credentials } = objects.env
  const { url: databaseUrl } = await createDatabase(postgres.url('postgres'))
  const env = {
    ...{ PATH: process.env.PATH, DATA_DIR: server.dataDir, ...credentials },
    MASTER_SECRET_FILE: join(dirname(server.dataDir), 'master.secret'),
  }
  /** Undefined if it was killed. */
  async function move(livesMs: number): Promise<number | undefined> {
    const command = ['--disable-warning=ExperimentalWarning', CLI, 'migrate-to', databaseUrl, BLOBS_URL, '--yes']
    const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const closed = once(child, 'close')
    const timer = setTimeout(() => child.kill('SIGKILL'), livesMs)
    await closed
    clearTimeout(timer)
    return child.exitCode ?? undefined
  }
  let kills = 0
  let status = await move(FIRST_LIFE_MS)
  for (; status === undefined; status = await move(FIRST_LIFE_MS * LONGER ** kills)) kills++
  t.diagnostic(`killed ${kills} times, ${ledger.counts.landings} drops`)
  assert.equal(status, 0)
  assert.equal(await move(60_000), 0, 'once more only checks')
  assert.ok(kills > 1 && ledger.counts.landings > 0)

  await assert.rejects(server.restart(), /moved/)
  const late = await server.command(['account', 'list'])
  assert.deepEqual([late.status, /was moved/.test(late.stderr)], [1, true], 'the old data answers no command')
  await server.restart({ ...credentials, DATABASE_URL: databaseUrl, BLOBS_URL })
  await finishAndCheck(world, owners, random.fork('end'))
  assert.deepEqual(ledger.faults, [])
  const { status: found, stdout } = await server.command(['fsck', '--deep'])
  assert.equal(found, 0, stdout)
})
