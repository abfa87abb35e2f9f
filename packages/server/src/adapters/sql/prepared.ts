import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** A query that is built and compiled once per store: building it takes several times longer than SQLite needs to answer it. */
export interface Prepared<Given, Row> {
  all(db: Kysely<Schema>, given: Given): Promise<readonly Row[]>
  first(db: Kysely<Schema>, given: Given): Promise<Row | undefined>
  /** The number of rows that it inserted, updated or deleted. */
  changed(db: Kysely<Schema>, given: Given): Promise<number>
}

/**
 * `build` describes the query once, before any values are known. Each `given.name` is a placeholder for the value that later calls pass under that name:
 * `build` can put it into the query, but not read it. An undefined value is bound as NULL.
 */
export function prepared<Given extends object, Row>(
  build: (db: Kysely<Schema>, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  // The key is the adapter, one per dialect: a process may have both open.
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
