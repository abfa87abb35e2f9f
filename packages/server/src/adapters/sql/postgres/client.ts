import { Client } from 'pg'
import { connectionError } from './login.ts'
import { typesOfPort } from './types.ts'

/**
 * Values and durability depend on these settings, whatever the server, the role or the URL say. The connection is idle
 * for as long as the other side takes to compare a large table.
 */
const START = `
  set synchronous_commit = on;
  set bytea_output = hex;
  set statement_timeout = 0;
  set lock_timeout = 10000;
  set idle_in_transaction_session_timeout = 0;
`

export async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, fallback_application_name: 'blindkeep', types: typesOfPort })
  // A connection that is lost between two statements rejects the next one.
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw connectionError(error)
  })
  await client.query(START)
  return client
}

/** Runs `work` over a connection of its own. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await openClient(url)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
