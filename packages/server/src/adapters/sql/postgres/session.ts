import {
  type ClientBase,
  DatabaseError,
  type PoolClient,
  type QueryArrayConfig,
  type QueryArrayResult,
  type QueryConfig,
  type QueryResult,
} from 'pg'
import { StorageUnavailable } from '../../../ports/store.ts'
import type { Rows } from '../../../rows/db.ts'
import { Overtaken, type PostgresHealth } from './health.ts'

/**
 * One connection while it is lent. Statements that do not wait for each other's answers travel together, and run in the
 * order of the calls. Errors are translated by `PostgresHealth.judge`.
 */
export interface PostgresSession {
  ask(query: QueryConfig): Promise<Rows>
  /** Runs a statement that is no query, or several. Answers the last one's command tag, in capitals. */
  control(statements: string): Promise<string>
  /** `how` is the text after `begin`. */
  begin(how: string): Promise<void>
  /** Also rejects if an earlier statement failed, so that there is nothing to commit. */
  commit(): Promise<void>
  /** Ends an uncommitted transaction. Answers whether it is certain that none is left. Never rejects. */
  rollBack(): Promise<boolean>
  /** Ends the loan: later calls reject. Answers, once nothing runs, if it can be lent again. Never rejects. */
  giveBack(): Promise<boolean>
}

/** How long a statement waits for a lock. */
const LOCK_TIMEOUT_MS = 10_000
/**
 * A process that is silent for so long in a transaction loses it: a frozen one must not hold up the others.
 * Less than `IDLE_TIMEOUT_MS` of a node's own connection: none of its transactions outlives its place.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5_000
/** The server cancels a slow statement first. This is for a server that has disappeared. */
const GRACE_MS = 5_000

/**
 * The first statements of a connection: its settings, whatever the server, the role or the URL say: the server answers
 * a commit when it is on disk, and a client that disappears keeps its locks for seconds. Only a transaction that says
 * `read write` can change anything, so a statement whose `begin` was lost is refused. The last one asks which run of
 * the server this is (`serverRunIn`). No table is read from end to end where an index leads to the rows: a plan that
 * was made for a small table is kept while it grows. What has no index seems costly, and would be compiled.
 */
export function startOf(answerTimeoutMs: number): string {
  return `
    set synchronous_commit = on;
    set enable_seqscan = off;
    set jit = off;
    set default_transaction_read_only = on;
    set bytea_output = hex;
    set statement_timeout = ${answerTimeoutMs};
    set lock_timeout = ${LOCK_TIMEOUT_MS};
    set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS};
    set tcp_keepalives_idle = 10;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 4;
    select extract(epoch from pg_postmaster_start_time())::text as run;
  `
}

/** No two runs of a server, or of two servers of one database, begin in the same microsecond. */
export function serverRunIn(answers: QueryResult | readonly QueryResult[]): string {
  // Several statements have several answers, which the types of pg do not express.
  return String([answers].flat().at(-1)?.rows[0]?.run)
}

function rowsIn({ fields, rows, rowCount }: QueryArrayResult): Rows {
  return { columns: fields, rows, changed: rowCount ?? 0 }
}

const lostClients = new WeakSet<ClientBase>()

/**
 * Call it for each new connection, before its first statement: the answer of that one and the end of the connection may
 * arrive together, before the connection is lent.
 */
export function noteLoss(client: ClientBase): void {
  client.on('error', () => lostClients.add(client))
}

export function openSession(
  client: PoolClient,
  { health, answerTimeoutMs }: { readonly health: PostgresHealth; readonly answerTimeoutMs: number },
): PostgresSession {
  let givenBack = false
  /** The server cannot be reached any more, so it is unknown what it did with the last statement. */
  const isLost = () => lostClients.has(client)
  let fit = true
  let begun = false
  const underWay = new Set<Promise<unknown>>()
  let rolledBack: Promise<boolean> | undefined

  const deadline = createDeadline(client, answerTimeoutMs + GRACE_MS, () => underWay.size > 0)

  async function answerTo(query: string | QueryArrayConfig): Promise<QueryResult | readonly QueryResult[]> {
    health.check()
    if (givenBack) throw new Error('The connection was given back')
    if (isLost()) throw new StorageUnavailable('The connection to the database is lost')
    sendTogether(client)
    const answer = client.query(query)
    underWay.add(answer)
    deadline.restart()
    try {
      return await answer
    } catch (error) {
      const judged = judge(error)
      // A failure in a transaction ends with the rollback. Outside of a transaction something may be left.
      if (!begun || (judged instanceof StorageUnavailable && !(judged instanceof Overtaken))) fit = false
      throw judged
    } finally {
      underWay.delete(answer)
    }
  }

  function judge(error: unknown): unknown {
    if (error instanceof DatabaseError) return health.judge(error)
    return isLost() ? new StorageUnavailable('The connection to the database is lost', { cause: error }) : error
  }

  async function control(statements: string): Promise<string> {
    // Several statements have several answers, which the types of pg do not express.
    return [await answerTo(statements)].flat().at(-1)?.command ?? ''
  }

  async function rollBack(): Promise<boolean> {
    if (!begun) return true
    try {
      if (isLost()) return false
      await control('rollback')
      begun = false
      return true
    } catch {
      return false
    }
  }

  return {
    // One statement has one answer.
    ask: async (query) => rowsIn((await answerTo({ ...query, rowMode: 'array' })) as QueryArrayResult),
    control,
    async begin(how) {
      begun = true
      await control(`begin ${how}`)
    },
    async commit() {
      // This commit never reaches the server, which undoes the transaction.
      if (isLost()) begun = false
      const done = await control('commit')
      begun = false
      if (done !== 'COMMIT') throw new Error('The database has undone the transaction')
    },
    rollBack() {
      rolledBack = rollBack()
      return rolledBack
    },
    async giveBack() {
      givenBack = true
      // A lost connection rejects all of them.
      await Promise.allSettled(underWay)
      await rolledBack
      deadline.end()
      return fit && !isLost() && !begun
    },
  }
}

/**
 * Loses the connection, and so rejects all that is under way, if an answer is waited for when the time is over. One
 * timer for all statements of a loan: one for each takes longer than to send it.
 */
function createDeadline({ connection: { stream } }: PoolClient, ms: number, isWaiting: () => boolean) {
  let timer: NodeJS.Timeout | undefined
  return {
    restart() {
      timer ??= setTimeout(() => {
        if (isWaiting()) stream.destroy()
      }, ms)
      timer.refresh()
    },
    end: () => clearTimeout(timer),
  }
}

/** What is asked for in one turn of the event loop leaves in one packet. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}
