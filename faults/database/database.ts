/** PostgreSQL on a small disk behind a failing proxy, with one database for the tested servers. */
import { chmodSync } from 'node:fs'
import { Client } from 'pg'
import { type PostgresServer, startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { type PostgresProxy, startPostgresProxy } from '../../testing/faultProxy/postgres.ts'
import { createDatabase } from '../../testing/postgresDatabase.ts'
import { mountSmallDisk, type SmallDisk } from '../harness/smallDisk.ts'

export interface FaultyDatabase {
  /** For checks. */
  readonly directUrl: string
  /** For the servers: through the proxy. */
  readonly url: string
  readonly server: PostgresServer
  readonly proxy: PostgresProxy
  readonly disk: SmallDisk
  /** Opens connections until the server has none left. They end with the result. */
  takeAllConnections(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const MEBIBYTE = 1024 * 1024
/** Its programs take 60 MiB; its data and log about 150, and a standby as much. */
const DISK_BYTES = 640 * MEBIBYTE
const MAX_CONNECTIONS = 100
const SETTINGS = `-c max_connections=${MAX_CONNECTIONS} -c max_wal_size=64MB -c min_wal_size=32MB -c wal_level=replica -c max_wal_senders=4`

export async function openFaultyDatabase(): Promise<FaultyDatabase | { readonly missing: string }> {
  const disk = mountSmallDisk(DISK_BYTES)
  if ('missing' in disk) return disk
  // PostgreSQL does not run as root, and has to pass through.
  chmodSync(disk.directory, 0o755)
  const ends: (() => unknown)[] = [disk.unmount]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const server = await startPostgresServer({ under: disk.directory, more: SETTINGS })
    ends.push(server.stop)
    const { url: directUrl } = await createDatabase(server.url('postgres'))
    const proxy = await startPostgresProxy(directUrl)
    ends.push(proxy.close)
    const url = proxy.through(directUrl)
    return { directUrl, url, server, proxy, disk, takeAllConnections: () => takeAll(directUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function takeAll(url: string): Promise<() => Promise<void>> {
  const taken: Client[] = []
  for (;;) {
    const client = new Client(url)
    client.on('error', () => undefined)
    try {
      await client.connect()
    } catch {
      break
    }
    taken.push(client)
  }
  return async () => {
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)))
  }
}
