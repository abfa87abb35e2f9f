import type { Client } from 'pg'
import { openClient } from './client.ts'
import { NODE_LOCK } from './nodeConnection.ts'

interface NodesLock {
  /** Throws an error for people if the lock was lost: it is of a connection, and ends with it. */
  require(): Promise<void>
  release(): Promise<void>
}

/** Keeps every node from starting on the database at `url`. Throws an error for people while one runs. */
export async function lockNodes(url: string): Promise<NodesLock> {
  const client = await openClient(url)
  const { rows } = await client.query(`select pg_try_advisory_lock(${NODE_LOCK}) as locked`)
  if (rows[0]?.locked === true) return { require: () => requireOpen(client), release: () => client.end() }
  await client.end()
  throw new Error(
    'a node serves this database. Stop all nodes first; the connection of one that has died ends after ten seconds.',
  )
}

async function requireOpen(client: Client): Promise<void> {
  await client.query('select 1').catch((cause: unknown) => {
    throw new Error(
      'the connection to the database was lost meanwhile, so a node may have started. Nothing was changed: run the command again.',
      { cause },
    )
  })
}
