import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Db } from './db.ts'
import type { Schema } from './schema.ts'

/** A query that is built and compiled once per store: building it takes several times longer than SQLite needs to answer it. */
export interface Prepared<Given, Row> {
  all(db: Db, given: Given): Promise<readonly Row[]>
  first(db: Db, given: Given): Promise<Row | undefined>
  /** The number of rows that it inserted, updated or deleted. */
  changed(db: Db, given: Given): Promise<number>
  /**
   * The same query, which reads nothing that another query of its moment changes. On PostgreSQL those of one moment become one statement (`joined.ts`): a lone
   * request sends fewer.
   */
  apart(): Prepared<Given, Row>
}

/**
 * `build` describes the query once, before any values are known. Each `given.name` is a placeholder for the value that later calls pass under that name:
 * `build` can put it into the query, but not read it. An undefined value is bound as NULL.
 */
export function prepared<Given extends object, Row>(
  build: (db: Kysely<Schema>, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  return compiledOnce((db) =>
    build(
      db,
      places<Given>((given) => given),
    ),
  )
}

/** The same query, `apart`. */
export function apart<Given, Row>(query: Prepared<Given, Row>): Prepared<Given, Row> {
  return query.apart()
}

/** The same for a query about exactly `count` rows. */
export function preparedForRows<Given extends object, Row>(
  count: number,
  build: (db: Kysely<Schema>, rows: readonly Given[]) => Compilable<Row>,
): Prepared<readonly Given[], Row> {
  const rows = Array.from({ length: count }, (_, at) => places<Given>((given) => Reflect.get(given, at)))
  return compiledOnce((db) => build(db, rows))
}

/** Rows of which there is at least one. */
export type Some<Given> = readonly [Given, ...Given[]]

const LIST_LENGTHS = [1, 4, 16, 64] as const

/**
 * The same for a query about 1 to 64 rows that does the same if one of them is repeated, as a list after `in` does: the first row fills the list up, so that a
 * few prepared statements do for every length.
 */
export function preparedForList<Given extends object, Row>(
  build: (db: Kysely<Schema>, rows: Some<Given>) => Compilable<Row>,
): Prepared<Some<Given>, Row> {
  return forLengths(
    LIST_LENGTHS.map((count) => ({
      count,
      query: preparedForRows(count, (db, rows: readonly Given[]) => build(db, someOf(rows))),
    })),
  )
}

function forLengths<Given, Row>(
  queries: readonly { readonly count: number; readonly query: Prepared<readonly Given[], Row> }[],
): Prepared<Some<Given>, Row> {
  function fitting(rows: Some<Given>): readonly [Prepared<readonly Given[], Row>, readonly Given[]] {
    const fit = queries.find(({ count }) => count >= rows.length)
    if (fit === undefined) throw new RangeError(`A list of ${rows.length} rows is too long`)
    return [fit.query, Array.from({ length: fit.count }, (_, at) => rows[at] ?? rows[0])]
  }

  return {
    async all(db, rows) {
      const [query, filled] = fitting(rows)
      return query.all(db, filled)
    },
    async first(db, rows) {
      const [query, filled] = fitting(rows)
      return query.first(db, filled)
    },
    async changed(db, rows) {
      const [query, filled] = fitting(rows)
      return query.changed(db, filled)
    },
    apart: () => forLengths(queries.map(({ count, query }) => ({ count, query: query.apart() }))),
  }
}

export function someOf<Given>([first, ...more]: readonly Given[]): Some<Given> {
  if (first === undefined) throw new RangeError('no rows')
  return [first, ...more]
}

interface ForRows<Given, Row> {
  readonly count: number
  readonly insertion: Prepared<readonly Given[], Row>
}

/** Starts statements for any number of rows, in their order. `statements` begin with the one for the most rows, and end with the one for one row. */
export function inStatements<Given, Row, Result>(
  statements: readonly ForRows<Given, Row>[],
  rows: readonly Given[],
  run: (statement: Prepared<readonly Given[], Row>, some: readonly Given[]) => Promise<Result>,
): readonly Promise<Result>[] {
  const started: Promise<Result>[] = []
  let left = rows
  for (const { count, insertion } of statements)
    for (; left.length >= count; left = left.slice(count)) started.push(run(insertion, left.slice(0, count)))
  return started
}

function compiledOnce<Given extends object, Row>(
  build: (db: Kysely<Schema>) => Compilable<Row>,
  isApart = false,
): Prepared<Given, Row> {
  // A process may have databases of both kinds open.
  const compiled = new WeakMap<Db['kind'], CompiledQuery<Row>>()

  function compile({ kind, kysely }: Db): CompiledQuery<Row> {
    const fresh = build(kysely).compile()
    compiled.set(kind, fresh)
    return fresh
  }

  async function execute(db: Db, given: Given): Promise<QueryResult<Row>> {
    const query = compiled.get(db.kind) ?? compile(db)
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Place ? (parameter.valueIn(given) ?? null) : parameter,
    )
    // The row's type is what the schema says about the query.
    return (await db.run({ ...query, parameters }, isApart)) as QueryResult<Row>
  }

  return {
    all: async (db, given) => (await execute(db, given)).rows,
    first: async (db, given) => (await execute(db, given)).rows[0],
    changed: async (db, given) => Number((await execute(db, given)).numAffectedRows ?? 0n),
    apart: () => compiledOnce(build, true),
  }
}

/** Marks the place of a value. Kysely treats it as the value. */
class Place {
  readonly valueIn: (given: object) => unknown
  constructor(valueIn: (given: object) => unknown) {
    this.valueIn = valueIn
  }
}

/** `of` finds the object with the values in what a call passes. */
function places<Given extends object>(of: (given: object) => object): Given {
  // Only here a placeholder has the type of its value, so that Kysely checks the query against the real types.
  return new Proxy({}, { get: (_target, name) => new Place((given) => Reflect.get(of(given), name)) }) as Given
}
