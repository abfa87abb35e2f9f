import type { Kysely } from 'kysely'
import type { PostgresConnections } from './postgresConnections.ts'
import { Overtaken, type PostgresHealth } from './postgresHealth.ts'
import { lend } from './postgresLoan.ts'
import type { PostgresSession } from './postgresSession.ts'
import { isRefusal } from './refusal.ts'
import type { Schema } from './schema.ts'

type Work<Result> = (db: Kysely<Schema>) => Promise<Result>

/** All that `work` reads is of one instant, and the server refuses every change. */
export async function inSnapshot<Result>(session: PostgresSession, work: Work<Result>): Promise<Result> {
  try {
    await session.begin('isolation level repeatable read, read only')
    return await lend(session, work)
  } finally {
    await session.rollBack()
  }
}

/** The first attempt runs beside others, the second alone, so that no other can overtake it; the third is for a deadlock with other software. */
const MAX_ATTEMPTS = 3

/**
 * Runs `work` in a serializable transaction, and again if another transaction overtook it. Resolves when the commit is on disk.
 * Throws `StoreBroken` if it is unknown whether the commit happened: see `commit`.
 */
export async function inWrite<Result>(
  parts: { readonly connections: PostgresConnections; readonly health: PostgresHealth },
  work: Work<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await parts.connections.use((session) =>
        attemptWrite({ session, health: parts.health, alone: attempt > 1 }, work),
      )
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

interface Attempt {
  readonly session: PostgresSession
  readonly health: PostgresHealth
  readonly alone: boolean
}

async function attemptWrite<Result>({ session, health, alone }: Attempt, work: Work<Result>): Promise<Result> {
  try {
    await session.begin(`isolation level serializable, read write; ${lock(alone)}`)
    const result = await lend(session, work)
    if (!isRefusal(result)) await commit(session, health)
    return result
  } finally {
    await session.rollBack()
  }
}

/**
 * `row exclusive` is the shared mode: ordinary transactions hold it together. `share row exclusive` is the exclusive mode: it conflicts with itself and with
 * `row exclusive`, in every process, so no other transaction can overtake the one that holds it. The lock comes before the first query, because the first
 * query takes the snapshot. It is on `migrations`, the one table that no `work` uses.
 */
function lock(alone: boolean): string {
  return `lock table migrations in ${alone ? 'share row exclusive' : 'row exclusive'} mode`
}

/**
 * If the server refuses to commit and still answers, nothing was changed. If it does not answer, it may have committed or not. The server must not act as if
 * either were certain, so the store is broken: the process ends, and its next start continues from what the database has then, as after a crash.
 */
export async function commit(session: PostgresSession, health: PostgresHealth): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    if (await session.rollBack()) throw error
    throw health.breakWith('Whether the database has committed is unknown', error)
  }
}
