import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { durableStoreContract, storeContract } from '../../ports/store.contract.ts'
import { StorageUnavailable, type Store, StoreBroken } from '../../ports/store.ts'
import { account, accountId, atOnce, bytes, link, seed, upload } from '../../ports/storeContract/world.ts'
import { type PostgresServer, startPostgresServer } from '../../testing/postgresServer.ts'
import { DatabaseTooNew } from './migrations.ts'
import { openPostgresStore } from './postgres.ts'
import { createConnections } from './postgresConnections.ts'
import { createPostgresHealth, Overtaken } from './postgresHealth.ts'
import { inSnapshot } from './postgresTransactions.ts'
import { createWriteTx } from './tx.ts'

/** One for all tests of this file. */
let server: PostgresServer
/** The owner of everything, outside of all stores. */
let owner: Client
let databases = 0
/** Databases of worlds that have closed, empty again: PostgreSQL takes a tenth of a second to make another. */
const emptied: Client[] = []

before(async () => {
  server = await startPostgresServer()
  owner = await connect('postgres')
  await owner.query('create database migrated')
  await (await openPostgresStore({ url: server.url('migrated') })).close()
})

after(async () => {
  for (const client of [...emptied, owner]) await client?.end()
  await server?.stop()
})

async function connect(database: string): Promise<Client> {
  const client = new Client(server.url(database))
  // Some tests end connections from the other side.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function createDatabase(template: 'migrated' | 'template0'): Promise<string> {
  databases += 1
  await owner.query(`create database world_${databases} template ${template}`)
  return `world_${databases}`
}

/** Row by row, as to make a table's files anew takes longer; and without triggers, so that the order of the tables does not matter. */
const emptying = `
  set session_replication_role = replica;
  do $$
    declare name text;
    begin
      for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
        execute format('delete from %I', name);
      end loop;
    end
  $$;
  reset session_replication_role`

async function takeDatabase(): Promise<Client> {
  return emptied.pop() ?? (await connect(await createDatabase('migrated')))
}

async function giveBack(outsider: Client): Promise<void> {
  await outsider.query(emptying)
  emptied.push(outsider)
}

async function openWorld() {
  const outsider = await takeDatabase()
  const url = server.url(String(outsider.database))
  let current = await openPostgresStore({ url })
  const reopen = async () => {
    await current.close()
    current = await openPostgresStore({ url })
    return current
  }
  const close = async () => {
    await current.close()
    await giveBack(outsider)
  }
  return { store: current, reopen, close }
}

storeContract('PostgreSQL', openWorld)
durableStoreContract('PostgreSQL', openWorld)

interface Database {
  readonly url: string
  /** As another program would reach it. */
  readonly outsider: Client
  /** A store over it, as one more process would have it. */
  open(): Promise<Store>
}

function inDatabase(work: (database: Database) => Promise<void>) {
  return async () => {
    const outsider = await takeDatabase()
    await withStores(outsider, work)
    await giveBack(outsider)
  }
}

/** For a test that changes more than rows, so that no other can use the database after it. */
function inOwnDatabase(work: (database: Database) => Promise<void>, template: 'migrated' | 'template0' = 'migrated') {
  return async () => {
    const outsider = await connect(await createDatabase(template))
    try {
      await withStores(outsider, work)
    } finally {
      await outsider.end()
      await owner.query(`drop database ${outsider.database} with (force)`)
    }
  }
}

async function withStores(outsider: Client, work: (database: Database) => Promise<void>): Promise<void> {
  const url = server.url(String(outsider.database))
  const stores: Store[] = []
  const open = async () => {
    const store = await openPostgresStore({ url })
    stores.push(store)
    return store
  }
  try {
    await work({ url, outsider, open })
  } finally {
    for (const store of stores) await store.close()
  }
}

