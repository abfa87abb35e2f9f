import { DatabaseError, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import { StorageUnavailable } from '../../ports/store.ts'
import { Overtaken, type PostgresHealth } from './postgresHealth.ts'

/** One connection while it is lent. What it rejects with is judged. */
export interface PostgresSession {
  ask(query: QueryConfig): Promise<QueryResult>
  /** For what is no query: one statement, or several with semicolons between them. Answers what the last of them did, in capitals. */
  control(statements: string): Promise<string>
  /** `how` is what follows `begin`. */
  begin(how: string): Promise<void>
  /** Rejects also when there was nothing left to commit, as a statement had failed before. */
  commit(): Promise<void>
  /** Ends a transaction that was begun and not committed. Whether there is none for sure. Never rejects. */
  rollBack(): Promise<boolean>
  /** After this nothing reaches the server. Whether the connection is fit to be lent again. */
  giveBack(): boolean
}

/** How long others are waited for who hold a lock. */
const lockTimeoutMs = 10_000
/** A process that stands still in the midst of a transaction loses it, and its locks. */
const idleInTransactionTimeoutMs = 30_000
/** The server gives up a statement first; this is for one that is not there any more. */
const graceMs = 5_000

/**
 * What each connection starts with, whatever the server, the role or the URL say: a commit is answered when it is on disk, and a client that is gone
 * without a word holds its locks for half a minute at most.
 */
export function startOf(answerTimeoutMs: number): string {
  return `
    set synchronous_commit = on;
    set bytea_output = hex;
    set statement_timeout = ${answerTimeoutMs};
    set lock_timeout = ${lockTimeoutMs};
    set idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs};
    set tcp_keepalives_idle = 10;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 4;
  `
}

export function openSession(
  client: PoolClient,
  options: { readonly health: PostgresHealth; readonly answerTimeoutMs: number },
): PostgresSession {
  const { health, answerTimeoutMs } = options
  let givenBack = false
  /** No word reaches the server any more, so what it did with the last one is unknown. */
  let lost = false
  let fit = true
  let begun = false

  const onError = () => {
    lost = true
  }
  client.on('error', onError)

  async function answerTo(query: string | QueryConfig): Promise<QueryResult | readonly QueryResult[]> {
    health.check()
    if (givenBack) throw new Error('The connection was given back')
    if (lost) throw new StorageUnavailable('The connection to the database is lost')
    try {
      return await withinTime(client.query(query), answerTimeoutMs + graceMs)
    } catch (error) {
      const judged = judge(error)
      // What fails in a transaction goes with it. Outside of one, something may be left behind.
      if (!begun || (judged instanceof StorageUnavailable && !(judged instanceof Overtaken))) fit = false
      throw judged
    }
  }

  function judge(error: unknown): unknown {
    if (error instanceof DatabaseError) return health.judge(error)
    if (error instanceof Unanswered) lost = true
    return lost ? new StorageUnavailable('The connection to the database is lost', { cause: error }) : error
  }

  async function control(statements: string): Promise<string> {
    // Several statements have several answers, of which the types of pg know nothing.
    return [await answerTo(statements)].flat().at(-1)?.command ?? ''
  }

  return {
    // One statement has one answer.
    ask: async (query) => (await answerTo(query)) as QueryResult,
    control,
    async begin(how) {
      begun = true
      await control(`begin ${how}`)
    },
    async commit() {
      // The server never hears of this commit, and undoes what it has heard of.
      if (lost) begun = false
      const done = await control('commit')
      begun = false
      if (done !== 'COMMIT') throw new Error('The database has undone the transaction')
    },
    async rollBack() {
      if (!begun) return true
      try {
        if (lost) return false
        await control('rollback')
        begun = false
        return true
      } catch {
        return false
      }
    },
    giveBack() {
      givenBack = true
      client.removeListener('error', onError)
      return fit && !lost && !begun
    },
  }
}

/** Nobody has answered in time. */
class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

/** Whoever stops waiting here must not use the connection again: the answer may still come. */
export function withinTime<Result>(answer: Promise<Result>, timeoutMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unanswered(`No answer within ${timeoutMs} ms`)), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
