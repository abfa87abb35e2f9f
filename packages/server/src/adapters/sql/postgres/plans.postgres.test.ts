/**
 * The plans that PostgreSQL makes of the statements. It keeps a plan until it has looked at the tables again, and makes
 * the first ones while they are empty: then any index that fits a condition seems to be as good as the right one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { type Ask, questions } from '../../../contracts/store/questions.ts'
import { insertEach } from '../../../contracts/store/world.ts'
import { createDb, postgresKind, type Query } from '../../../rows/db.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { inDatabase } from '../../../testing/postgresStores.ts'
import { startOf } from './session.ts'
import { typesOfPort } from './types.ts'

/** Tables and indexes that may be read from end to end: few rows, or only what is under way now. */
const FEW = [
  /^(table|index) (attestation_keys|key_changes|invites)/,
  /^index deprecations_pkey$/,
  /^index holds_by_age$/,
  /^index pauses_by_end$/,
  /^index objects_(damaged|suspected)$/,
  /^index accounts_to_empty$/,
  /^index uploads_(open|claiming|finishing|unclosed)/,
]

/**
 * An audit reads whole tables, a page at a time. A census counts up to a bound. A move is of everything. An operator's
 * hold by link or drop is rare.
 */
const READS_ALL = ['audit', 'census', 'moving', 'holds.contentsOf']

/** What is used here of https://www.postgresql.org/docs/current/sql-explain.html. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

interface Planning {
  readonly client: Client
  /** Of each index. */
  readonly firstColumns: ReadonlyMap<string, string>
}

/** Plans with the settings of a store's connection, in a database that has no rows. */
async function withPlanning(url: string, work: (planning: Planning) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, types: typesOfPort })
  await client.connect()
  try {
    await client.query(startOf(30_000))
    const { rows } = await client.query(`
      select relname, attname from pg_index join pg_class on pg_class.oid = indexrelid
      join pg_attribute on attrelid = indexrelid and attnum = 1 where relnamespace = 'public'::regnamespace`)
    await work({ client, firstColumns: new Map(rows.map(({ relname, attname }) => [relname, attname])) })
  } finally {
    await client.end()
  }
}

/** The statements of each question, which is asked for on rows that are then undone. */
async function statementsOf(client: Client): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const statements = new Map<string, ReadonlySet<string>>()
  for (const [noun, names] of Object.entries(questions))
    for (const [name, ask] of Object.entries(names) as [string, Ask][]) {
      if ([noun, `${noun}.${name}`].some((each) => READS_ALL.includes(each))) continue
      const asked: Query[] = []
      const db = createDb(postgresKind, async (query) => {
        asked.push(query)
        const { sql: text, parameters } = query
        const { fields, rows, rowCount } = await client.query({ text, values: [...parameters], rowMode: 'array' })
        return { columns: fields, rows, changed: rowCount ?? 0 }
      })
      await client.query('begin read write')
      const tx = createWriteTx(db, () => undefined)
      await insertEach(tx)
      asked.length = 0
      await ask(tx)
      await client.query('rollback')
      statements.set(`${noun}.${name}`, new Set(asked.map(({ sql }) => sql)))
    }
  return statements
}

/** The same in every database. */
let statements: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** What each statement reads from end to end, beyond what may be. */
async function excesses({ client, firstColumns }: Planning): Promise<readonly string[]> {
  const found: string[] = []
  statements ??= await statementsOf(client)
  for (const [name, texts] of statements)
    for (const text of texts) {
      const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
      for (const read of readWhole(rows[0]['QUERY PLAN'][0].Plan, firstColumns))
        if (!FEW.some((few) => few.test(read))) found.push(`${name} reads all of ${read}: ${text}`)
    }
  return found
}

/** The tables and indexes that a plan reads from end to end, not only where a condition on the first column leads. */
function readWhole(node: PlanNode, firstColumns: ReadonlyMap<string, string>, parent?: PlanNode): readonly string[] {
  const { 'Node Type': type, 'Index Name': index, 'Index Cond': condition = '', Plans: inner = [] } = node
  const below = inner.flatMap((each) => readWhole(each, firstColumns, node))
  if (type === 'Seq Scan') return [`table ${node['Relation Name']}`, ...below]
  if (index === undefined || (parent?.['Node Type'] === 'Limit' && node.Filter === undefined)) return below
  // A condition on nothing but a state leads to all that is kept.
  const leads = new RegExp(`\\b${firstColumns.get(index)} `).test(condition) && !/^\(state = [^)]*\)$/.test(condition)
  return leads ? below : [`index ${index}`, ...below]
}

describe('the plans of PostgreSQL', () => {
  it(
    'that are made of empty tables find rows by the index that leads to them',
    inDatabase(({ url }) => withPlanning(url, async (planning) => assert.deepEqual(await excesses(planning), []))),
  )

  it(
    'that are made of tables that are known to be empty read none of these from end to end',
    inDatabase(({ url, outsider }) =>
      withPlanning(url, async (planning) => {
        await outsider.query('vacuum analyze')
        const tables = (await excesses(planning)).filter((found) => found.includes(' reads all of table '))
        assert.deepEqual(tables, [])
      }),
    ),
  )
})
