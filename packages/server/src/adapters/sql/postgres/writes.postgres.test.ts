import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Client } from 'pg'
import { account, accountId, atOnce, bytes, seed } from '../../../contracts/store/world.ts'
import {
  accountLock,
  type Locks,
  OutcomeUnknown,
  StorageUnavailable,
  type Store,
  StoreBroken,
} from '../../../ports/store.ts'
import { endOthers, fact, inDatabase, inOwnDatabase, setFact } from '../../../testing/postgresStores.ts'
import { Overtaken } from './health.ts'

/** Runs `body` on each change of `server_facts`, immediately or at the commit. */
async function trigger(outsider: Client, body: string, when: 'at once' | 'in commit'): Promise<void> {
  const deferred = when === 'in commit' ? 'deferrable initially deferred' : ''
  await outsider.query(`
    create function act() returns trigger language plpgsql as $$ begin ${body}; return null; end $$;
    create constraint trigger acting after insert or update on server_facts ${deferred} for each row execute function act()`)
}

const raise = (code: string) => `raise exception 'as arranged' using errcode = '${code}'`

/** Waits until both calls are here. Later calls pass. */
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
    'run one after another if they name a common lock: each sees what the ones before it committed',
    inDatabase(async ({ open }) => {
      const stores = [await open(), await open()]
      const setUnless = (store: Store, own: 'server_id' | 'token_key', others: 'server_id' | 'token_key') =>
        store.write(['server'], async (tx) => {
          const isFree = (await tx.server.fact(others)) === undefined
          if (isFree) await tx.server.setFact(own, bytes(1))
          return isFree
        })
      const answers = await Promise.all(
        stores.flatMap((store) => [
          setUnless(store, 'server_id', 'token_key'),
          setUnless(store, 'token_key', 'server_id'),
        ]),
      )
      // All that set the same fact, or only one of the two.
      assert.equal(answers.filter((isSet) => isSet).length, 2)
    }),
  )

  it(
    'run beside each other if they name no common lock, and wait for no one',
    inDatabase(async ({ open }) => {
      const [one, other] = [await open(), await open()]
      const bothAreInside = meeting(2)
      const names = [accountLock(accountId(1)), accountLock(accountId(2))] as const
      await Promise.all([one.write([names[0]], bothAreInside), other.write([names[1]], bothAreInside)])
    }),
  )

  it(
    'wait for a lock without a connection: many of one account hold up no one else',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      const { promise: othersAreDone, resolve: release } = Promise.withResolvers<void>()
      const busy = Array.from({ length: 200 }, () =>
        store.write([accountLock(accountId(1))], async (tx) => {
          await othersAreDone
          return tx.accounts.charge(accountId(1), 1, 200)
        }),
      )
      // The server ends a write that waits for too long inside.
      await Promise.all([
        store.read((tx) => tx.accounts.find(accountId(2))),
        store.write([accountLock(accountId(2))], (tx) => tx.accounts.charge(accountId(2), 1, 200)),
      ])
      release()
      assert.ok((await Promise.all(busy)).every((isCharged) => isCharged))
    }),
  )

  it(
    'never wait for each other in a circle, in whatever order they name their locks',
    inDatabase(async ({ open }) => {
      const stores = [await open(), await open()]
      const locks = [1, 2, 3, 4].map((number) => accountLock(accountId(number)))
      const writes = Array.from({ length: 40 }, (_, index) => {
        const named: Locks =
          index % 2 === 0 ? ['removal', ...locks, 'server'] : ['server', ...locks.toReversed(), 'removal']
        return (stores[index % 2] as Store).write(named, async (tx) => {
          await tx.server.fact('server_id')
        })
      })
      await Promise.all(writes)
    }),
  )

  it(
    'lose no change when all change one row',
    inDatabase(async ({ open }) => {
      const stores = [await open(), await open()]
      await seed(stores[0] as Store)
      const charges = stores.map((store) => atOnce(store, 64, (tx) => tx.accounts.charge(accountId(1), 1, 100)))
      const admitted = (await Promise.all(charges)).flat().filter((each) => each)
      assert.equal(admitted.length, 100)
    }),
  )

  it(
    'fail after a statement failed, even if the work hides it',
    inDatabase(async ({ open }) => {
      const store = await open()
      await seed(store)
      const write = store.write([], async (tx) => {
        await tx.accounts.insert(account(3))
        await tx.accounts.insert(account(1, { email: 'other@example.org' })).catch(() => undefined)
      })
      await assert.rejects(write, /accounts_pkey/)
      assert.equal(await store.read((tx) => tx.accounts.find(accountId(3))), undefined)
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
    'get the lock of the receipt log after its holder lost the connection',
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
    'rejects with StorageUnavailable on a full disk, in a statement and in the commit, and continues afterwards',
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
    'runs a write again, at most twice, if another transaction was in the way, and the steps of its last run',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await outsider.query('create sequence tries')
      await trigger(outsider, `if nextval('tries') = 1 then ${raise('40001')}; end if`, 'in commit')
      let runs = 0
      const steps: number[] = []
      await store.write([], async (tx) => {
        runs += 1
        const run = runs
        tx.afterCommit(() => steps.push(run))
        await tx.server.setFact('server_id', bytes(1))
      })
      assert.deepEqual([runs, steps], [2, [2]])
      assert.deepEqual(await fact(store), bytes(1))
      const tries = async () => (await outsider.query('select last_value as tries from tries')).rows[0].tries
      assert.equal(await tries(), '2')
      await outsider.query('drop function act cascade')
      await trigger(outsider, `perform nextval('tries'); ${raise('40P01')}`, 'at once')
      await assert.rejects(setFact(store), Overtaken)
      assert.equal(await tries(), '5')
    }),
  )

  it(
    'has changed nothing if the connection is lost before the commit, and continues over another connection',
    inDatabase(async ({ open, outsider }) => {
      const store = await open()
      const write = store.write([], async (tx) => {
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
    'rejects with OutcomeUnknown if the connection is lost during a commit, and continues over another connection',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await fact(store)
      await trigger(outsider, 'perform pg_terminate_backend(pg_backend_pid())', 'in commit')
      await assert.rejects(setFact(store), OutcomeUnknown)
      assert.equal(await fact(store), undefined)
      await outsider.query('drop function act cascade')
      await setFact(store)
    }),
  )

  it(
    'rejects with StorageUnavailable while the database is a standby, and leaves its connection',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await trigger(outsider, raise('25006'), 'at once')
      await assert.rejects(setFact(store), StorageUnavailable)
      await outsider.query('drop function act cascade')
      await setFact(store)
    }),
  )

  it(
    'acknowledges nothing more after data was corrupted, even if the work hid it',
    inOwnDatabase(async ({ open, outsider }) => {
      const store = await open()
      await trigger(outsider, raise('XX001'), 'at once')
      const write = store.write([], (tx) => tx.server.setFact('server_id', bytes(1)).catch(() => undefined))
      await assert.rejects(write, StoreBroken)
      await assert.rejects(fact(store), StoreBroken)
    }),
  )
})
