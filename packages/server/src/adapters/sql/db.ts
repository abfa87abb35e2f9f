import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DialectAdapter,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'

/** A transaction as the queries of this folder use it. */
export interface Db {
  /** The same object for all transactions on databases of this kind. */
  readonly kind: DatabaseKind
  /** Builds queries. Migrations and checks also run theirs with it. */
  readonly kysely: Kysely<Schema>
  /** `isApart`: see `apart` in `prepared.ts`. */
  run(query: CompiledQuery, isApart?: boolean): Promise<QueryResult<unknown>>
}

interface DatabaseKind {
  readonly adapter: DialectAdapter
  readonly compiler: QueryCompiler
  introspector(db: Kysely<Schema>): DatabaseIntrospector
}

export const sqliteKind: DatabaseKind = {
  adapter: new SqliteAdapter(),
  compiler: new SqliteQueryCompiler(),
  introspector: (db) => new SqliteIntrospector(db),
}

export const postgresKind: DatabaseKind = {
  adapter: new PostgresAdapter(),
  compiler: new PostgresQueryCompiler(),
  introspector: (db) => new PostgresIntrospector(db),
}

export function createDb(kind: DatabaseKind, run: Db['run']): Db {
  return new LazyDb(kind, run)
}

/**
 * A transaction makes its Kysely when it needs one: making it, and running queries through it, costs more than SQLite needs to answer. A class, because V8
 * gives each object whose literal has a getter a shape of its own, and keeps what the getter refers to until a full collection.
 */
class LazyDb implements Db {
  readonly kind: DatabaseKind
  readonly run: Db['run']
  #kysely: Kysely<Schema> | undefined

  constructor(kind: DatabaseKind, run: Db['run']) {
    this.kind = kind
    this.run = run
  }

  get kysely(): Kysely<Schema> {
    this.#kysely ??= kyselyOf(this.kind, this.run)
    return this.#kysely
  }
}

function kyselyOf(kind: DatabaseKind, run: Db['run']): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => kind.adapter,
      createDriver: () => createDriver(run),
      createIntrospector: kind.introspector,
      createQueryCompiler: () => kind.compiler,
    },
  })
}

function createDriver(run: Db['run']): Driver {
  const outside = () => Promise.reject(new Error('Only the store begins transactions'))
  const connection: DatabaseConnection = {
    // As in Kysely's own drivers, the row's type is what the schema says about the query.
    executeQuery: async <Row>(query: CompiledQuery) => (await run(query)) as QueryResult<Row>,
    streamQuery() {
      throw new Error('Rows are not streamed')
    },
  }
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: outside,
    commitTransaction: outside,
    rollbackTransaction: outside,
    destroy: () => Promise.resolve(),
  }
}