/** Ends every other connection to the database, and waits until they are gone. */
async function endOthers(outsider: Client): Promise<void> {
  await outsider.query(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
}

/** Makes each change of `server_facts` do what `body` says, at once or when it is committed. */
async function trigger(outsider: Client, body: string, when: 'at once' | 'in commit'): Promise<void> {
  const deferred = when === 'in commit' ? 'deferrable initially deferred' : ''
  await outsider.query(`
    create function act() returns trigger language plpgsql as $$ begin ${body}; return null; end $$;
    create constraint trigger acting after insert or update on server_facts ${deferred} for each row execute function act()`)
}

const raise = (code: string) => `raise exception 'as arranged' using errcode = '${code}'`
const setFact = (store: Store) => store.write((tx) => tx.server.setFact('server_id', bytes(1)))
const fact = (store: Store) => store.read((tx) => tx.server.fact('server_id'))

describe('opening a PostgreSQL store', () => {
  it(
    'makes the tables of a new database once, however many open it at the same time',
    inOwnDatabase(async ({ open, outsider }) => {
      const stores = await Promise.all([open(), open(), open(), open()])
      await Promise.all(stores.map((store, index) => store.write((tx) => tx.accounts.insert(account(index + 1)))))
      const { rows } = await outsider.query('select count(*) as accounts from accounts')
      assert.deepEqual(rows, [{ accounts: '4' }])
    }, 'template0'),
  )

  it(
    'refuses a database that a newer release wrote, and leaves it as it is',
    inOwnDatabase(async ({ open, outsider }) => {
      await outsider.query('insert into migrations (number) values (99)')
      await assert.rejects(open(), DatabaseTooNew)
      await outsider.query('delete from migrations where number = 99')
      await setFact(await open())
    }),
  )

  it('refuses a server that does not sync what it commits', async () => {
    const setSync = async (value: 'on' | 'off') => {
      await owner.query(`alter system set fsync = ${value}`)
      await owner.query('select pg_reload_conf()')
      // The server takes it up a moment later; if it never does, the test's own time ends this.
      for (let shown = ''; shown !== value; ) shown = (await owner.query('show fsync')).rows[0].fsync
    }
    await setSync('off')
    try {
      await assert.rejects(openPostgresStore({ url: server.url('migrated') }), /fsync = off/)
    } finally {
      await setSync('on')
    }
  })

  it('tells a server that does not answer from one that refuses', async () => {
    const nobodyThere = openPostgresStore({ url: 'postgresql://blindkeep@localhost/any?host=/nowhere' })
    await assert.rejects(nobodyThere, StorageUnavailable)
    const noDatabase = openPostgresStore({ url: server.url('missing') })
    await assert.rejects(
      noDatabase,
      (error) => !(error instanceof StorageUnavailable) && /does not exist/.test(String(error)),
    )
  })

  it(
    'makes every text compare by its bytes, and every number and yes or no a bigint',
    inDatabase(async ({ outsider }) => {
      const { rows } = await outsider.query(`
        select table_name, column_name, data_type, collation_name from information_schema.columns
        where table_schema = 'public'
          and not (data_type in ('bigint', 'bytea') or (data_type = 'text' and collation_name is not distinct from 'C'))`)
      assert.deepEqual(rows, [])
    }),
  )
})

describe('the connections of a PostgreSQL store', () => {
  const inSession = (work: Parameters<ReturnType<typeof connectionsTo>['use']>[0]) =>
    inDatabase(async ({ url }) => {
      const connections = connectionsTo(url)
      try {
        await connections.use(work)
      } finally {
        await connections.end()
      }
    })
  const connectionsTo = (url: string) =>
    createConnections({ url, health: createPostgresHealth(), connectionsMax: 1, answerTimeoutMs: 20_000 })

  it('commit to disk and wait for nothing for ever, whatever the role says', async () => {
    await owner.query('alter role blindkeep set synchronous_commit = off')
    try {
      await inSession(async (session) => {
        const names = ['synchronous_commit', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
        const values: unknown[] = []
        for (const name of names) values.push((await session.ask({ text: `show ${name}` })).rows[0]?.[name])
        assert.deepEqual(values, ['on', '10s', '20s', '30s'])
      })()
    } finally {
      await owner.query('alter role blindkeep reset synchronous_commit')
    }
  })

  it(
    'refuse writes where they are for reads',
    inSession(async (session) => {
      const insertion = inSnapshot(session, (db) => createWriteTx(db).accounts.insert(account(1)))
      await assert.rejects(insertion, /read-only/)
      const charge = inSnapshot(session, (db) => createWriteTx(db).accounts.charge(accountId(1), 1, undefined))
      await assert.rejects(charge, /read-only/)
    }),
  )

  it(
    'round no number that is too large to be exact',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      await store.write((tx) => tx.uploads.insert(upload(1, { size: Number.MAX_SAFE_INTEGER })))
      assert.equal(await store.read((tx) => tx.uploads.outstandingBytes()), Number.MAX_SAFE_INTEGER)
      await store.write((tx) => tx.uploads.insert(upload(2, { size: 1 })))
      await assert.rejects(
        store.read((tx) => tx.uploads.outstandingBytes()),
        /9007199254740992/,
      )
    }),
  )

  it(
    'take no row without the one it belongs to',
    inDatabase(async ({ open }) => {
      const store = await open()
      await assert.rejects(
        store.write((tx) => tx.links.insert(link(1, { accountId: accountId(9) }))),
        /foreign key/,
      )
    }),
  )

  it(
    'are replaced when they were lost while nobody used them',
    inDatabase(async ({ open, outsider }) => {
      const store = await open()
      await setFact(store)
      await endOthers(outsider)
      // The store learns of it no later than when it asks again.
      await fact(store).catch((error) => assert.ok(error instanceof StorageUnavailable))
      assert.deepEqual(await fact(store), bytes(1))
    }),
  )

  it(
    'are closed when all has been answered, also what still waits for one of them or is run again',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      const charges = atOnce(store, 64, (tx) => tx.accounts.charge(accountId(1), 1, undefined))
      await store.close()
      assert.ok((await charges).every((each) => each))
    }),
  )

  it(
    'outlive a newer release that changes the tables',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await seed(store)
      const find = () => store.read((tx) => tx.accounts.find(accountId(1)))
      await find()
      await outsider.query('alter table accounts add column novelty bigint')
      await find().catch((error) => assert.ok(error instanceof StorageUnavailable))
      assert.equal((await find())?.email, account(1).email)
    }),
  )
})

