import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** A query that is built and compiled once a store, as building one costs several times what SQLite takes to answer it. */
export interface Prepared<Given, Row> {
  all(db: Kysely<Schema>, given: Given): Promise<readonly Row[]>
  first(db: Kysely<Schema>, given: Given): Promise<Row | undefined>
  /** The number of rows that it inserted, updated or deleted. */
  changed(db: Kysely<Schema>, given: Given): Promise<number>
}

/**
 * `build` describes the query once, before any values are known: each `given.name` stands for what later calls give under that name, so that it can be
 * placed and not looked at. What is given as undefined is bound as NULL.
 */
export function prepared<Given extends object, Row>(
  build: (db: Kysely<Schema>, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  // By the adapter, of which each store has one: two dialects may be open in one process.
  const compiled = new WeakMap<object, CompiledQuery<Row>>()

  function compile(db: Kysely<Schema>): CompiledQuery<Row> {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known !== undefined) return known
    const fresh = build(db, places<Given>()).compile()
    compiled.set(adapter, fresh)
    return fresh
  }

  async function execute(db: Kysely<Schema>, given: Given) {
    const query = compile(db)
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Place ? (Reflect.get(given, parameter.name) ?? null) : parameter,
    )
    return await db.executeQuery<Row>({ ...query, parameters })
  }

  return {
    all: async (db, given) => (await execute(db, given)).rows,
    first: async (db, given) => (await execute(db, given)).rows[0],
    changed: async (db, given) => Number((await execute(db, given)).numAffectedRows ?? 0n),
  }
}

/** Where a value will stand. Kysely takes it for the value itself. */
class Place {
  readonly name: string | symbol
  constructor(name: string | symbol) {
    this.name = name
  }
}

function places<Given extends object>(): Given {
  // The one place where a name poses as a value; its type is the value's, so that Kysely's types judge it.
  return new Proxy({}, { get: (_target, name) => new Place(name) }) as Given
}
