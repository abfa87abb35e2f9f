import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { type Ask, questions } from '../../../contracts/store/questions.ts'
import { insertEach } from '../../../contracts/store/world.ts'
import { createDb, type Query, sqliteKind } from '../../../rows/db.ts'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { migrate } from '../migrations/migrations.ts'
import { answerOf } from './connection.ts'

/** What a query may scan: a table of a few rows, or a partial index, which covers only what is active now. */
const scansAllowed = [
  /^SCAN attestation_keys\b/,
  /^SCAN deprecations$/,
  /^SCAN holds USING INDEX holds_by_age$/,
  // A census counts the rows of an index, up to a bound.
  /^SCAN counted$/,
  /^SCAN holds USING COVERING INDEX \w+$/,
  /^SCAN uploads USING COVERING INDEX uploads_open_by_age$/,
  /^SCAN uploads USING COVERING INDEX uploads_finishing$/,
  // Each is a command of the operator.
  /^SCAN invites( USING INDEX invites_by_age)?$/,
  /^SCAN uploads USING COVERING INDEX uploads_claiming$/,
  // The groups of the index before.
  /^SCAN of_account$/,
  /^SCAN uploads USING (COVERING )?INDEX uploads_finishing$/,
  /^SCAN uploads USING INDEX uploads_unclosed_of_account$/,
  /^SCAN CONSTANT ROW$/,
  /^SCAN \d+-ROW VALUES CLAUSE$/,
  /^SCAN channels USING INDEX channels_active$/,
  // The rows that `links.land` is given.
  /^SCAN landed$/,
]

/**
 * Queries that have to read a whole table: an audit sums the sessions of all links at once, and a move of the server is
 * of everything. An operator's hold by link or drop, a few a year, is no reason for an index.
 */
const wholeTablesAllowed = [
  'audit.links',
  'audit.looseParts',
  'holds.contentsOf',
  ...Object.keys(questions.moving).map((name) => `moving.${name}`),
]

/** Queries that may sort: few keys, one asset's receipts, an account's devices, a session's tokens. */
const sortsAllowed = [
  'keys.attestationKeys',
  'receipts.ofAsset',
  'devices.revokedBefore',
  'sessions.pruneRefreshTokens',
]

interface Watched {
  readonly tx: ReturnType<typeof createWriteTx>
  readonly asked: Query[]
  readonly database: DatabaseSync
}

/** A database with a row of each noun, which records each query. */
async function openWatched(): Promise<Watched> {
  const database = new DatabaseSync(':memory:')
  database.exec('pragma foreign_keys = on')
  const asked: Query[] = []
  const db = createDb(sqliteKind, async (query) => {
    asked.push(query)
    return answerOf(database, query)
  })
  await migrate(db.kysely, sqliteDialect)
  const tx = createWriteTx(db, () => undefined)
  await insertEach(tx)
  return { tx, asked, database }
}

let opened: ReturnType<typeof openWatched> | undefined

/** The tests of this file share the database, as it takes longest to make: each leaves it as it was. */
async function watched(work: (watched: Watched) => Promise<void> | void): Promise<void> {
  opened ??= openWatched()
  const shared = await opened
  shared.database.exec('begin')
  shared.asked.length = 0
  try {
    await work(shared)
  } finally {
    shared.database.exec('rollback')
  }
}

function planOf(database: DatabaseSync, query: Query): readonly string[] {
  return database
    .prepare(`explain query plan ${query.sql}`)
    .all(...(query.parameters as never[]))
    .map((row) => String(row.detail))
}

describe('the plans of the queries', () => {
  for (const [noun, names] of Object.entries(questions)) {
    for (const [name, ask] of Object.entries(names) as [string, Ask][]) {
      it(`scan no table and sort nothing for ${noun}.${name}`, () =>
        watched(async ({ tx, asked, database }) => {
          await ask(tx)
          assert.ok(asked.length > 0)
          for (const query of wholeTablesAllowed.includes(`${noun}.${name}`) ? [] : asked) {
            for (const step of planOf(database, query)) {
              const scans = /^SCAN\b/.test(step) && !scansAllowed.some((allowed) => allowed.test(step))
              const sorts = /TEMP B-TREE/.test(step) && !sortsAllowed.includes(`${noun}.${name}`)
              assert.ok(!scans && !sorts, `${step}: ${query.sql}`)
            }
          }
        }))
    }
  }

  for (const [name, index] of [
    ['listDamaged', 'objects_damaged'],
    ['listSuspected', 'objects_suspected'],
  ] as const)
    it(`read only the few objects of ${index} for objects.${name}, not all that are kept`, () =>
      watched(async ({ tx, asked, database }) => {
        await questions.objects[name](tx)
        const plans = asked.map((query) => planOf(database, query))
        assert.equal(plans.length, 1)
        assert.match(plans.flat().join(), new RegExp(`^SEARCH objects USING INDEX ${index} `))
      }))

  it('find every row that a foreign key refers to by an index', () =>
    watched(({ database }) => {
      const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
      for (const { name: table } of tables) {
        for (const key of database
          .prepare('select "from" as name from pragma_foreign_key_list(?)')
          .all(String(table))) {
          const [step] = database
            .prepare(`explain query plan select 1 from "${table}" where "${key.name}" = ?`)
            .all('x')
            .map((row) => String(row.detail))
          // Accounts, albums and links are never removed. The removal of any other row must not scan the tables that
          // refer to it.
          const removable = ['chunks', 'refresh_tokens', 'asset_blobs'].includes(String(table))
          assert.ok(!removable || /^SEARCH/.test(step ?? ''), `${table}.${key.name}: ${step}`)
        }
      }
    }))
})
