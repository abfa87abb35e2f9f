/** Databases on BLINDKEEP_TEST_POSTGRES's server, whose user may create them. `onPostgres.ts` sets it. */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

export interface TestDatabase {
  readonly url: string
  /** Ends all connections to it. */
  drop(): Promise<void>
}

/** Undefined if the tests run on SQLite. */
export async function createTestDatabase(): Promise<TestDatabase | undefined> {
  const server = process.env.BLINDKEEP_TEST_POSTGRES
  return server === undefined ? undefined : createDatabase(server)
}

/** `server` is the URL of any database on it. */
export async function createDatabase(server: string): Promise<TestDatabase> {
  const name = `blindkeep_${randomBytes(8).toString('hex')}`
  await ask(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => ask(server, `drop database if exists ${name} with (force)`) }
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
