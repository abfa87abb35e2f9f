/** Several nodes on one database and one object store, each behind its failing proxy, seen through one address. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { Client } from 'pg'
import { type ObjectStoreProxy, startObjectStoreProxy } from '../../testing/faultProxy/objectStore.ts'
import { type Nodes, startNodes } from '../../testing/nodes.ts'
import { openObjectStore, type TestObjectStore } from '../../testing/objectStore.ts'
import type { RunningServer } from '../../testing/startServer.ts'
import { type FaultyDatabase, openFaultyDatabase } from '../database/database.ts'
import { FAULT_ENV } from '../harness/load.ts'
import type { Oracle } from '../harness/oracle.ts'
import { copyPostgres } from '../harness/postgresCopy.ts'
import { rowsOf } from '../harness/rows.ts'

export interface Cluster {
  readonly nodes: Nodes
  readonly database: FaultyDatabase
  readonly objects: ObjectStoreProxy
  /** All nodes as one server. `terminate` and `stop` mean all of them. */
  readonly server: RunningServer
  /** `fsck --deep` on the first node's machine, and the keys of the store against the rows. */
  readonly oracle: Oracle
  /** How many objects the database names. */
  countObjects(): Promise<number>
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly count: number
  readonly env?: Readonly<Record<string, string>>
}

export async function openCluster(options: ClusterOptions): Promise<Cluster | { readonly missing: string }> {
  const database = await openFaultyDatabase()
  if ('missing' in database) return database
  const ends: (() => Promise<unknown>)[] = [database.stop]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const store = await openObjectStore()
    ends.push(store.stop)
    const objects = await startObjectStoreProxy(endpointIn(store))
    ends.push(objects.close)
    const nodes = await startNodes({
      count: options.count,
      blobs: { ...store.env, BLOBS_URL: through(store, objects) },
      databaseUrl: database.url,
      env: { ...FAULT_ENV, ...options.env },
    })
    ends.push(nodes.stop)
    const server = asOneServer(nodes, stop)
    const rows = <Result>(read: (database: DatabaseSync) => Result) => withRows(database.directUrl, read)
    const oracle = createClusterOracle(nodes, store, rows)
    return { nodes, database, objects, server, oracle, countObjects: () => countObjects(database.directUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function endpointIn({ env }: TestObjectStore): string {
  const endpoint = new URL(env.BLOBS_URL ?? '').searchParams.get('endpoint')
  if (endpoint === null) throw new Error('the store has no endpoint')
  return endpoint
}

function through({ env }: TestObjectStore, { endpoint }: ObjectStoreProxy): string {
  const url = new URL(env.BLOBS_URL ?? '')
  url.searchParams.set('endpoint', endpoint)
  return url.href
}

function asOneServer({ url, nodes, log }: Nodes, stop: () => Promise<void>): RunningServer {
  const [first] = nodes
  if (first === undefined) throw new Error('a cluster has nodes')
  const startedAt = performance.now()
  const terminate = async () => {
    const codes = await Promise.all(nodes.map((node) => node.terminate()))
    return codes.find((code) => code !== 0) ?? 0
  }
  return {
    ...first,
    url,
    log,
    isRunning: () => nodes.every((node) => node.isRunning()),
    uptimeMs: () => performance.now() - startedAt,
    terminate,
    async stop() {
      await stop()
      return 0
    },
  }
}

type WithRows = <Result>(read: (database: DatabaseSync) => Result) => Promise<Result>

async function withRows<Result>(url: string, read: (database: DatabaseSync) => Result): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-rows-'))
  try {
    const path = join(directory, 'copy.sqlite')
    await copyPostgres(url, path)
    const database = new DatabaseSync(path)
    try {
      return read(database)
    } finally {
      database.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function countObjects(url: string): Promise<number> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ found: string }>('select count(*) as found from objects')
    return Number(rows[0]?.found)
  } finally {
    await client.end()
  }
}

function createClusterOracle({ nodes }: Nodes, store: TestObjectStore, rows: WithRows): Oracle {
  return {
    async examine({ isSwept = false, also = () => [] } = {}) {
      const [node] = nodes
      const checked = await node?.command(['fsck', '--deep'])
      const found = checked?.status === 0 ? [] : [`fsck: ${checked?.stdout}${checked?.stderr}`]
      // Before the rows: a key has its row before its first byte, and loses it after its last. And after them: nodes
      // that run may have joined parts.
      const before = await keysIn(store)
      const [parts, others] = await rows((database) => [
        partsIn(database),
        [...(isSwept ? leftOver(database) : []), ...also(database)],
      ])
      const after = await keysIn(store)
      return [...found, ...keyFaults(parts, { before, after }), ...others]
    },
  }
}

async function keysIn({ client, bucket, prefix }: TestObjectStore): Promise<readonly string[]> {
  const keys: string[] = []
  for (let token: string | undefined; ; ) {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) }),
    )
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length)))
    token = page.NextContinuationToken
    if (token === undefined) return keys
  }
}

type Parts = ReadonlyMap<string, string>

/** The states by the keys. */
function partsIn(database: DatabaseSync): Parts {
  return new Map(rowsOf(database, `select key, state from parts`).map((row) => [row.text('key'), row.text('state')]))
}

interface Listings {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Every key has a row, and every kept part has its key. */
function keyFaults(parts: Parts, { before, after }: Listings): readonly string[] {
  const present = new Set([...before, ...after])
  const unknown = before.filter((key) => !key.startsWith('blindkeep-') && key !== 'witness' && !parts.has(key))
  const missing = [...parts].filter(([key, state]) => state === 'kept' && !present.has(key))
  return [
    ...unknown.map((key) => `the store has a key without a row: ${key}`),
    ...missing.map(([key]) => `a kept part has no key in the store: ${key}`),
  ]
}

function leftOver(database: DatabaseSync): readonly string[] {
  const stuck = rowsOf(database, `select upload_id, state from uploads where state in ('open', 'finishing')`)
  const objects = rowsOf(database, `select location, state from objects where state not in ('kept', 'staged')`)
  return [
    ...stuck.map((row) => `a session is still ${row.text('state')}: ${row.text('upload_id')}`),
    ...objects.map((row) => `a sweep has left an object that is ${row.text('state')}: ${row.text('location')}`),
  ]
}
