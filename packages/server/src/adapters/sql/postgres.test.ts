import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { durableStoreContract, storeContract } from '../../ports/store.contract.ts'
import { StorageUnavailable } from '../../ports/store.ts'
import { account, accountId, atOnce, bytes, link, seed, upload } from '../../ports/storeContract/world.ts'
import {
  asOwner,
  endOthers,
  fact,
  inDatabase,
  inOwnDatabase,
  openWorld,
  setFact,
  urlOf,
} from '../../testing/postgresStores.ts'
import { DatabaseTooNew } from './migrations.ts'
import { openPostgresStore } from './postgres.ts'
import { createConnections } from './postgresConnections.ts'
import { createPostgresHealth } from './postgresHealth.ts'
import { inSnapshot } from './postgresTransactions.ts'
import { createWriteTx } from './tx.ts'

storeContract('PostgreSQL', openWorld)
durableStoreContract('PostgreSQL', openWorld)

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
      await asOwner(`alter system set fsync = ${value}`)
      await asOwner('select pg_reload_conf()')
      // The server takes it up a moment later; if it never does, the test's own time ends this.
      for (let shown = ''; shown !== value; ) shown = (await asOwner('show fsync')).rows[0].fsync
    }
    await setSync('off')
    try {
      await assert.rejects(openPostgresStore({ url: urlOf('migrated') }), /fsync = off/)
    } finally {
      await setSync('on')
    }
  })

  it('tells a server that does not answer from one that refuses', async () => {
    const nobodyThere = openPostgresStore({ url: 'postgresql://blindkeep@localhost/any?host=/nowhere' })
    await assert.rejects(nobodyThere, StorageUnavailable)
    const noDatabase = openPostgresStore({ url: urlOf('missing') })
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
    await asOwner('alter role blindkeep set synchronous_commit = off')
    try {
      await inSession(async (session) => {
        const names = ['synchronous_commit', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
        const values: unknown[] = []
        for (const name of names) values.push((await session.ask({ text: `show ${name}` })).rows[0]?.[name])
        assert.deepEqual(values, ['on', '10s', '20s', '30s'])
      })()
    } finally {
      await asOwner('alter role blindkeep reset synchronous_commit')
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
