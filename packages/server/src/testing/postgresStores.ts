/** Stores over PostgreSQL for tests. Importing this module starts a server before the first test. */
import { after, before } from 'node:test'
import { Client } from 'pg'
import { openPostgresStore } from '../adapters/sql/postgres/store.ts'
import { bytes } from '../contracts/store/world.ts'
import type { Store } from '../ports/store.ts'
import { installLockWitness } from './lockWitness.ts'
import { type PostgresServer, startPostgresServer } from './postgresServer.ts'

/** Serves all tests of a process. */
let server: PostgresServer
/** A connection as owner of all databases, outside of the stores. */
let owner: Client
let databases = 0
type Template = 'migrated' | 'witnessed' | 'template0'
/** Emptied databases of closed worlds, for reuse: PostgreSQL takes a tenth of a second to make one. */
const emptied = { migrated: [] as Client[], witnessed: [] as Client[] }
/** Closed worlds with an empty database and an open store, for reuse: to open one takes longer than most tests. */
const spare: { readonly outsider: Client; readonly store: Store }[] = []

before(async () => {
  server = await startPostgresServer()
  owner = await connect('postgres')
  await owner.query('create database migrated')
  await (await openPostgresStore({ url: server.url('migrated') })).close()
  await owner.query('create database witnessed template migrated')
  const witnessed = await connect('witnessed')
  await installLockWitness(witnessed)
  await witnessed.end()
})

after(async () => {
  for (const { outsider, store } of spare) {
    await store.close()
    await outsider.end()
  }
  for (const client of [...emptied.migrated, ...emptied.witnessed, owner]) await client?.end()
  await server?.stop()
})

async function connect(database: string): Promise<Client> {
  const client = new Client(server.url(database))
  // Some tests end connections from the other side.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function createDatabase(template: Template): Promise<string> {
  databases += 1
  await owner.query(`create database world_${databases} template ${template}`)
  return `world_${databases}`
}

/** Deletes rows, as truncating takes longer. Disables triggers, so the order of the tables does not matter. */
const deleteAllRows = `
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

async function takeDatabase(template: keyof typeof emptied = 'migrated'): Promise<Client> {
  return emptied[template].pop() ?? (await connect(await createDatabase(template)))
}

async function giveBack(outsider: Client, template: keyof typeof emptied = 'migrated'): Promise<void> {
  await outsider.query(deleteAllRows)
  emptied[template].push(outsider)
}

export const urlOf = (database: string) => server.url(database)
export const asOwner = (text: string) => owner.query(text)

/** For the contract suites of a store. */
export async function openWorld() {
  const { outsider, store } = spare.pop() ?? (await newWorld())
  const url = server.url(String(outsider.database))
  let current = store
  const reopen = async () => {
    await current.close()
    current = await openPostgresStore({ url })
    return current
  }
  const close = async () => {
    if (!(await isOpen(current))) return giveBack(outsider)
    await outsider.query(deleteAllRows)
    spare.push({ outsider, store: current })
  }
  return { store, reopen, close }
}

async function newWorld() {
  const outsider = await takeDatabase()
  return { outsider, store: await openPostgresStore({ url: server.url(String(outsider.database)) }) }
}

/** Some tests close it. */
const isOpen = (store: Store) =>
  store
    .read(async () => undefined)
    .then(
      () => true,
      () => false,
    )

interface SharedDatabase {
  /** Opens a store, as one more process would. */
  open(): Promise<Store>
  /** Resolves when `call` has ended, or a transaction waits for a lock. */
  untilLockAwaited(call: Promise<unknown>): Promise<void>
  deadlocks(): Promise<number>
  close(): Promise<void>
}

/** A database that, if it is witnessed, refuses changes without their locks (lockWitness.ts). */
export async function openShared(template: keyof typeof emptied): Promise<SharedDatabase> {
  const outsider = await takeDatabase(template)
  const stores: Store[] = []
  return {
    async open() {
      const store = await openPostgresStore({ url: server.url(String(outsider.database)) })
      stores.push(store)
      return store
    },
    async untilLockAwaited(call) {
      let hasEnded = false
      const end = () => {
        hasEnded = true
      }
      call.then(end, end)
      const isAwaited = async () =>
        (
          await outsider.query(`
          select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`)
        ).rowCount !== 0
      while (!hasEnded && !(await isAwaited())) await new Promise(setImmediate)
    },
    async deadlocks() {
      await outsider.query('select pg_stat_clear_snapshot()')
      const { rows } = await outsider.query('select deadlocks from pg_stat_database where datname = current_database()')
      return Number(rows[0].deadlocks)
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()))
      await giveBack(outsider, template)
    },
  }
}

interface Database {
  readonly url: string
  /** A connection of another program. */
  readonly outsider: Client
  /** Opens a store, as one more process would. */
  open(): Promise<Store>
}

export function inDatabase(work: (database: Database) => Promise<void>) {
  return async () => {
    const outsider = await takeDatabase()
    await withStores(outsider, work)
    await giveBack(outsider)
  }
}

/** For a test that changes more than rows: no other test uses its database. */
export function inOwnDatabase(work: (database: Database) => Promise<void>, template: Template = 'migrated') {
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

/** Ends every other connection to the database, and waits for their end. */
export async function endOthers(outsider: Client): Promise<void> {
  await outsider.query(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
}

/** Rows of a table that were read, and entries of its indexes. Waits until all other connections have ended. */
export async function rowsRead(outsider: Client, table: string): Promise<number> {
  const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  while ((await outsider.query(others)).rowCount !== 0) await new Promise(setImmediate)
  await outsider.query('select pg_stat_clear_snapshot()')
  const { rows } = await outsider.query(
    `select seq_tup_read, (select sum(idx_tup_read) from pg_stat_user_indexes as own where own.relid = whole.relid)
       as idx_tup_read from pg_stat_user_tables as whole where relname = $1`,
    [table],
  )
  return Number(rows[0].seq_tup_read) + Number(rows[0].idx_tup_read)
}

export const setFact = (store: Store) => store.write([], (tx) => tx.server.setFact('server_id', bytes(1)))
export const fact = (store: Store) => store.read((tx) => tx.server.fact('server_id'))
