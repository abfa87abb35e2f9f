import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Db } from './db.ts'
import type { Schema } from './schema.ts'

/** A query that is built and compiled once per store: building it takes several times longer than SQLite needs to answer it. */
export interface Prepared<Given, Row> {
  all(db: Db, given: Given): Promise<readonly Row[]>
  first(db: Db, given: Given): Promise<Row | undefined>
  /** The number of rows that it inserted, updated or deleted. */
  changed(db: Db, given: Given): Promise<number>
}

/**
 * `build` describes the query once, before any values are known. Each `given.name` is a placeholder for the value that later calls pass under that name:
 * `build` can put it into the query, but not read it. An undefined value is bound as NULL.
 */
export function prepared<Given extends object, Row>(
  build: (db: Kysely<Schema>, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  // A process may have databases of both kinds open.
  const compiled = new WeakMap<Db['kind'], CompiledQuery<Row>>()

  function compile({ kind, kysely }: Db): CompiledQuery<Row> {
    const fresh = build(kysely, places<Given>()).compile()
    compiled.set(kind, fresh)
    return fresh
  }

  async function execute(db: Db, given: Given): Promise<QueryResult<Row>> {
    const query = compiled.get(db.kind) ?? compile(db)
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Place ? (Reflect.get(given, parameter.name) ?? null) : parameter,
    )
    // The row's type is what the schema says about the query.
    return (await db.run({ ...query, parameters })) as QueryResult<Row>
  }

  return {
    all: async (db, given) => (await execute(db, given)).rows,
    first: async (db, given) => (await execute(db, given)).rows[0],
    changed: async (db, given) => Number((await execute(db, given)).numAffectedRows ?? 0n),
  }
}

/** Marks the place of a value. Kysely treats it as the value. */
class Place {
  readonly name: string | symbol
  constructor(name: string | symbol) {
    this.name = name
  }
}

function places<Given extends object>(): Given {
  // Only here a placeholder has the type of its value, so that Kysely checks the query against the real types.
  return new Proxy({}, { get: (_target, name) => new Place(name) }) as Given
}
