import { type ClientBase, DatabaseError, Pool, type PoolClient } from 'pg'
import { StorageUnavailable } from '../../ports/store.ts'
import type { PostgresHealth } from './postgresHealth.ts'
import { openSession, type PostgresSession, startOf, withinTime } from './postgresSession.ts'
import { typesOfPort } from './postgresTypes.ts'
import { MAX_WAITING } from './turns.ts'

/** Connections to one database, opened as they are needed. */
export interface PostgresConnections {
  /** Lends one connection to `work`, for itself alone. One that was lost or left in doubt is closed afterwards. */
  use<Result>(work: (session: PostgresSession) => Promise<Result>): Promise<Result>
  /** After all that was lent has come back. */
  end(): Promise<void>
}

/** For a connection, be it a new one or one that others use. */
const connectionTimeoutMs = 10_000

export function createConnections(options: {
  readonly url: string
  readonly health: PostgresHealth
  readonly connectionsMax: number
  /** For one answer of the server. */
  readonly answerTimeoutMs: number
}): PostgresConnections {
  const { health, answerTimeoutMs } = options
  const pool = new Pool({
    connectionString: options.url,
    fallback_application_name: 'blindkeep',
    max: options.connectionsMax,
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    types: typesOfPort,
    onConnect: (client: ClientBase) => withinTime(client.query(startOf(answerTimeoutMs)), answerTimeoutMs),
  })
  // An idle connection that is lost is only replaced; without a listener it would end the process.
  pool.on('error', () => undefined)

  async function connect(): Promise<PoolClient> {
    if (pool.waitingCount >= MAX_WAITING) throw new StorageUnavailable('Too many wait for the database')
    try {
      return await pool.connect()
    } catch (error) {
      const judged = health.judge(error)
      // The server's own word, a wrong password say, is no passing failure. Everything else is that there was no server to answer.
      if (judged !== error || error instanceof DatabaseError) throw judged
      throw new StorageUnavailable('The database cannot be reached', { cause: error })
    }
  }

  return {
    async use(work) {
      const client = await connect()
      const session = openSession(client, { health, answerTimeoutMs })
      try {
        return await work(session)
      } finally {
        client.release(!session.giveBack())
      }
    },
    end: () => pool.end(),
  }
}
