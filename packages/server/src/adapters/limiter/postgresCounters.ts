/** Connections for counts of several processes. A crash may lose the last moments: no commit waits for the disk. */
import { DatabaseError, Pool, type PoolClient, type QueryResult } from 'pg'
import { StorageUnavailable } from '../../ports/store.ts'

export interface Counters {
  /** Runs one statement, as a transaction. Throws `StorageUnavailable` if the database does not answer. */
  ask(text: string, values: readonly unknown[]): Promise<QueryResult>
  /** The same. Undefined if the statement divided by zero, so that it changed nothing. */
  askUnlessZero(text: string, values: readonly unknown[]): Promise<QueryResult | undefined>
  end(): Promise<void>
}

const MAX_CONNECTIONS = 4
/** SQLSTATE. */
const DIVISION_BY_ZERO = '22012'
const CONNECTION_TIMEOUT_MS = 10_000
/** Each statement takes a millisecond. This is for a server that has disappeared. */
const ANSWER_TIMEOUT_MS = 10_000

/** No table is read from end to end: see `startOf` of `adapters/sql/postgres/session.ts`. */
const START = `
  set synchronous_commit = off;
  set enable_seqscan = off;
  set jit = off;
  set statement_timeout = ${ANSWER_TIMEOUT_MS};
  set idle_in_transaction_session_timeout = 5000;
`

export function openCounters({ url }: { readonly url: string }): Counters {
  const pool = new Pool({
    connectionString: url,
    fallback_application_name: 'blindkeep limits',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS + 1000,
    keepAlive: true,
    pipeline: true,
    onConnect: async (client) => void (await client.query(START)),
  })
  // A lost idle connection is only replaced. Without a listener its error would end the process.
  pool.on('error', () => undefined)

  /** A connection whose last answer is unknown is not used again. */
  async function use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    let client: PoolClient | undefined
    try {
      client = await pool.connect()
      client.on('error', ignore)
      const result = await work(client)
      release(client, false)
      return result
    } catch (error) {
      if (client !== undefined) release(client, true)
      throw new StorageUnavailable('The database cannot be used for counts now', { cause: error })
    }
  }

  return {
    ask: (text, values) => use((client) => client.query(named(text, values))),
    askUnlessZero: (text, values) =>
      use((client) =>
        client.query(named(text, values)).catch((error: unknown) => {
          if (error instanceof DatabaseError && error.code === DIVISION_BY_ZERO) return undefined
          throw error
        }),
      ),
    end: () => pool.end(),
  }
}

function ignore(): void {}

function release(client: PoolClient, isBroken: boolean): void {
  client.removeListener('error', ignore)
  client.release(isBroken)
}

const names = new Map<string, string>()

/** The server plans a named statement once per connection. The texts are few and fixed. */
function named(text: string, values: readonly unknown[]) {
  const name = names.get(text) ?? `blindkeep_count_${names.size + 1}`
  names.set(text, name)
  return { name, text, values: [...values] }
}