/** Both get here before either goes on; later ones are let through. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return async () => {
    arrived += 1
    if (arrived >= count) resolve()
    await promise
  }
}

describe('writes of several processes to PostgreSQL', () => {
  it(
    'run again, the second of two that could not have come one after another',
    inDatabase(async ({ open }) => {
      const [one, other] = [await open(), await open()]
      const bothHaveRead = meeting(2)
      let runs = 0
      const setUnless = (store: Store, own: 'server_id' | 'token_key', others: 'server_id' | 'token_key') =>
        store.write(async (tx) => {
          runs += 1
          const free = (await tx.server.fact(others)) === undefined
          await bothHaveRead()
          if (free) await tx.server.setFact(own, bytes(1))
          return free
        })
      const answers = await Promise.all([
        setUnless(one, 'server_id', 'token_key'),
        setUnless(other, 'token_key', 'server_id'),
      ])
      assert.deepEqual(answers.toSorted(), [false, true])
      assert.equal(runs, 3)
    }),
  )

  it(
    'lose nothing of each other when all change one row',
    inDatabase(async ({ open }) => {
      const stores = [await open(), await open()]
      await seed(stores[0] as Store)
      const charges = stores.map((store) => atOnce(store, 64, (tx) => tx.accounts.charge(accountId(1), 1, 100)))
      const admitted = (await Promise.all(charges)).flat().filter((each) => each)
      assert.equal(admitted.length, 100)
    }),
  )

  it(
    'are given up when others are faster each time, also if the work hides it',
    inDatabase(async ({ open, outsider }) => {
      const store = await open()
      await setFact(store)
      let runs = 0
      const write = store.write(async (tx) => {
        runs += 1
        await tx.server.fact('server_id')
        await outsider.query(`update server_facts set value = value || 'x'`)
        await tx.server.setFact('server_id', bytes(9)).catch(() => undefined)
        await tx.server.fact('token_key').catch(() => undefined)
      })
      await assert.rejects(write, Overtaken)
      assert.equal(runs, 3)
      assert.equal((await fact(store))?.length, 4)
    }),
  )

  it(
    'hold the lock of the receipt log one at a time',
    inDatabase(async ({ open }) => {
      const [one, other] = [await open(), await open()]
      let holders = 0
      const hold = (store: Store) =>
        store.withReceiptLogLock(async () => {
          holders += 1
          assert.equal(holders, 1)
          await setFact(store)
          holders -= 1
        })
      await Promise.all([one, other, one, other, one, other].map(hold))
    }),
  )

  it(
    'take the lock of the receipt log from one that has lost its connection',
    inDatabase(async ({ open, outsider }) => {
      const [one, other] = [await open(), await open()]
      await one.withReceiptLogLock(async () => {
        await endOthers(outsider)
        assert.equal(await other.withReceiptLogLock(async () => 'taken'), 'taken')
      })
      assert.equal(await one.withReceiptLogLock(async () => 'taken again'), 'taken again')
    }),
  )
})

describe('a PostgreSQL store whose database fails', () => {
  it(
    'rejects with StorageUnavailable when the disk is full, in a statement and in the commit, and goes on when it is not',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      for (const when of ['at once', 'in commit'] as const) {
        await trigger(outsider, raise('53100'), when)
        await assert.rejects(setFact(store), StorageUnavailable)
        assert.equal(await fact(store), undefined)
        await outsider.query('drop function act cascade')
      }
      await setFact(store)
      assert.deepEqual(await fact(store), bytes(1))
    }),
  )

  it(
    'runs a write again that is found in the commit to have been overtaken',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await outsider.query('create sequence tries')
      await trigger(outsider, `if nextval('tries') = 1 then ${raise('40001')}; end if`, 'in commit')
      await setFact(store)
      assert.deepEqual(await fact(store), bytes(1))
      assert.deepEqual((await outsider.query('select last_value as tries from tries')).rows, [{ tries: '2' }])
    }),
  )

  it(
    'has changed nothing when the connection is lost before the commit, and goes on over another',
    inDatabase(async ({ open, outsider }) => {
      const store = await open()
      const write = store.write(async (tx) => {
        await tx.server.setFact('server_id', bytes(1))
        await endOthers(outsider)
      })
      await assert.rejects(write, StorageUnavailable)
      const read = store.read(async (tx) => {
        await tx.server.fact('server_id')
        await endOthers(outsider)
        await tx.server.fact('server_id').catch(() => undefined)
      })
      await assert.rejects(read, StorageUnavailable)
      assert.equal(await fact(store), undefined)
      await setFact(store)
    }),
  )

  it(
    'acknowledges nothing any more when the connection is lost in the commit: nobody knows whether that came to be',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await fact(store)
      await trigger(outsider, 'perform pg_terminate_backend(pg_backend_pid())', 'in commit')
      await assert.rejects(setFact(store), StoreBroken)
      await assert.rejects(fact(store), StoreBroken)
      await assert.rejects(
        store.write(async () => undefined),
        StoreBroken,
      )
      await assert.rejects(
        store.withReceiptLogLock(async () => undefined),
        StoreBroken,
      )
      assert.equal(await fact(await open()), undefined)
    }),
  )

  it(
    'acknowledges nothing any more when data is corrupted, even if the work hid it',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await trigger(outsider, raise('XX001'), 'at once')
      const write = store.write((tx) => tx.server.setFact('server_id', bytes(1)).catch(() => undefined))
      await assert.rejects(write, StoreBroken)
      await assert.rejects(fact(store), StoreBroken)
    }),
  )
})
