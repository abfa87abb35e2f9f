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
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** A transaction as the statements use it: what a database gives them. */
export interface Db {
  /** The same object for all transactions on databases of this kind. */
  readonly kind: DatabaseKind
  /** Builds queries. Migrations and checks also run theirs with it, under the names that the database has. */
  readonly kysely: Kysely<unknown>
  /** `isApart`: see `apart` in `statements.ts`. */
  run(query: Query, isApart?: boolean): Promise<Rows>
}

export type Query = Pick<CompiledQuery, 'sql' | 'parameters' | 'query'>

/** What a database answers. Rows are lists: as objects they would be made twice, here and as the code has them. */
export interface Rows {
  /** In the order of each row's values. */
  readonly columns: readonly { readonly name: string }[]
  readonly rows: readonly (readonly unknown[])[]
  /** How many rows it inserted, updated or deleted; 0 for a query that only reads. */
  readonly changed: number
}

interface DatabaseKind {
  readonly adapter: DialectAdapter
  readonly compiler: QueryCompiler
  introspector(db: Kysely<unknown>): DatabaseIntrospector
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
 * A transaction makes its Kysely when it needs one: making it, and running queries through it, costs more than SQLite
 * needs to answer. A class, because V8 gives each object whose literal has a getter a shape of its own, and keeps what
 * the getter refers to until a full collection.
 */
class LazyDb implements Db {
  readonly kind: DatabaseKind
  readonly run: Db['run']
  #kysely: Kysely<unknown> | undefined

  constructor(kind: DatabaseKind, run: Db['run']) {
    this.kind = kind
    this.run = run
  }

  get kysely(): Kysely<unknown> {
    this.#kysely ??= kyselyOf(this.kind, this.run)
    return this.#kysely
  }
}

function kyselyOf(kind: DatabaseKind, run: Db['run']): Kysely<unknown> {
  return new Kysely<unknown>({
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
    async executeQuery<Row>(query: CompiledQuery) {
      const { columns, rows, changed } = await run(query)
      const objects = rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
      // As in Kysely's own drivers, the row's type is what the schema says about the query.
      return { rows: objects as Row[], numAffectedRows: BigInt(changed) }
    },
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
