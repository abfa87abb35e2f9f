/**
 * What the servers of the suite run on: SQLite and files, PostgreSQL and files, PostgreSQL and an object store, or
 * several nodes on the last, behind a proxy that gives every request to another one. `useBackend` says it in the
 * environment, so that the process of each test file starts its servers on the same.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { Client, types } from 'pg'
import { startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'
import type { CommandOutcome } from './command.ts'
import { startNodes } from './nodes.ts'
import { openObjectStore, type TestObjectStore } from './objectStore.ts'
import { createTestDatabase } from './postgresDatabase.ts'
import { type RunningServer, startServer } from './startServer.ts'

export const BACKENDS = ['sqlite', 'postgres', 'postgres+s3'] as const

export interface Backend {
  readonly on: (typeof BACKENDS)[number]
  /** More than one needs `postgres+s3`. */
  readonly nodes: number
}

/** A test file may have twenty nodes at a time, each with 12. */
const MAX_CONNECTIONS = 600

/** Whether the servers keep their bytes in an object store. */
export const isOnObjectStore = (): boolean => process.env.BLINDKEEP_TEST_BYTES === 's3'

type Settings = Readonly<Record<string, string>>

/** For all servers that are started afterwards. Resolves to what ends it. */
export async function useBackend({ on, nodes }: Backend): Promise<() => Promise<void>> {
  const ends: (() => Promise<unknown>)[] = []
  const end = async () => {
    for (const each of ends.splice(0).reverse()) await each()
  }
  try {
    if (on !== 'sqlite' && process.env.BLINDKEEP_TEST_POSTGRES === undefined) {
      const server = await startPostgresServer({ more: `-c max_connections=${MAX_CONNECTIONS}` })
      ends.push(server.stop)
      process.env.BLINDKEEP_TEST_POSTGRES = server.url('postgres')
    }
    if (on === 'postgres+s3') {
      const { place, stop } = await openObjectStore()
      ends.push(stop)
      // So the test files use the same store, each server below a prefix of its own.
      Object.assign(process.env, place, { BLINDKEEP_TEST_BYTES: 's3' })
    }
    process.env.BLINDKEEP_TEST_NODES = String(nodes)
    return end
  } catch (error) {
    await end()
    throw error
  }
}

/** One server for its clients and its operator, whatever it consists of. */
export interface Served {
  readonly url: string
  /** stdout and stderr of all its processes. */
  log(): string
  /** An operator's command with its settings, and others. */
  command(args: readonly string[], more?: Settings): Promise<CommandOutcome>
  /** Kills all its processes, then starts them with these additional settings. */
  restart(settings: Settings): Promise<void>
  /** Ends all its processes as an operator does. Its data stays. */
  terminate(): Promise<void>
  /** All that it has stored: each file, each value of a row and each object. */
  stored(): Promise<readonly Buffer[]>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

interface ServedOptions {
  readonly env: Settings
  /** `PUBLIC_URL`, if clients are to see another address than the server's own. */
  readonly publicUrl?: string | undefined
  /** One process without a proxy, also where others are several nodes. */
  readonly isAlone?: boolean
}

export async function startServed({ env, publicUrl, isAlone = false }: ServedOptions): Promise<Served> {
  const database = await createTestDatabase()
  const bytes = isOnObjectStore() ? await openObjectStore() : undefined
  const settings = { ...bytes?.env, ...(database !== undefined && { DATABASE_URL: database.url }), ...env }
  const options = { env: settings, ...(publicUrl !== undefined && { publicUrl }) }
  const count = isAlone ? 1 : Number(process.env.BLINDKEEP_TEST_NODES ?? 1)
  const { url, nodes, log, stop } = await (count > 1 ? startNodes({ count, ...options }) : startAlone(options))
  const [first] = nodes
  if (first === undefined) throw new Error('a server has a process')
  const ofAll = (work: (node: RunningServer) => Promise<unknown>) => Promise.all(nodes.map(work))
  return {
    url,
    log,
    command: first.command,
    async restart(more) {
      await ofAll((node) => node.kill9())
      if (bytes !== undefined) await applySettings(first, more)
      await ofAll((node) => node.restart(more))
    },
    async terminate() {
      await ofAll((node) => node.terminate())
    },
    async stored() {
      const files = await Promise.all(nodes.map(({ dataDir }) => filesBelow(dataDir)))
      const values = database === undefined ? [] : await valuesIn(database.url)
      return [...files.flat(), ...values, ...(bytes === undefined ? [] : await objectsIn(bytes))]
    },
    async stop() {
      await stop()
      await database?.drop()
      await bytes?.stop()
    },
  }
}

async function startAlone(options: { readonly env: Settings; readonly publicUrl?: string }) {
  const server = await startServer(options)
  return { ...server, nodes: [server] }
}

/** What all nodes of a server must have equal is in the database, and no start changes it. */
async function applySettings({ command }: RunningServer, settings: Settings): Promise<void> {
  const { status, stderr } = await command(['settings', 'apply'], settings)
  if (status !== 0) throw new Error(`settings apply ended with ${status}: ${stderr}`)
}

async function filesBelow(directory: string): Promise<readonly Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return (await Promise.all(paths.map(readUnlessDeleted))).filter((bytes) => bytes !== undefined)
}

/** The server runs and deletes the bytes of ended uploads, perhaps between the listing and the reading. */
async function readUnlessDeleted(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Not the files of PostgreSQL: they have the rows of other databases, and long values compressed. */
async function valuesIn(url: string): Promise<readonly Buffer[]> {
  const asText = { getTypeParser: (id: number) => (id === types.builtins.BYTEA ? types.getTypeParser(id) : String) }
  const client = new Client({ connectionString: url, types: asText })
  await client.connect()
  try {
    const tables = await client.query(`select tablename from pg_tables where schemaname = 'public'`)
    const values: Buffer[] = []
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query({ text: `select * from "${tablename}"`, rowMode: 'array' })
      for (const value of rows.flat()) if (value !== null) values.push(Buffer.from(value))
    }
    return values
  } finally {
    await client.end()
  }
}

async function objectsIn({ client, bucket, prefix }: TestObjectStore): Promise<readonly Buffer[]> {
  const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }))
  if (IsTruncated) throw new Error('more objects than one page lists')
  return Promise.all(
    Contents.map(async ({ Key }) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    }),
  )
}
