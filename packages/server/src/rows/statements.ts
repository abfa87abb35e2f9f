import { CamelCasePlugin, type Compilable, type CompiledQuery, type Kysely } from 'kysely'
import type { Table } from './columns.ts'
import type { Db, Rows } from './db.ts'
import { givenOf, type NewRow, type Tables, tables } from './tables.ts'

/**
 * Describes a query once, before any values are known. Each argument after the database is a placeholder for the value
 * that later calls pass in its place, and so is each member of it: `build` can put them into the query, but not read
 * them. No argument has a default, since a function does not count those. An undefined value is bound as NULL, an
 * object as its JSON text.
 */
type Build<Given extends readonly unknown[], Row> = (db: Kysely<Tables>, ...given: Given) => Compilable<Row>

/** What is NULL in the database is undefined here. */
type Read<Row> = {
  readonly [Name in keyof Row]: null extends Row[Name] ? Exclude<Row[Name], null> | undefined : Row[Name]
}

interface Answer<Row> {
  readonly rows: readonly Row[]
  /** How many rows it inserted, updated or deleted. */
  readonly changed: number
}

/** A query that is built and compiled once: building it takes several times longer than SQLite needs to answer it. */
type Statement<Given extends readonly unknown[], Row> = (db: Db, ...given: Given) => Promise<Answer<Read<Row>>>

/** The first row. */
export function first<Given extends readonly unknown[], Row>(build: Build<Given, Row>) {
  const ask = statement(build)
  return async (db: Db, ...given: Given): Promise<Read<Row> | undefined> => (await ask(db, ...given)).rows[0]
}

export function all<Given extends readonly unknown[], Row>(build: Build<Given, Row>) {
  const ask = statement(build)
  return async (db: Db, ...given: Given): Promise<readonly Read<Row>[]> => (await ask(db, ...given)).rows
}

/** The only column of the first row. */
export function value<Given extends readonly unknown[], Row extends object>(build: Build<Given, Row>) {
  const ask = statement(build)
  return async (db: Db, ...given: Given): Promise<Read<Row>[keyof Row] | undefined> => {
    const [row] = (await ask(db, ...given)).rows
    return row && onlyColumnOf(row)
  }
}

/** The only column of all rows. */
export function values<Given extends readonly unknown[], Row extends object>(build: Build<Given, Row>) {
  const ask = statement(build)
  return async (db: Db, ...given: Given): Promise<readonly Read<Row>[keyof Row][]> =>
    (await ask(db, ...given)).rows.map((row) => onlyColumnOf(row))
}

function onlyColumnOf<Row extends object>(row: Row): Row[keyof Row] {
  const [only] = Object.values(row)
  return only
}

/** The only column of the first row, which is a number; 0 if there is none. */
export function count<Given extends readonly unknown[], Row extends Readonly<Record<string, number | null>>>(
  build: Build<Given, Row>,
) {
  const ask = value(build)
  return async (db: Db, ...given: Given): Promise<number> => (await ask(db, ...given)) ?? 0
}

/** Whether there is a row. */
export function exists<Given extends readonly unknown[]>(build: Build<Given, unknown>) {
  const ask = statement(build)
  return async (db: Db, ...given: Given): Promise<boolean> => (await ask(db, ...given)).rows.length > 0
}

/** How many rows it changed. */
export function changes<Given extends readonly unknown[]>(build: Build<Given, unknown>) {
  const change = statement(build)
  return async (db: Db, ...given: Given): Promise<number> => (await change(db, ...given)).changed
}

/** Whether it changed its row. */
export function changesOne<Given extends readonly unknown[]>(build: Build<Given, unknown>) {
  const change = statement(build)
  return async (db: Db, ...given: Given): Promise<boolean> => (await change(db, ...given)).changed === 1
}

/** Nothing is asked of it. */
export function runs<Given extends readonly unknown[]>(build: Build<Given, unknown>) {
  const run = statement(build)
  return async (db: Db, ...given: Given): Promise<void> => {
    await run(db, ...given)
  }
}

/** Inserts a row. */
export function inserts<Name extends keyof Tables>(table: Name) {
  return runs((db, row: NewRow<Name>) => insertion(db, table, row))
}

/** Inserts a row. False, and nothing changes, if its value of the column `taken` is taken. */
export function insertsUnless<Name extends keyof Tables>(table: Name, taken: keyof NewRow<Name> & string) {
  return changesOne((db, row: NewRow<Name>) =>
    insertion(db, table, row).onConflict((conflict) => conflict.column(taken).doNothing()),
  )
}

/** Kysely cannot check a table that is not known yet. `NewRow` is what it would ask for. */
function insertion<Name extends keyof Tables>(db: Kysely<Tables>, table: Name, row: NewRow<Name>) {
  return db
    .withTables<Record<string, Record<string, unknown>>>()
    .insertInto(table as string)
    .values(givenOf(table, row))
}

const APART = Symbol('apart')

/**
 * A query that reads nothing that another query of its moment changes. On PostgreSQL those of one moment become one
 * statement (`joinedStatements.ts`): a lone request sends fewer.
 */
export function apart<Given extends readonly unknown[], Row>(build: Build<Given, Row>): Build<Given, Row> {
  return Object.assign(build, { [APART]: true })
}

/** Rows of which there is at least one. */
export type Some<Item> = readonly [Item, ...Item[]]

export function someOf<Item>([first, ...more]: readonly Item[]): Some<Item> {
  if (first === undefined) throw new RangeError('no rows')
  return [first, ...more]
}

const LIST_LENGTHS = [1, 4, 16, 64] as const

