import type { CompiledQuery, QueryResult } from 'kysely'
import type { QueryConfig } from 'pg'
import { createDb, type Db, postgresKind } from './db.ts'
import type { PostgresSession } from './postgresSession.ts'

/**
 * Runs `work` with a `db` that refuses everything afterwards: one transaction cannot use the next one. After a failed statement the transaction is lost:
 * `lend` rejects with its failure, even if `work` hid it.
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

interface Statements {
  run(query: CompiledQuery): Promise<QueryResult<unknown>>
  refuseWhenLost(): void
  /** Later statements are refused. */
  end(): void
}

function createStatements(session: PostgresSession): Statements {
  let isOver = false
  /** Of the first statement that failed: the server refuses all later ones. */
  let lost: { readonly failure: unknown } | undefined

  function refuseWhenLost(): void {
    if (lost !== undefined) throw lost.failure
  }

  return {
    async run(query) {
      if (isOver) throw new Error('The transaction is over')
      refuseWhenLost()
      try {
        const { rows, rowCount } = await session.ask(textOf(query))
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
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

/** The server plans a named statement once per connection. Statements of migrations have no name, because they run once. */
function textOf(query: CompiledQuery): QueryConfig {
  const { sql: text } = query
  const values = [...query.parameters]
  if (query.query.kind === 'RawNode') return { text, values }
  const name = names.get(text) ?? `blindkeep_${names.size + 1}`
  if (!names.has(text)) {
    if (names.size >= MAX_NAMES) return { text, values }
    names.set(text, name)
  }
  return { name, text, values }
}
