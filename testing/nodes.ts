/** Nodes: real processes on one database and store, behind a proxy that takes them in turn. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'
import { createDatabase, createTestDatabase } from './postgresDatabase.ts'
import { type RoundRobin, startRoundRobin } from './roundRobin.ts'
import { type RunningServer, startServer } from './startServer.ts'

export interface NodesOptions {
  readonly count?: number
  /** `BLOBS_URL` and credentials of the nodes' store, unless in `env`. Files cannot be shared. */
  readonly blobs?: Readonly<Record<string, string>>
  /** An empty database; without it a new one is made. */
  readonly databaseUrl?: string
  /** `PUBLIC_URL`, if clients are to see another address than the proxy's. */
  readonly publicUrl?: string
  /** Settings of every node. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Nodes {
  /** The address of the proxy. */
  readonly url: string
  readonly proxy: RoundRobin
  /** Each has its data directory, `kill9` and `restart`; the proxy passes over a silent one. */
  readonly nodes: readonly RunningServer[]
  readonly databaseUrl: string
  /** stdout and stderr of all nodes. */
  log(): string
  stop(): Promise<void>
}

/** On BLINDKEEP_TEST_POSTGRES's server or its own. All start at once, also the first time. */
export async function startNodes({
  count = 3,
  blobs,
  env,
  publicUrl,
  databaseUrl: given,
}: NodesOptions): Promise<Nodes> {
  const ends: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-nodes-'))
    ends.push(() => rm(directory, { recursive: true, force: true }))
    const databaseUrl = given ?? (await openDatabase(ends))
    const proxy = await startRoundRobin()
    ends.push(proxy.close)
    const settings = {
      ...blobs,
      DATABASE_URL: databaseUrl,
      MASTER_SECRET_FILE: join(directory, 'master.secret'),
      ...env,
    }
    const starts = Array.from({ length: count }, () =>
      startServer({ publicUrl: publicUrl ?? proxy.url, env: settings }),
    )
    const started = await Promise.allSettled(starts)
    const nodes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    ends.push(() => Promise.all(nodes.map((node) => node.stop())))
    for (const each of started) if (each.status === 'rejected') throw each.reason
    proxy.forwardTo(nodes.map(({ url }) => url))
    return { url: proxy.url, proxy, nodes, databaseUrl, log: () => nodes.map((node) => node.log()).join('\n'), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openDatabase(ends: (() => Promise<unknown>)[]): Promise<string> {
  const shared = await createTestDatabase()
  if (shared !== undefined) {
    ends.push(shared.drop)
    return shared.url
  }
  const server = await startPostgresServer()
  ends.push(server.stop)
  const own = await createDatabase(server.url('postgres'))
  return own.url
}
