import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { at, receipt } from '../../contracts/store/world.ts'
import { StorageUnavailable, type Store } from '../../ports/store.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { openMemoryStore } from '../../testing/memoryStore.ts'
import { type Condition, declareCondition } from './condition.ts'
import { createFigures } from './figures.ts'
import { meterStore } from './store.ts'
import { meterLog } from './work.ts'

/** The lines of one metric, without its declaration. */
async function linesOf({ registry }: ReturnType<typeof createFigures>, name: string): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openMemoryStore()
  await work(store)
  await store.close()
}

describe('the condition of a server', () => {
  const conditionOf = (store: Store, given: Partial<Condition> = {}): Condition => ({
    store,
    presence: { freeBytes: () => 5 },
    clock: createHandClock(at(100)),
    receiptsWaiting: () => 3,
    unreadiness: () => [],
    isSetBack: () => false,
    freeSpaceFloorBytes: 7,
    lastBackupAt: async () => undefined,
    accounts: async () => ({ count: 3, suspended: 1, byQuota: { ok: 2, hard_exceeded: 1 }, usedBytes: 900 }),
    ...given,
  })

  it('says how far the clock is behind the last receipt', () =>
    withStore(async (store) => {
      const figures = createFigures()
      const clock = createHandClock(at(100))
      const look = declareCondition(conditionOf(store, { clock }), figures)
      await store.write(['chain'], (tx) => tx.receipts.append(undefined, [receipt(1, { receivedAt: at(100) })]))
      await look()
      assert.deepEqual(await linesOf(figures, 'blindkeep_receipt_log_ahead'), ['blindkeep_receipt_log_ahead_seconds 0'])
      clock.set(addSeconds(at(100), -90))
      await look()
      assert.deepEqual(await linesOf(figures, 'blindkeep_receipt_log_ahead'), [
        'blindkeep_receipt_log_ahead_seconds 90',
      ])
    }))

  it('counts accounts by state and quota, and the bytes that they are charged for', () =>
    withStore(async (store) => {
      const figures = createFigures()
      await declareCondition(conditionOf(store), figures)()
      assert.deepEqual(await linesOf(figures, 'blindkeep_accounts'), [
        'blindkeep_accounts{state="active"} 2',
        'blindkeep_accounts{state="suspended"} 1',
        'blindkeep_accounts_by_quota{state="ok"} 2',
        'blindkeep_accounts_by_quota{state="hard_exceeded"} 1',
      ])
      assert.deepEqual(await linesOf(figures, 'blindkeep_stored_bytes'), ['blindkeep_stored_bytes 900'])
    }))

  it('leaves out what cannot be had, and says so', () =>
    withStore(async (store) => {
      const figures = createFigures()
      const away = async (): Promise<never> => {
        throw new StorageUnavailable('away')
      }
      const seen = { presence: { freeBytes: () => undefined }, unreadiness: () => ['store', 'blobs'] }
      const look = declareCondition(conditionOf(store, { store: { read: away }, accounts: away, ...seen }), figures)
      await look()
      assert.deepEqual(await linesOf(figures, 'blindkeep_database_up'), ['blindkeep_database_up 0'])
      assert.deepEqual(await linesOf(figures, 'blindkeep_bytes_up'), ['blindkeep_bytes_up 0'])
      for (const name of ['blindkeep_free_bytes', 'blindkeep_uploads', 'blindkeep_accounts', 'blindkeep_stored_bytes'])
        assert.deepEqual(await linesOf(figures, name), [])
    }))

  it('has no free space where the store sets no limit', () =>
    withStore(async (store) => {
      const figures = createFigures()
      const presence = { freeBytes: () => Number.POSITIVE_INFINITY }
      await declareCondition(conditionOf(store, { presence }), figures)()
      assert.deepEqual(await linesOf(figures, 'blindkeep_free_bytes'), [])
      assert.deepEqual(await linesOf(figures, 'blindkeep_bytes_up'), ['blindkeep_bytes_up 1'])
    }))
})

describe('a metered store', () => {
  it('counts transactions by kind and outcome, and those that run', () =>
    withStore(async (plain) => {
      const figures = createFigures()
      const store = meterStore(plain, figures)
      await store.read((tx) => tx.receipts.head())
      await store.write([], async () => ({ refused: 'for a reason' }))
      await assert.rejects(
        store.write([], async () => {
          throw new Error('a fault')
        }),
        { message: 'a fault' },
      )
      await store.write([], async () => {
        const running = await linesOf(figures, 'blindkeep_store_transactions_running{kind="write"}')
        assert.deepEqual(running, ['blindkeep_store_transactions_running{kind="write"} 1'])
      })
      assert.deepEqual(await linesOf(figures, 'blindkeep_store_transactions_total'), [
        'blindkeep_store_transactions_total{kind="read",outcome="ok"} 1',
        'blindkeep_store_transactions_total{kind="write",outcome="refused"} 1',
        'blindkeep_store_transactions_total{kind="write",outcome="failed"} 1',
        'blindkeep_store_transactions_total{kind="write",outcome="ok"} 1',
      ])
    }))
})

describe('a metered log', () => {
  it('counts warnings and errors by their event, and bounds the events', async () => {
    const figures = createFigures()
    const lines: string[] = []
    const write = (event: string) => void lines.push(event)
    const log = meterLog({ info: write, warn: write, error: write }, figures)
    log.info('answered')
    for (let number = 0; number < 150; number += 1) log.warn(`event ${number}`)
    log.error('job failed')
    log.error('job failed')
    assert.equal(lines.length, 153)
    const counted = await linesOf(figures, 'blindkeep_log_events_total')
    assert.equal(counted.length, 102)
    assert.ok(counted.includes('blindkeep_log_events_total{level="warn",event="other"} 50'))
    assert.ok(counted.includes('blindkeep_log_events_total{level="error",event="job failed"} 2'))
  })
})
