import type { Kysely } from 'kysely'
import { type Locks, OutcomeUnknown } from '../../ports/store.ts'
import type { PostgresConnections } from './postgresConnections.ts'
import { Overtaken } from './postgresHealth.ts'
import { lend } from './postgresLoan.ts'
import { lockStatements } from './postgresLocks.ts'
import type { PostgresSession } from './postgresSession.ts'
import { isRefusal } from './refusal.ts'
import type { Schema } from './schema.ts'

type Work<Result> = (db: Kysely<Schema>) => Promise<Result>

/**
 * All that `work` reads is of one instant, and the server refuses every change. Waits only for the answers that `work` waits for: without its `begin` a
 * statement would still only read, and the failure of the `begin` is the result.
 */
export async function inSnapshot<Result>(session: PostgresSession, work: Work<Result>): Promise<Result> {
  const begun = session.begin('isolation level repeatable read, read only')
  const result = lend(session, work)
  try {
    await Promise.all([begun, result])
    return await result
  } finally {
    void session.rollBack()
  }
}

/** A deadlock with other software is the only reason to try again. */
const MAX_ATTEMPTS = 3

/** Runs `work` while the transaction holds `locks`. Resolves when the commit is on disk. Throws `OutcomeUnknown`: see `commit`. */
export async function inWrite<Result>(
  { connections, locks }: { readonly connections: PostgresConnections; readonly locks: Locks },
  work: Work<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connections.use((session) => attemptWrite(session, locks, work))
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Waits for the `begin`: if it was lost, each statement would be a transaction of its own. */
async function attemptWrite<Result>(session: PostgresSession, locks: Locks, work: Work<Result>): Promise<Result> {
  try {
    await session.begin(`isolation level read committed, read write${lockStatements(locks)}`)
    const result = await lend(session, work)
    if (!isRefusal(result)) await commit(session)
    return result
  } finally {
    void session.rollBack()
  }
}

/** If the server refuses to commit and still answers, nothing was changed. If it does not answer, it may have committed or not: `OutcomeUnknown`. */
export async function commit(session: PostgresSession): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    if (await session.rollBack()) throw error
    throw new OutcomeUnknown('Whether the database has committed is unknown', { cause: error })
  }
}
