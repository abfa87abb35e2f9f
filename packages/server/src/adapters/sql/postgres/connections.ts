import { type ClientBase, Pool, type PoolClient } from 'pg'
import { type Connections, StorageUnavailable } from '../../../ports/store.ts'
import { MAX_WAITING } from '../shared/turns.ts'
import type { PostgresHealth } from './health.ts'
import { connectionError } from './login.ts'
import { noteLoss, openSession, type PostgresSession, serverRunIn, startOf } from './session.ts'
import { typesOfPort } from './types.ts'

/** Connections to one database. They open as they are needed. */
export interface PostgresConnections {
  /** Lends a connection to `work` alone, until all answers have arrived. Closes a lost or doubtful one. */
  use<Result>(work: (session: PostgresSession) => Promise<Result>): Promise<Result>
  count(): Connections
  /** Closes all connections, after every `work` has ended. */
  end(): Promise<void>
}

/** How long a call waits for a connection, a new one or one that others use. */
const CONNECTION_TIMEOUT_MS = 10_000

export function createConnections(options: {
  readonly url: string
  readonly health: PostgresHealth
  readonly connectionsMax: number
  /** How long to wait for each answer of the server. */
  readonly answerTimeoutMs: number
  /** Hears of each connection which run of the server it leads to, before the connection is used. */
  readonly onOpen?: (serverRun: string) => void
}): PostgresConnections {
  const { health, answerTimeoutMs, onOpen } = options
  const pool = new Pool({
    connectionString: options.url,
    fallback_application_name: 'blindkeep',
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    types: typesOfPort,
    onConnect: async (client: ClientBase) => {
      noteLoss(client)
      const answers = await withinTime(client.query(startOf(answerTimeoutMs)), answerTimeoutMs)
      onOpen?.(serverRunIn(answers))
    },
  })
  // A lost idle connection is only replaced. Without a listener its error would end the process.
  pool.on('error', () => undefined)

  async function connect(): Promise<PoolClient> {
    if (pool.waitingCount >= MAX_WAITING) throw new StorageUnavailable('Too many requests wait for the database')
    try {
      return await pool.connect()
    } catch (error) {
      throw connectionError(error, health)
    }
  }

  return {
    async use(work) {
      const client = await connect()
      const session = openSession(client, { health, answerTimeoutMs })
      try {
        return await work(session)
      } finally {
        // The caller need not wait for a rollback.
        void session.giveBack().then((isFit) => client.release(!isFit))
      }
    },
    count: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  }
}

/** After a timeout the caller must not use the connection again: the answer may still arrive. */
function withinTime<Result>(answer: Promise<Result>, timeoutMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
