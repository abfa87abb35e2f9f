import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { CompiledQuery } from 'kysely'
import { account, accountId, bytes, link, seed } from '../../../contracts/store/world.ts'
import { durableStoreContract, storeContract } from '../../../contracts/store.ts'
import { StoreBroken } from '../../../ports/store.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { openMemoryStore } from '../../../testing/memoryStore.ts'
import { DatabaseTooNew } from '../migrations/migrations.ts'
import { openConnection, refuseOldSqlite } from './connection.ts'
import { createHealth } from './health.ts'
import { openSqliteStore } from './store.ts'

async function openInMemory() {
  const store = await openMemoryStore()
  return { store, close: () => store.close() }
}

/** The first world migrates its file, the others begin with a copy of it. */
async function openInFile() {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-sqlite-'))
  const path = join(directory, 'blindkeep.sqlite')
  migrated ??= readMigrated(path)
  writeFileSync(path, await migrated, { mode: 0o600 })
  let current = await openSqliteStore({ path })
  const reopen = async () => {
    await current.close()
    current = await openSqliteStore({ path })
    return current
  }
  const close = async () => {
    await current.close()
    rmSync(directory, { recursive: true })
  }
  return { store: current, path, reopen, close }
}

let migrated: Promise<Buffer> | undefined

async function readMigrated(path: string): Promise<Buffer> {
  const store = await openSqliteStore({ path })
  await store.close()
  return readFileSync(path)
}

type FileWorld = Awaited<ReturnType<typeof openInFile>>

function inFile(work: (world: FileWorld) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = await openInFile()
    try {
      await work(world)
    } finally {
      await world.close()
    }
  }
}

storeContract('SQLite in memory', openInMemory)
storeContract('SQLite in a file', openInFile)
durableStoreContract('SQLite in a file', openInFile)

describe('a look at a SQLite store', () => {
  const inMemory = async (work: (world: Awaited<ReturnType<typeof openInMemory>>) => Promise<void>) => {
    const world = await openInMemory()
    await work(world).finally(world.close)
  }

  it('tells a number, in a file and in memory', async () => {
    await inMemory(async ({ store }) => assert.equal(typeof (await store.look()), 'number'))
    await inFile(async ({ store }) => assert.equal(typeof (await store.look()), 'number'))()
  })

  it(
    'shows what another process committed, once it has',
    inFile(async ({ store, path }) => {
      const before = await store.look()
      const other = new DatabaseSync(path)
      other.exec("begin immediate; insert into server_facts (name, value) values ('server_id', x'01')")
      assert.equal(await store.look(), before)
      other.exec('commit')
      other.close()
      assert.notEqual(await store.look(), before)
    }),
  )

  it(
    'shows what another process committed before the last of several calls in one turn',
    inFile(async ({ store, path }) => {
      const before = await store.look()
      const other = new DatabaseSync(path)
      const first = store.look()
      other.exec("insert into server_facts (name, value) values ('server_id', x'01')")
      other.close()
      const [atFirst, atLast] = await Promise.all([first, store.look()])
      assert.notEqual(atLast, before)
      assert.equal(atFirst, atLast)
    }),
  )
})

