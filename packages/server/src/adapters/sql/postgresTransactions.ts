import type { Kysely } from 'kysely'
import type { PostgresConnections } from './postgresConnections.ts'
import { Overtaken, type PostgresHealth } from './postgresHealth.ts'
import { lend } from './postgresLoan.ts'
import type { PostgresSession } from './postgresSession.ts'
import { isRefusal } from './refusal.ts'
import type { Schema } from './schema.ts'

type Work<Result> = (db: Kysely<Schema>) => Promise<Result>

/** All that `work` reads is of one instant, and the server refuses whatever would change something. */
export async function inSnapshot<Result>(session: PostgresSession, work: Work<Result>): Promise<Result> {
  try {
    await session.begin('isolation level repeatable read, read only')
    return await lend(session, work)
  } finally {
    await session.rollBack()
  }
}

/** The first in company, the second alone, where nobody can be faster; the third for a deadlock with something that is not this software's. */
const MAX_ATTEMPTS = 3

/**
 * Runs `work` in a transaction that is serial with every other, and again when another was faster. Resolves when the commit is on disk.
 * Throws `StoreBroken` when nobody knows whether it is: see `commit`.
 */
export async function inWrite<Result>(
  parts: { readonly connections: PostgresConnections; readonly health: PostgresHealth },
  work: Work<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await parts.connections.use((session) =>
        tryWrite({ session, health: parts.health, alone: tries > 1 }, work),
      )
    } catch (error) {
      if (!(error instanceof Overtaken) || tries === MAX_ATTEMPTS) throw error
    }
  }
}

interface Try {
  readonly session: PostgresSession
  readonly health: PostgresHealth
  readonly alone: boolean
}

async function tryWrite<Result>({ session, health, alone }: Try, work: Work<Result>): Promise<Result> {
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
 * Those who write in company hold the same lock without minding each other; who is alone has it for itself, in this process and every other, and
 * cannot be overtaken. The lock comes before the first question, with which the snapshot is taken. Of all tables `migrations` is the one that no work
 * touches.
 */
function lock(alone: boolean): string {
  return `lock table migrations in ${alone ? 'share row exclusive' : 'row exclusive'} mode`
}

/**
 * When the server refuses to commit and goes on talking, nothing was changed. When it falls silent, it may have committed or not: it was stopped in the
 * midst of a commit, or the network was. Nobody may act as if either were so, therefore the store is broken: the process ends, and its next start goes
 * by what the database says then, as after a crash.
 */
export async function commit(session: PostgresSession, health: PostgresHealth): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    if (await session.rollBack()) throw error
    throw health.breakWith('Whether the database has committed is unknown', error)
  }
}
