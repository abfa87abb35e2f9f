import type { QueryConfig } from 'pg'
import { createDb, type Db, postgresKind, type Query, type Rows } from '../../../rows/db.ts'
import { answersOf, inGroups, type Joined, joinedOf } from './joinedStatements.ts'
import type { PostgresSession } from './session.ts'

/**
 * Runs `work` with a `db` that refuses everything afterwards: one transaction cannot use the next one. After a failed
 * statement the transaction is lost: `lend` rejects with its failure, even if `work` hid it.
 */
export async function lend<Result>(session: PostgresSession, work: (db: Db) => Promise<Result>): Promise<Result> {
  const statements = createStatements(session)
  try {
    const result = await work(createDb(postgresKind, statements.run))
    statements.refuseWhenLost()
    return result
  } catch (error) {
    statements.refuseWhenLost()
    throw error
  } finally {
    statements.end()
  }
}

interface Waiting {
  readonly query: Query
  readonly resolve: (result: Rows) => void
  readonly reject: (error: unknown) => void
}

interface Statements {
  run(query: Query, isApart?: boolean): Promise<Rows>
  refuseWhenLost(): void
  /** Later statements are refused. */
  end(): void
}

function createStatements(session: PostgresSession): Statements {
  let isOver = false
  /** Those of this moment that are apart. */
  let waiting: Waiting[] = []
  /** Of the first statement that failed: the server refuses all later ones. */
  let lost: { readonly failure: unknown } | undefined

  function refuseWhenLost(): void {
    if (lost !== undefined) throw lost.failure
  }

  function sendWaiting(): void {
    const all = waiting
    waiting = []
    for (const some of inGroups(all))
      askJoined(some.map(({ query }) => query)).then(
        (answers) => {
          for (const [at, { resolve }] of some.entries()) resolve(answers[at] ?? { columns: [], rows: [], changed: 0 })
        },
        (error: unknown) => {
          for (const { reject } of some) reject(error)
        },
      )
  }

  async function askJoined(queries: readonly Query[]): Promise<readonly Rows[]> {
    const [only, ...others] = queries
    if (only !== undefined && others.length === 0) return [await session.ask(textOf(only))]
    const { rows } = await session.ask(namedText(joinedOf(queries)))
    return answersOf(queries, rows[0])
  }

  /** All of this moment are asked for when the promises of this turn have run. */
  function askApart(query: Query): Promise<Rows> {
    if (waiting.length === 0) process.nextTick(sendWaiting)
    return new Promise((resolve, reject) => waiting.push({ query, resolve, reject }))
  }

  return {
    async run(query, isApart = false) {
      if (isOver) throw new Error('The transaction is over')
      refuseWhenLost()
      try {
        return await (isApart ? askApart(query) : session.ask(textOf(query)))
      } catch (failure) {
        lost ??= { failure }
        throw lost.failure
      }
    },
    refuseWhenLost,
    end() {
      isOver = true
    },
  }
}

/** Texts of queries are few and fixed. This bounds the memory if a mistake adds more. */
const MAX_NAMES = 512
const names = new Map<string, string>()

/** The server plans a named statement once per connection. Migrations have no names: they run once. */
function textOf(query: Query): QueryConfig {
  if (query.query.kind === 'RawNode') return { text: query.sql, values: [...query.parameters] }
  return namedText(query)
}

function namedText({ sql: text, parameters }: Joined): QueryConfig {
  const values = [...parameters]
  const name = names.get(text) ?? `blindkeep_${names.size + 1}`
  if (!names.has(text)) {
    if (names.size >= MAX_NAMES) return { text, values }
    names.set(text, name)
  }
  return { name, text, values }
}
