import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { until } from '../../../../../../testing/until.ts'
import { account, accountId, at, atOnce, bytes, link, seed, upload } from '../../../contracts/store/world.ts'
import { durableStoreContract, storeContract } from '../../../contracts/store.ts'
import { StorageUnavailable } from '../../../ports/store.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { startPostgresServer } from '../../../testing/postgresServer.ts'
import {
  asOwner,
  endOthers,
  fact,
  inDatabase,
  inOwnDatabase,
  openWorld,
  setFact,
  urlOf,
} from '../../../testing/postgresStores.ts'
import { DatabaseTooNew } from '../migrations/migrations.ts'
import { createConnections } from './connections.ts'
import { createPostgresHealth } from './health.ts'
import { openPostgresStore } from './store.ts'
import { inSnapshot } from './transactions.ts'

storeContract('PostgreSQL', openWorld)
durableStoreContract('PostgreSQL', openWorld)

describe('opening a PostgreSQL store', () => {
  it(
    'creates the tables of a new database once, even if several processes open it simultaneously',
    inOwnDatabase(async ({ open, outsider }) => {
      const stores = await Promise.all([open(), open(), open(), open()])
      await Promise.all(stores.map((store, index) => store.write([], (tx) => tx.accounts.insert(account(index + 1)))))
      const { rows } = await outsider.query('select count(*) as accounts from accounts')
      assert.deepEqual(rows, [{ accounts: '4' }])
    }, 'template0'),
  )

  it(
    'refuses a database of a newer release, and leaves it unchanged',
    inOwnDatabase(async ({ open, outsider }) => {
      await outsider.query('insert into migrations (number, serves) values (99, 99)')
      await assert.rejects(open(), DatabaseTooNew)
      await outsider.query('delete from migrations where number = 99')
      await setFact(await open())
    }),
  )

  it(
    'counts the connections that it uses and those that are idle',
    inOwnDatabase(async ({ open }) => {
      const store = await open()
      const counts = () => store.connections?.()
      await store.read(async (tx) => {
        await tx.receipts.head()
        assert.deepEqual(counts(), { open: 1, idle: 0, waiting: 0 })
      })
      // The connection is given back a moment after the answer. If it never is, the test's time limit ends this.
      while (counts()?.idle !== 1) await new Promise(setImmediate)
      assert.deepEqual(counts(), { open: 1, idle: 1, waiting: 0 })
    }),
  )

  it('refuses a server that does not sync its commits', async () => {
    const setSync = async (value: 'on' | 'off') => {
      await asOwner(`alter system set fsync = ${value}`)
      await asOwner('select pg_reload_conf()')
      // The server applies the setting a moment later. If it never does, the test's time limit ends this.
      for (let shown = ''; shown !== value; ) shown = (await asOwner('show fsync')).rows[0].fsync
    }
    await setSync('off')
    try {
      await assert.rejects(openPostgresStore({ url: urlOf('migrated') }), /fsync = off/)
    } finally {
      await setSync('on')
    }
  })

  it('distinguishes a server that does not answer from one that refuses', async () => {
    const unreachable = openPostgresStore({ url: 'postgresql://blindkeep@localhost/any?host=/nowhere' })
    await assert.rejects(unreachable, StorageUnavailable)
    const noDatabase = openPostgresStore({ url: urlOf('missing') })
    await assert.rejects(
      noDatabase,
      (error) => !(error instanceof StorageUnavailable) && /does not exist/.test(String(error)),
    )
  })

  it(
    'creates text columns that compare by bytes, and bigint columns for numbers and booleans',
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
  it('say before their use that they lead to a server that has started again, and nothing when only they were lost', async () => {
    const server = await startPostgresServer()
    const store = await openPostgresStore({ url: server.url('postgres') })
    const happened: string[] = []
    store.onOtherServer?.(() => happened.push('another server'))
    const use = (what: string) =>
      until(
        () =>
          store
            .read(async (tx) => {
              await tx.server.fact('life')
              happened.push(what)
            })
            .then(
              () => true,
              () => false,
            ),
        what,
      )
    try {
      await use('first')
      const outsider = new Client(server.url('postgres'))
      await outsider.connect()
      await endOthers(outsider)
      await outsider.end()
      await use('after a loss')
      await server.restart()
      await use('after a start')
      await store.withReceiptLogLock(async () => void happened.push('by the other pool'))
      assert.deepEqual(happened, ['first', 'after a loss', 'another server', 'after a start', 'by the other pool'])
    } finally {
      await store.close()
      await server.stop()
    }
  })

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

  it(
    'are known to be lost when the server ends with its first answer',
    inDatabase(async ({ url }) => {
      const proxy = await startEndingProxy(url)
      const connections = connectionsTo(proxy.url)
      try {
        const ask = () => connections.use((session) => session.ask({ text: 'select 1' }))
        await assert.rejects(ask(), StorageUnavailable)
        assert.deepEqual((await ask()).rows, [[1]])
      } finally {
        await connections.end()
        proxy.stop()
      }
    }),
  )

  it('commit to disk and wait for nothing without a bound, whatever the role says', async () => {
    await asOwner('alter role blindkeep set synchronous_commit = off')
    try {
      await inSession(async (session) => {
        const names = ['synchronous_commit', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
        const values: unknown[] = []
        for (const name of names) values.push((await session.ask({ text: `show ${name}` })).rows[0]?.[0])
        assert.deepEqual(values, ['on', '10s', '20s', '5s'])
      })()
    } finally {
      await asOwner('alter role blindkeep reset synchronous_commit')
    }
  })

  it(
    'refuse writes in a read transaction',
    inSession(async (session) => {
      const isReadOnly = (error: Error) => /read-only/.test(String(error.cause))
      const insertion = inSnapshot(session, (db) => createWriteTx(db, () => undefined).accounts.insert(account(1)))
      await assert.rejects(insertion, isReadOnly)
      const charge = inSnapshot(session, (db) =>
        createWriteTx(db, () => undefined).accounts.charge(accountId(1), 1, undefined),
      )
      await assert.rejects(charge, isReadOnly)
    }),
  )

  it(
    'refuse a number that is too large to be exact',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      const max = Number.MAX_SAFE_INTEGER
      await store.write([], (tx) => tx.uploads.insert(upload(1, { size: max })))
      const given = { accountId: accountId(1), activeSince: at(0), accountBytesMax: 1 }
      const claimed = () => store.read((tx) => tx.uploads.claims(given))
      assert.equal((await claimed()).ownBytes, max)
      await store.write([], (tx) => tx.uploads.insert(upload(2, { size: 1 })))
      await assert.rejects(claimed(), /9007199254740992/)
    }),
  )

  it(
    'refuse a row whose foreign key refers to no row',
    inDatabase(async ({ open }) => {
      const store = await open()
      await assert.rejects(
        store.write([], (tx) => tx.links.insert(link(1, { accountId: accountId(9) }))),
        /foreign key/,
      )
    }),
  )

  it(
    'are replaced after they were lost while idle',
    inDatabase(async ({ open, outsider }) => {
      const store = await open()
      await setFact(store)
      await endOthers(outsider)
      // The store notices the loss at its next query at the latest.
      await fact(store).catch((error) => assert.ok(error instanceof StorageUnavailable))
      assert.deepEqual(await fact(store), bytes(1))
    }),
  )

  it(
    'close after all calls were answered, also waiting and repeated ones',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      const charges = atOnce(store, 64, (tx) => tx.accounts.charge(accountId(1), 1, undefined))
      await store.close()
      assert.ok((await charges).every((each) => each))
    }),
  )

  it(
    'keep working after a newer release changes the tables',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await seed(store)
      const find = () => store.read((tx) => tx.accounts.find(accountId(1)))
      await find()
      await outsider.query('alter table accounts add column novelty bigint')
      assert.equal((await find())?.email, account(1).email)
    }),
  )
})

/** The first connection ends with the answer to its first statements, as when an operator stops the server then. */
async function startEndingProxy(to: string) {
  const { host, port, user, database } = new Client({ connectionString: to })
  let isFirst = true
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    let isStarted = false
    const ends = isFirst
    isFirst = false
    client.on('data', (sent) => {
      isStarted ||= sent.includes('synchronous_commit')
      upstream.write(sent)
    })
    upstream.on('data', (answer) => {
      if (!(ends && isStarted)) client.write(answer)
      else client.end(Buffer.concat([answer, SHUTDOWN]))
    })
    for (const [from, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from.on('error', () => undefined).on('close', () => other.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return { url: `postgres://${user}@127.0.0.1:${own}/${database}`, stop: () => server.close() }
}

/** An ErrorResponse (PostgreSQL, frontend/backend protocol). */
const SHUTDOWN = errorResponse('SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command')

function errorResponse(...fields: readonly string[]): Buffer {
  const body = Buffer.from(`${fields.join('\0')}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