describe('opening a SQLite store', () => {
  it(
    'creates the file and its log readable by their owner only, with any umask',
    inFile(async ({ path }) => {
      const umask = process.umask(0)
      const other = `${path}-2`
      const store = await openSqliteStore({ path: other })
      process.umask(umask)
      for (const file of [other, `${other}-wal`, `${other}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600)
      await store.close()
    }),
  )

  it(
    'refuses a database of a newer release, and leaves it unchanged',
    inFile(async ({ store, path, reopen }) => {
      await seed(store)
      await store.close()
      const database = new DatabaseSync(path)
      database.exec('insert into migrations (number, serves) values (99, 99)')
      await assert.rejects(openSqliteStore({ path }), DatabaseTooNew)
      database.exec('delete from migrations where number = 99')
      database.close()
      const reopened = await reopen()
      assert.ok(await reopened.read((tx) => tx.accounts.find(accountId(1))))
    }),
  )

  it('gives each store in memory its own database', async () => {
    const [one, other] = [await openSqliteStore({ path: ':memory:' }), await openSqliteStore({ path: ':memory:' })]
    await seed(one)
    assert.equal(await other.read((tx) => tx.accounts.find(accountId(1))), undefined)
    await one.close()
    await other.close()
  })

  it('refuses versions of SQLite that can corrupt a database', () => {
    for (const version of ['3.40.1', '3.51.2', '2.99.99']) assert.throws(() => refuseOldSqlite(version), /3\.51\.3/)
    for (const version of ['3.51.3', '3.52.0', '4.0.0']) refuseOldSqlite(version)
  })
})

describe('the connections of a SQLite store', () => {
  it(
    'keep a write-ahead log, sync each commit and enforce foreign keys',
    inFile(async ({ path }) => {
      for (const queryOnly of [false, true]) {
        const connection = openConnection(path, { health: createHealth(), queryOnly })
        const answers = await connection.lend((db) =>
          Promise.all(
            ['journal_mode', 'synchronous', 'foreign_keys', 'query_only'].map(
              async (name) => (await db.run(CompiledQuery.raw(`pragma ${name}`))).rows[0],
            ),
          ),
        )
        connection.close()
        const values = answers.map((row) => Object.values(row ?? {})[0])
        assert.deepEqual(values, ['wal', 2, 1, queryOnly ? 1 : 0])
      }
    }),
  )

  it(
    'refuse a row whose foreign key refers to no row',
    inFile(async ({ store }) => {
      await assert.rejects(
        store.write([], (tx) => tx.links.insert(link(1, { accountId: accountId(9) }))),
        /FOREIGN KEY/,
      )
    }),
  )

  it(
    'refuse writes if they are read-only',
    inFile(async ({ store, path }) => {
      await seed(store)
      const reader = openConnection(path, { health: createHealth(), queryOnly: true })
      const insertion = reader.lend((db) => createWriteTx(db, () => undefined).accounts.insert(account(3)))
      await assert.rejects(insertion, /readonly/)
      const charge = reader.lend((db) => createWriteTx(db, () => undefined).accounts.charge(accountId(1), 1, undefined))
      await assert.rejects(charge, /readonly/)
      reader.close()
      assert.equal((await store.read((tx) => tx.accounts.find(accountId(1))))?.usedBytes, 0)
    }),
  )

  it(
    'reject and undo a work that awaits something other than its tx, and refuse that tx afterwards',
    inFile(async ({ store }) => {
      const { promise: afterwards, resolve } = Promise.withResolvers<unknown>()
      const held = store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        await new Promise((wake) => setImmediate(wake))
        resolve(await tx.accounts.insert(account(2)).catch((error) => error))
      })
      const other = store.write([], (tx) => tx.accounts.insert(account(3)))
      await assert.rejects(held, /awaited something other/)
      assert.equal(await other, true)
      assert.match(String(await afterwards), /transaction is over/)
      const read = store.read(() => new Promise((wake) => setImmediate(wake)))
      await assert.rejects(read, /awaited something other/)
      const found = await store.read((tx) =>
        Promise.all([1, 2, 3].map(async (number) => (await tx.accounts.find(accountId(number))) !== undefined)),
      )
      assert.deepEqual(found, [false, false, true])
    }),
  )
})

/** Overwrites the root of a table in a closed database. */
function ruin(path: string, table: string): void {
  const database = new DatabaseSync(path)
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, bytes(4096, 0xff), 0, 4096, (Number(row?.rootpage) - 1) * 4096)
  closeSync(file)
}

describe('a SQLite store whose database fails', () => {
  it(
    'is broken permanently: waiting and later calls are rejected',
    inFile(async ({ store, path, reopen }) => {
      await seed(store)
      await store.close()
      ruin(path, 'accounts')
      const ruined = await reopen()
      assert.equal(await ruined.read((tx) => tx.server.fact('server_id')), undefined)
      const answers = await Promise.allSettled([
        ruined.read((tx) => tx.accounts.find(accountId(1))),
        ruined.read((tx) => tx.server.fact('server_id')),
        ruined.write([], (tx) => tx.server.setFact('server_id', bytes(1))),
      ])
      for (const answer of answers) assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreBroken)
      await assert.rejects(
        ruined.read((tx) => tx.server.fact('server_id')),
        StoreBroken,
      )
      await assert.rejects(
        ruined.write([], async () => undefined),
        StoreBroken,
      )
      await assert.rejects(
        ruined.withReceiptLogLock(async () => undefined),
        StoreBroken,
      )
    }),
  )

  it(
    'acknowledges no write of a commit with a failure, even if the work hid the failure',
    inFile(async ({ store, path, reopen }) => {
      await seed(store)
      await store.close()
      ruin(path, 'accounts')
      const ruined = await reopen()
      const answers = await Promise.allSettled([
        ruined.write([], (tx) => tx.server.setFact('server_id', bytes(1))),
        ruined.write([], (tx) => tx.accounts.find(accountId(1)).catch(() => undefined)),
      ])
      for (const answer of answers) assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreBroken)
    }),
  )

  it(
    'is broken when its file cannot be written, although the log can',
    { skip: existsSync('/usr/bin/strace') ? false : 'needs strace' },
    inFile(async ({ store, path }) => {
      await store.close()
      const moduleAt = (relative: string) => JSON.stringify(new URL(relative, import.meta.url).href)
      // The log takes more than 16 MB before a part of it belongs into the file.
      const script = `
        const { openSqliteStore } = await import(${moduleAt('./store.ts')})
        const store = await openSqliteStore({ path: ${JSON.stringify(path)} })
        for (let count = 0; count < 20; count += 1)
          await store.write([], (tx) => tx.server.setFact('server_id', new Uint8Array(1_000_000).fill(count)))
            .catch((error) => { console.log(error.name, error.cause?.errcode); process.exit() })
        console.log('every write was acknowledged')`
      const fault = ['-f', '-qq', '-o', '/dev/null', '-P', path, '-e', 'inject=pwrite64:error=EIO']
      const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
      const { stdout } = await promisify(execFile)('strace', [...fault, ...node])
      // SQLITE_IOERR_WRITE
      assert.equal(stdout.trim(), 'StoreBroken 778')
    }),
  )
})
