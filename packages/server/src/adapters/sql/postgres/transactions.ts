import { isRefused, type Locks, OutcomeUnknown } from '../../../ports/store.ts'
import type { Db } from '../../../rows/db.ts'
import type { PostgresConnections } from './connections.ts'
import { Overtaken } from './health.ts'
import { lend } from './loan.ts'
import { lockStatements } from './locks.ts'
import type { PostgresSession } from './session.ts'

type Work<Result> = (db: Db) => Promise<Result>

/** All that `work` reads is of one instant, and the server refuses every change. */
export async function inSnapshot<Result>(session: PostgresSession, work: Work<Result>): Promise<Result> {
  try {
    return await begunWith(session, 'isolation level repeatable read, read only', work)
  } finally {
    void session.rollBack()
  }
}

/**
 * The first statements of `work` travel with the `begin` and run after it. The failure of the `begin` is the result:
 * without it the server refuses every change (see `startOf`).
 */
async function begunWith<Result>(session: PostgresSession, how: string, work: Work<Result>): Promise<Result> {
  const begun = session.begin(how)
  const result = lend(session, work)
  await Promise.all([begun, result])
  return await result
}

/** A deadlock with other software is the only reason to try again. */
const MAX_ATTEMPTS = 3

/** Runs `work` under `locks`. Resolves when the commit is on disk. Throws `OutcomeUnknown`: see `commit`. */
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

async function attemptWrite<Result>(session: PostgresSession, locks: Locks, work: Work<Result>): Promise<Result> {
  try {
    const how = `isolation level read committed, read write${lockStatements(locks)}`
    const result = await begunWith(session, how, work)
    if (!isRefused(result)) await commit(session)
    return result
  } finally {
    void session.rollBack()
  }
}

/** A refused commit with an answer changed nothing. Without an answer it may have committed: `OutcomeUnknown`. */
export async function commit(session: PostgresSession): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    if (await session.rollBack()) throw error
    throw new OutcomeUnknown('Whether the database has committed is unknown', { cause: error })
  }
}