/**
 * A query about 1 to 64 rows that does the same if one of them is repeated, as a list after `in` does: the first row
 * fills the list up, so that a few prepared statements do for every length.
 */
export function forList<Item, Given extends readonly unknown[], Row>(
  build: Build<[Some<Item>, ...Given], Row>,
): Statement<[readonly Item[], ...Given], Row> {
  const statements = forRows(LIST_LENGTHS, build)
  return async (db, rows, ...given) => {
    const [filler] = someOf(rows)
    const fit = statements.find((each) => each.count >= rows.length)
    if (fit === undefined) throw new RangeError(`A list of ${rows.length} rows is too long`)
    const filled = Array.from({ length: fit.count }, (_, at) => rows[at] ?? filler)
    return fit.run(db, someOf(filled), ...given)
  }
}

interface ForRows<Run> {
  readonly count: number
  readonly run: Run
}

/** The same query for so many rows each. Few of them, because every connection prepares its own. */
export function forRows<Item, Given extends readonly unknown[], Row>(
  counts: readonly number[],
  build: Build<[Some<Item>, ...Given], Row>,
): readonly ForRows<Statement<[Some<Item>, ...Given], Row>>[] {
  return counts.map((count) => ({ count, run: statement(build, count) }))
}

/** Statements for any number of rows, in order. `statements`: from the one for the most rows to that for one. */
export function inStatements<Run, Item, Result>(
  statements: readonly ForRows<Run>[],
  rows: readonly Item[],
  start: (run: Run, some: Some<Item>) => Promise<Result>,
): readonly Promise<Result>[] {
  const started: Promise<Result>[] = []
  let left = rows
  for (const { count, run } of statements)
    for (; left.length >= count; left = left.slice(count)) started.push(start(run, someOf(left.slice(0, count))))
  return started
}

interface Compiled {
  readonly query: CompiledQuery
  readonly values: readonly ((given: readonly unknown[]) => unknown)[]
  readonly readable: ReadableRows
}

/** `rowCount`: how many rows the first value is a list of, if it is one. */
function statement<Given extends readonly unknown[], Row>(
  build: Build<Given, Row>,
  rowCount?: number,
): Statement<Given, Row> {
  const isApart = APART in build
  // A process may have databases of both kinds open.
  const compiled = new WeakMap<Db['kind'], Compiled>()

  function compile(db: Db): Compiled {
    // Only here a placeholder has the type of its value, so that Kysely checks the query against the real types.
    const query = build(camelCased(db), ...(placesFor(build.length - 1, rowCount) as unknown as Given)).compile()
    const values = query.parameters.map((parameter) =>
      parameter instanceof Place ? parameter.valueIn : () => parameter,
    )
    const fresh = { query, values, readable: new ReadableRows() }
    compiled.set(db.kind, fresh)
    return fresh
  }

  return async (db, ...given) => {
    const { query, values, readable } = compiled.get(db.kind) ?? compile(db)
    const parameters = values.map((valueIn) => written(valueIn(given)))
    const answer = await db.run({ sql: query.sql, query: query.query, parameters }, isApart)
    // The row's type is what the tables say about the query.
    return { rows: readable.rowsOf(answer) as readonly Read<Row>[], changed: answer.changed }
  }
}

function camelCased({ kysely }: Db): Kysely<Tables> {
  return kysely.withPlugin(new CamelCasePlugin()).withTables<Tables>()
}

function written(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value ?? null
  return JSON.stringify(value)
}

/** Columns that are not read as they are. Whatever the table, a name means the same. */
const FORMS = new Map(
  Object.values(tables).flatMap((table) =>
    Object.entries<Table[string]>(table).map(([name, { form }]) => [name, form] as const),
  ),
)

const readers = {
  plain: undefined,
  flag: (value: unknown) => value === 1,
  json: (value: unknown) => JSON.parse(String(value)),
}

interface Readable {
  readonly name: string
  readonly read: ((value: unknown) => unknown) | undefined
}

/** Reads a query's rows as the code has them. Its first answer with a row says which columns they have. */
class ReadableRows {
  #columns: readonly Readable[] = []

  rowsOf({ columns, rows }: Rows): readonly object[] {
    if (rows.length === 0) return []
    if (this.#columns.length === 0) this.#columns = columns.map(readable)
    return rows.map((row) => this.#rowOf(row))
  }

  #rowOf(values: readonly unknown[]): object {
    const row: Record<string, unknown> = {}
    let at = 0
    for (const { name, read } of this.#columns) {
      const value = values[at++] ?? undefined
      row[name] = read === undefined || value === undefined ? value : read(value)
    }
    return row
  }
}

function readable(column: Rows['columns'][number]): Readable {
  const name = column.name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return { name, read: readers[FORMS.get(name) ?? 'plain'] }
}

/** Marks the place of a value. Kysely treats it as the value. */
class Place {
  readonly valueIn: (given: readonly unknown[]) => unknown
  constructor(valueIn: Place['valueIn']) {
    this.valueIn = valueIn
  }
}

function placesFor(count: number, rowCount: number | undefined): readonly unknown[] {
  return Array.from({ length: count }, (_, at) => {
    if (at > 0 || rowCount === undefined) return placeOf((given) => given[at])
    return Array.from({ length: rowCount }, (_, row) => placeOf(([rows]) => memberOf(rows, String(row))))
  })
}

/** Its members are the places of the value's members. */
function placeOf(valueIn: Place['valueIn']): Place {
  return new Proxy(new Place(valueIn), {
    get: (place, name) =>
      name === 'valueIn'
        ? valueIn
        : typeof name === 'symbol'
          ? Reflect.get(place, name)
          : placeOf((given) => memberOf(valueIn(given), name)),
  })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
