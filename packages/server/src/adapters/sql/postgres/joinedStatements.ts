import type { Query, Rows } from '../../../rows/db.ts'

/**
 * Statements that are sent as one: each is a part of a `with`. All of them see the rows as they were before the first,
 * so none may read what another one changes (`apart` in `statements.ts`). Of two that change one table, one row might
 * be changed once only: they are never joined.
 */
export interface Joined {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** More are seldom the same ones twice, so that planning them would cost more than it saves. */
const MAX_JOINED = 12

/** Puts statements that can be joined together. */
export function inGroups<Item extends { readonly query: Query }>(items: readonly Item[]): readonly Item[][] {
  if (items.length > MAX_JOINED) return items.map((item) => [item])
  const groups: { readonly tables: Set<string>; readonly items: Item[] }[] = []
  for (const item of items) {
    const tables = tablesChangedBy(item.query.sql)
    const group = groups.find((each) => ![...tables].some((table) => each.tables.has(table)))
    if (group === undefined) groups.push({ tables: new Set(tables), items: [item] })
    else {
      group.items.push(item)
      for (const table of tables) group.tables.add(table)
    }
  }
  return groups.map((group) => group.items)
}

function tablesChangedBy(sql: string): ReadonlySet<string> {
  return new Set(Array.from(sql.matchAll(/\b(?:insert into|update|delete from) "(\w+)"/g), ([, table = '']) => table))
}

export function joinedOf(queries: readonly Query[]): Joined {
  let before = 0
  const parts = queries.flatMap(({ sql, parameters }, at) => {
    const first = before
    before += parameters.length
    const moved = sql.replaceAll(/\$(\d+)/g, (_place, number) => `$${Number(number) + first}`)
    // What changes rows has to be at the top of a `with`.
    const { own, last } = partsOf(moved)
    return [...own, `part${at} as (${hasRows(last) ? last : `${last} returning 1`})`]
  })
  const answers = queries.map(({ sql }, at) =>
    hasRows(partsOf(sql).last)
      ? `(select coalesce(json_agg(part${at}), '[]') from part${at})::text as rows${at}`
      : `(select count(*) from part${at})::text as rows${at}`,
  )
  return {
    sql: `with ${parts.join(', ')} select ${answers.join(', ')}`,
    parameters: queries.flatMap(({ parameters }) => parameters),
  }
}

/** What each of them would have answered. Its columns are numbers and texts. */
export function answersOf(queries: readonly Query[], row: readonly unknown[] = []): readonly Rows[] {
  return queries.map((_query, at) => {
    const said: unknown = JSON.parse(String(row[at]))
    if (!Array.isArray(said)) return { columns: [], rows: [], changed: Number(said) }
    return {
      columns: Object.keys(said[0] ?? {}).map((name) => ({ name })),
      rows: said.map(Object.values),
      changed: said.length,
    }
  })
}

/** A statement that begins with a `with` of its own: what is in it, and the rest. */
function partsOf(sql: string): { readonly own: readonly string[]; readonly last: string } {
  if (!sql.startsWith('with ')) return { own: [], last: sql }
  let depth = 0
  for (let at = 'with '.length; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1
    if (sql[at] === ')') depth -= 1
    if (depth === 0 && /^\) (?:insert|update|delete|select) /.test(sql.slice(at, at + 10)))
      return { own: [sql.slice('with '.length, at + 1)], last: sql.slice(at + 2) }
  }
  return { own: [], last: sql }
}

function hasRows(sql: string): boolean {
  return sql.startsWith('select ') || / returning /.test(sql)
}
