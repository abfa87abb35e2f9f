import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { freePort } from '../../../../testing/startServer.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openServerData } from '../assembly/data.ts'
import { readConfig } from '../config/config.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { recordServerId } from '../domain/discovery/serverId.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { inOwnDatabase } from '../testing/postgresStores.ts'
import { USE } from '../testing/serverUse.ts'

it(
  'move changes nothing after its lock on the nodes was lost while it looked or asked',
  inOwnDatabase(async ({ url, outsider }) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-move-command-'))
    const [port, left] = [await freePort(), await freePort()]
    let isCut = true
    const cut = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 3 and database =
      (select oid from pg_database where datname = current_database())`
    const proxy = createServer(async ({ url: path }, response) => {
      if (isCut) assert.equal((await outsider.query(cut)).rowCount, 1)
      request({ port, path }, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502))).end()
    }).listen(0, '127.0.0.1')
    try {
      await once(proxy, 'listening')
      const env = {
        ...{ DATABASE_URL: url, DATA_DIR: directory, PORT: String(port) },
        PUBLIC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      }
      const config = readConfig(env)
      assert.ok(!('faults' in config))
      const { store, keyring, close } = await openServerData(config, USE)
      await openServerKeys({ store, keyring, clock: systemClock, random: systemRandom })
      await store.write(['server'], (tx) => recordServerId(tx, `http://127.0.0.1:${left}`))
      await close()
      const move = () => runInProcess(['move', '--yes'], env)
      await assert.rejects(move(), /a node may have started. Nothing was changed/)
      isCut = false
      assert.match((await move()).lines.join(), /^The server is /)
    } finally {
      proxy.closeAllConnections()
      proxy.close()
      await rm(directory, { recursive: true })
    }
  }, 'template0'),
)
