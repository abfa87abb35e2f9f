import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { account, accountId, album, at, bytes, object } from '../../../contracts/store/world.ts'
import { fillWithEverything } from '../../../testing/fullDatabase.ts'
import { inDatabase } from '../../../testing/postgresStores.ts'
import { tablesOfRelease } from '../migrations/tables.ts'
import { withClient } from '../postgres/client.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { copyRows, type RowSource, RowsDiffer, type RowTarget } from './copyRows.ts'
import { postgresTarget, withPostgresRows } from './postgresRows.ts'
import { createSqliteFrom, withSqliteRows } from './sqliteRows.ts'

type Place =
  | { readonly kind: 'sqlite'; readonly path: string; readonly url?: undefined }
  | { readonly kind: 'postgres'; readonly url: string }

const reading = <Result>(place: Place, work: (rows: RowSource) => Promise<Result>) =>
  place.kind === 'sqlite' ? withSqliteRows(place.path, work) : withPostgresRows(place.url, work)

/** Fills an empty place. */
const filling = <Result>(place: Place, work: (rows: RowTarget) => Promise<Result>): Promise<Result> =>
  place.kind === 'sqlite'
    ? createSqliteFrom(place.path, work)
    : withClient(place.url, async (client) => {
        await client.query('begin')
        const target = postgresTarget(client)
        const result = await work(target)
        await target.countOn()
        await client.query('commit')
        return result
      })

const copy = (from: Place, to: Place) =>
  reading(from, (source) => filling(to, (target) => copyRows({ from: source, to: target })))

/** All rows of a place, by table. */
const rowsOf = (place: Place) =>
  reading(place, async (source) => {
    const all: Record<string, unknown[]> = {}
    for (const table of tablesOfRelease()) {
      const rows: unknown[] = []
      for await (const page of source.pages(table)) rows.push(...page.map((row) => ({ ...row })))
      all[table.name] = rows
    }
    return all
  })

function inDirectory(work: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-copy-'))
    try {
      await work(directory)
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

/** A SQLite database with rows of every kind. */
async function filledSqlite(directory: string): Promise<Place> {
  const place = { kind: 'sqlite', path: join(directory, 'filled.sqlite') } as const
  const store = await openSqliteStore({ path: place.path })
  await fillWithEverything(store)
  await store.close()
  return place
}

describe('the tables of a release', () => {
  it(
    'are those that both databases have, with the same columns and keys',
    inDatabase(async ({ outsider }) => {
      const { rows } = await outsider.query<{ readonly name: string; readonly columns: string }>(`
        select relname as name, string_agg(attname, ',' order by attnum) as columns
        from pg_class join pg_attribute on attrelid = pg_class.oid
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and relname <> 'migrations'
        group by relname order by relname collate "C"`)
      const tables = tablesOfRelease()
      assert.deepEqual(
        tables
          .map(({ name, columns }) => ({ name, columns: columns.join() }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        rows,
      )
      for (const { name, key } of tables) {
        const found = await outsider.query(
          `select attname from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
           where indrelid = $1::regclass and indisprimary order by array_position(indkey::int2[], attnum)`,
          [name],
        )
        assert.deepEqual(
          key,
          found.rows.map(({ attname }) => attname),
          name,
        )
      }
    }),
  )
})

describe('a copy of all rows', () => {
  it(
    'is equal in all four directions',
    inDirectory((directory) =>
      inDatabase(async ({ url }) => {
        const first = await filledSqlite(directory)
        const expected = await rowsOf(first)
        assert.equal(expected.receipts?.length, 2)
        const second = { kind: 'postgres', url } as const
        await copy(first, second)
        assert.deepEqual(await rowsOf(second), expected)
        await inDatabase(async (other) => {
          const third = { kind: 'postgres', url: other.url } as const
          await copy(second, third)
          assert.deepEqual(await rowsOf(third), expected)
          const fourth = { kind: 'sqlite', path: join(directory, 'fourth.sqlite') } as const
          await copy(third, fourth)
          assert.deepEqual(await rowsOf(fourth), expected)
          assert.equal((await stat(fourth.path)).mode & 0o777, 0o600)
          const fifth = { kind: 'sqlite', path: join(directory, 'fifth.sqlite') } as const
          await copy(fourth, fifth)
          assert.deepEqual(await rowsOf(fifth), expected)
        })()
      })(),
    ),
  )

  it(
    'is a database to go on with: a store opens it, and its numbered rows go on',
    inDirectory((directory) =>
      inDatabase(async ({ url, open }) => {
        const first = await filledSqlite(directory)
        await copy(first, { kind: 'postgres', url })
        const back = join(directory, 'back.sqlite')
        await copy({ kind: 'postgres', url }, { kind: 'sqlite', path: back })
        for (const store of [await open(), await openSqliteStore({ path: back, asItIs: true })]) {
          await store.write([`account ${accountId(1)}`], (tx) => tx.albums.insert(album(70, { createdAt: at(0) })))
          const events = await store.read((tx) => tx.secondFactors.find(accountId(1)))
          assert.equal(events?.sealedSecret.length, 1984)
          await store.close()
        }
      })(),
    ),
  )

  it(
    'spans many pages, in the same order',
    inDirectory((directory) =>
      inDatabase(async ({ url }) => {
        const path = join(directory, 'many.sqlite')
        const store = await openSqliteStore({ path })
        await store.write([], async (tx) => {
          for (let number = 1; number <= 1001; number++) await tx.objects.insert(object(number * 7919))
          await tx.accounts.insert(account(1, { salt: bytes(16) }))
        })
        await store.close()
        await copy({ kind: 'sqlite', path }, { kind: 'postgres', url })
        assert.deepEqual(await rowsOf({ kind: 'postgres', url }), await rowsOf({ kind: 'sqlite', path }))
      })(),
    ),
  )

  it(
    'is of one instant while others write, and leaves nothing when the rows differ in the end',
    inDirectory((directory) =>
      inDatabase(async ({ url, outsider, open }) => {
        const first = await filledSqlite(directory)
        const present = { kind: 'postgres', url } as const
        await copy(first, present)
        const store = await open()
        const path = join(directory, 'meanwhile.sqlite')
        let isFirst = true
        await reading(present, (source) =>
          filling({ kind: 'sqlite', path }, (target) =>
            copyRows({
              from: {
                async *pages(table) {
                  yield* source.pages(table)
                  if (isFirst) await store.write([`account ${accountId(9)}`], (tx) => tx.accounts.insert(account(9)))
                  isFirst = false
                },
              },
              to: target,
            }),
          ),
        )
        assert.deepEqual(await rowsOf({ kind: 'sqlite', path }), await rowsOf(first))
        const { rows } = await outsider.query('select count(*) from accounts')
        assert.equal(Number(rows[0]?.count), 4)

        // A target that loses the last byte of a value.
        const broken = join(directory, 'broken.sqlite')
        const losing = (target: RowTarget): RowTarget => ({
          ...target,
          add: (table, page) =>
            target.add(
              table,
              page.map((row) => (table.name === 'holds' ? { ...row, reason: 'x' } : row)),
            ),
        })
        await assert.rejects(
          reading(present, (source) =>
            filling({ kind: 'sqlite', path: broken }, (target) => copyRows({ from: source, to: losing(target) })),
          ),
          (error) => error instanceof RowsDiffer && /holds/.test(error.message),
        )
        assert.equal((await stat(broken)).size, 0)
      })(),
    ),
  )
})
