import { openClient } from './client.ts'
import { NODE_LOCK } from './nodeConnection.ts'

/** Keeps every node from starting on the database at `url`. Throws an error for people while one runs. */
export async function lockNodes(url: string): Promise<{ release(): Promise<void> }> {
  const client = await openClient(url)
  const { rows } = await client.query(`select pg_try_advisory_lock(${NODE_LOCK}) as locked`)
  if (rows[0]?.locked === true) return { release: () => client.end() }
  await client.end()
  throw new Error(
    'a node serves this database. Stop all nodes first; the connection of one that has died ends after ten seconds.',
  )
}
