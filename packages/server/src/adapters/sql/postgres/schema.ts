import { setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable } from '../../../ports/store.ts'
import { postgresDialect } from '../../../rows/dialects.ts'
import {
  type Migration,
  migrate,
  migrations,
  requireMigrated,
  requireServing,
  type SchemaState,
  stateOf,
} from '../migrations/migrations.ts'
import { requireOwnPostgres } from '../migrations/ownSchema.ts'
import { tablesOfRelease } from '../migrations/tables.ts'
import { createConnections } from './connections.ts'
import { createPostgresHealth, type PostgresHealth } from './health.ts'
import { lend } from './loan.ts'
import type { PostgresSession } from './session.ts'
import { commit } from './transactions.ts'
import { refuseUnfinished } from './unfinished.ts'

/**
 * What a process does about the schema.
 * - migrate: brings it up to date.
 * - serve: makes the tables of an empty database. Otherwise changes nothing, and accepts a newer schema that serves
 *   this release.
 * - asItIs: changes nothing, and accepts exactly this release's schema.
 */
export type SchemaUse = 'migrate' | 'serve' | 'asItIs'

/** One statement may have to read a large table, or wait until another process has migrated. */
const MIGRATION_TIMEOUT_MS = 3_600_000
/** While a statement waits for a table, all later users of the table wait behind it. */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000
/** For a question that reads a few rows. */
const ANSWER_TIMEOUT_MS = 30_000
const MAX_ATTEMPTS = 10
const PAUSE_MS = 3_000

/** An advisory lock. The first number stands for Blindkeep. */
const MIGRATION_LOCK = '1651207790, 1'

export class PostgresEmpty extends Error {
  override readonly name = 'PostgresEmpty'
}

export async function preparePostgres(options: {
  readonly url: string
  readonly health: PostgresHealth
  readonly schema: SchemaUse
  readonly known?: readonly Migration[]
}): Promise<void> {
  const { url, health, schema, known = migrations } = options
  const isEmpty = await firstLook({ url, health })
  const connection = createConnections({ url, health, answerTimeoutMs: MIGRATION_TIMEOUT_MS, connectionsMax: 1 })
  try {
    if (isEmpty && schema === 'asItIs')
      throw new PostgresEmpty('the database is empty: start the server once, or set DATABASE_URL to that of a server')
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await connection.use((session) =>
          inTransaction(session, ({ kysely: db }) => {
            if (isEmpty || schema === 'migrate') return migrate(db, postgresDialect, known)
            return schema === 'serve' ? requireServing(db, known) : requireMigrated(db, known)
          }),
        )
      } catch (error) {
        // A transaction uses a table that a statement has to change. Nothing was changed.
        if (!(error instanceof StorageUnavailable) || attempt === MAX_ATTEMPTS) throw error
        await wait(PAUSE_MS)
      }
    }
  } finally {
    await connection.end()
  }
}

/** Whether the database is empty. Refuses an unusable one. A silent server delays less than a migration may. */
async function firstLook(at: { readonly url: string; readonly health: PostgresHealth }): Promise<boolean> {
  const connection = createConnections({ ...at, answerTimeoutMs: ANSWER_TIMEOUT_MS, connectionsMax: 2 })
  try {
    await connection.use(refuseWithoutSync)
    await connection.use((one) => connection.use((two) => refuseMixedSessions(one, two)))
    await connection.use(refuseUnfinished)
    return await connection.use(lacksOurTables)
  } finally {
    await connection.end()
  }
}

/** Throws `ForeignSchema` if something foreign acts in the server's statements at `url`. An empty one passes. */
export async function checkPostgresSchema(url: string): Promise<void> {
  await asked(url, (session) => lend(session, ({ kysely }) => requireOwnPostgres(kysely)))
}

/** Whether a server has made its keys in the database at `url`. Changes nothing. Throws as `postgresSchema`. */
export async function isPostgresOfServer(url: string): Promise<boolean> {
  return asked(url, async (session) => {
    await refuseUnfinished(session)
    if (await lacksOurTables(session)) return false
    const { rows } = await session.ask({ text: `select name from server_facts where name = 'token_key'` })
    return rows.length > 0
  })
}

/** How far the database at `url` is. Changes nothing. Throws for people: other software's, or half restored. */
export async function postgresSchema(url: string): Promise<SchemaState> {
  return asked(url, async (session) => {
    await refuseUnfinished(session)
    if (await lacksOurTables(session)) return { done: 0, serves: 0 }
    return lend(session, ({ kysely }) => stateOf(kysely))
  })
}

async function asked<Answer>(url: string, question: (session: PostgresSession) => Promise<Answer>): Promise<Answer> {
  const health = createPostgresHealth()
  const connection = createConnections({ url, health, answerTimeoutMs: ANSWER_TIMEOUT_MS, connectionsMax: 1 })
  try {
    return await connection.use(question)
  } finally {
    await connection.end()
  }
}

async function refuseWithoutSync(session: PostgresSession): Promise<void> {
  const { rows } = await session.ask({ text: 'show fsync' })
  if (rows[0]?.[0] === 'on') return
  throw new Error('The PostgreSQL server runs with fsync = off and would lose acknowledged writes: set it to on.')
}

/** A pooler with a session for each transaction mixes up our connections' settings and prepared statements. */
async function refuseMixedSessions(one: PostgresSession, two: PostgresSession): Promise<void> {
  await one.control(`set blindkeep.connection = 'one'`)
  await two.control(`set blindkeep.connection = 'two'`)
  const { rows } = await one.ask({ text: `select current_setting('blindkeep.connection', true)` })
  if (rows[0]?.[0] === 'one') return
  throw new Error(
    'A pooler in front of PostgreSQL does not keep sessions. Set its pool mode to session, or let DATABASE_URL lead to PostgreSQL itself.',
  )
}

/** Whether tables must be made. Throws for people if other software has one of the same name. */
async function lacksOurTables(session: PostgresSession): Promise<boolean> {
  const names = ['migrations', ...tablesOfRelease().map(({ name }) => name)]
  const { rows } = await session.ask({
    text: `select name, exists (select from pg_attribute where attrelid = to_regclass(name) and attname = 'number')
      from unnest($1::text[]) as names(name) where to_regclass(name) is not null`,
    values: [names],
  })
  if (rows.some(([name, hasNumber]) => name === 'migrations' && hasNumber === true)) return false
  const foreign = rows[0]?.[0]
  if (foreign === undefined) return true
  throw new Error(`The database has a table ${foreign} of other software. Give Blindkeep a database of its own.`)
}

/** Waits while another process migrates. This isolation level shows each statement what that one has done. */
async function inTransaction(session: PostgresSession, work: Parameters<typeof lend<void>>[1]): Promise<void> {
  try {
    await session.begin(`isolation level read committed, read write; set local lock_timeout = ${MIGRATION_TIMEOUT_MS}`)
    await session.control(
      `select pg_advisory_xact_lock(${MIGRATION_LOCK}); set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`,
    )
    await lend(session, work)
    await commit(session)
  } finally {
    void session.rollBack()
  }
}
