import type { Store } from '../../../ports/store.ts'
import { createReadTx } from '../../../rows/nouns.ts'
import { withCommitSteps } from '../shared/commitSteps.ts'
import { forOneStatement } from '../shared/oneStatement.ts'
import { createConnections, type PostgresConnections } from './connections.ts'
import { createPostgresHealth, type PostgresHealth } from './health.ts'
import { lend } from './loan.ts'
import { lockStatements } from './locks.ts'
import { createLockTurns } from './lockTurns.ts'
import { preparePostgres, type SchemaUse } from './schema.ts'
import { inSnapshot, inWrite } from './transactions.ts'

/** How many transactions run at once. One more connection holds the lock of the receipt log. */
const MAX_CONNECTIONS = 10
const ANSWER_TIMEOUT_MS = 30_000

/** Much more often than a transaction may be idle. */
const SIGN_OF_LIFE_MS = 1_000

/**
 * Opens the database at `url` (`postgresql://…`, https://www.postgresql.org/docs/current/libpq-connect.html) and
 * migrates its schema, unless `schema` asks for less. Several processes may have it open. Connect directly, or through
 * a pooler that keeps sessions: settings and prepared statements belong to a session. Throws `DatabaseTooNew`,
 * `StorageUnavailable` if the server does not answer, and the server's own error if it refuses.
 *
 * If a connection is lost, its call rejects with `StorageUnavailable`, or with `OutcomeUnknown` during the commit. The
 * next call opens another connection.
 */
export async function openPostgresStore(options: {
  readonly url: string
  readonly schema?: SchemaUse
}): Promise<Store> {
  const { url, schema = 'migrate' } = options
  const health = createPostgresHealth()
  await preparePostgres({ url, health, schema })
  const runs = createServerRuns()
  const each = { url, health, answerTimeoutMs: ANSWER_TIMEOUT_MS, onOpen: runs.opened }
  return storeOver({
    health,
    runs,
    connections: createConnections({ ...each, connectionsMax: MAX_CONNECTIONS }),
    lockConnection: createConnections({ ...each, connectionsMax: 1 }),
  })
}

/** Notices that a connection leads to another run of the server than the one that was opened before it. */
function createServerRuns() {
  let last: string | undefined
  const listeners: (() => void)[] = []
  return {
    opened(run: string): void {
      const isOther = last !== undefined && run !== last
      last = run
      if (isOther) for (const listener of listeners) listener()
    },
    onOther(listener: () => void): void {
      listeners.push(listener)
    },
  }
}

interface OpenedDatabase {
  readonly connections: PostgresConnections
  readonly lockConnection: PostgresConnections
  readonly health: PostgresHealth
  readonly runs: ReturnType<typeof createServerRuns>
}

function storeOver({ connections, lockConnection, health, runs }: OpenedDatabase): Store {
  const turns = createLockTurns()
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  function refuseWhenOver(): void {
    health.check()
    if (closed !== undefined) throw new Error('The store is closed')
  }

  /** Runs `work`. `close` waits for it. */
  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    refuseWhenOver()
    const result = work()
    running.add(result)
    try {
      return await result
    } finally {
      running.delete(result)
    }
  }

  async function lockReceiptLog<Result>(work: () => Promise<Result>): Promise<Result> {
    refuseWhenOver()
    return await lockConnection.use(async (session) => {
      // A transaction that loses its connection, or sends nothing for too long, loses its lock. The compare-and-set of
      // the log's head still protects the chain.
      let alive: NodeJS.Timeout | undefined
      try {
        await session.begin(`isolation level read committed, read only${lockStatements(['receipt log'])}`)
        alive = setInterval(() => void session.control('select 1').catch(() => undefined), SIGN_OF_LIFE_MS)
        return await work()
      } finally {
        clearInterval(alive)
        void session.rollBack()
      }
    })
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await Promise.all([connections.end(), lockConnection.end()])
  }

  return {
    mayLoseOutcome: true,
    read: (work) => run(() => connections.use((session) => inSnapshot(session, (db) => work(createReadTx(db))))),
    ask: (work) =>
      run(() => connections.use((session) => lend(session, (db) => work(createReadTx(forOneStatement(db)))))),
    // Asking would take as long as reading.
    look: async () => undefined,
    write: (locks, work) =>
      run(() => withCommitSteps(work, (each) => turns.take(locks, () => inWrite({ connections, locks }, each)))),
    onOtherServer: runs.onOther,
    connections: connections.count,
    withReceiptLogLock: (work) => run(() => turns.take(['receipt log'], () => lockReceiptLog(work))),
    close() {
      closed ??= close()
      return closed
    },
  }
}
