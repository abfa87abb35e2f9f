/** PgBouncer between the server and PostgreSQL. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type PostgresServer, startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { freePort, startServer } from '../../testing/startServer.ts'
import { pause } from '../harness/api.ts'
import { createWorld, judgeServed, startLoad } from '../harness/load.ts'

const missing = spawnSync('pgbouncer', ['--version']).status === 0 ? false : 'needs `pgbouncer`'
/** It does not run as root. This user exists on all systems. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Returns a URL that leads through it to the database `postgres`. */
async function startPooler(t: TestContext, postgres: PostgresServer, mode: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-pooler-'))
  t.after(() => rm(directory, { recursive: true }))
  const port = await freePort()
  const host = new URL(postgres.url('postgres')).searchParams.get('host')
  const path = join(directory, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `postgres = host=${host} dbname=postgres user=blindkeep`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any`,
    `pool_mode = ${mode}\ndefault_pool_size = 30`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  if (NOBODY.uid !== undefined) for (const each of [directory, path]) await chown(each, NOBODY.uid, NOBODY.gid)
  const child = spawn('pgbouncer', [path], { stdio: 'ignore', ...NOBODY })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for (let tries = 0; !(await listens(port)); tries++) {
    assert.ok(tries < 100 && child.exitCode === null, 'pgbouncer did not start')
    await pause(50)
  }
  return `postgresql://blindkeep@127.0.0.1:${port}/postgres`
}

function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  return connected.finally(() => socket.destroy())
}

describe('PgBouncer between a server and its database', { skip: missing }, () => {
  it('serves when it keeps sessions', async (t) => {
    const postgres = await startPostgresServer()
    t.after(postgres.stop)
    const world = await createWorld('pooler', { env: { DATABASE_URL: await startPooler(t, postgres, 'session') } })
    t.after(world.close)
    const load = startLoad(world, 4)
    await pause(3_000)
    await load.stop()
    await judgeServed(world)
    assert.deepEqual(world.ledger.faults, [])
    assert.ok(world.ledger.counts.landings > 0)
  })

  it('is refused with a sentence that says what to do when it does not', async (t) => {
    const postgres = await startPostgresServer()
    t.after(postgres.stop)
    const env = { DATABASE_URL: await startPooler(t, postgres, 'transaction') }
    await assert.rejects(startServer({ env }), /does not keep sessions. Set its pool mode to session/)
  })
})
