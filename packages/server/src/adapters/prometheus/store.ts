import { isRefused, OutcomeUnknown, StorageUnavailable, type Store } from '../../ports/store.ts'
import { createTally, type Figures, type Labels, one, type Reading } from './figures.ts'

const KINDS = ['read', 'ask', 'write'] as const
type Kind = (typeof KINDS)[number]

/** The same store. Its transactions are counted and timed. */
export function meterStore(store: Store, figures: Figures): Store {
  const transactions = { read: createTransactions(), ask: createTransactions(), write: createTransactions() }
  let retries = 0
  declareTransactions(figures, transactions)
  figures.total(
    { name: 'blindkeep_store_retries_total', help: 'Times that the work of a transaction ran again.' },
    () => one(retries),
  )
  declareConnections(figures, store.connections)
  return {
    ...store,
    read: (work) => transactions.read.run(() => store.read(work)),
    ask: (work) => transactions.ask.run(() => store.ask(work)),
    write: (locks, work) =>
      transactions.write.run(() => {
        let isFirst = true
        return store.write(locks, (tx) => {
          if (!isFirst) retries += 1
          isFirst = false
          return work(tx)
        })
      }),
  }
}

function createTransactions() {
  const outcomes = createTally()
  let running = 0
  let seconds = 0
  return {
    outcomes,
    running: () => running,
    seconds: () => seconds,
    async run<Result>(transaction: () => Promise<Result>): Promise<Result> {
      const begunAt = performance.now()
      running += 1
      try {
        const result = await transaction()
        outcomes.add(isRefused(result) ? 'refused' : 'ok')
        return result
      } catch (error) {
        outcomes.add(outcomeOf(error))
        throw error
      } finally {
        running -= 1
        seconds += (performance.now() - begunAt) / 1000
      }
    },
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof OutcomeUnknown) return 'unknown'
  return error instanceof StorageUnavailable ? 'unavailable' : 'failed'
}

type Transactions = Readonly<Record<Kind, ReturnType<typeof createTransactions>>>

function declareTransactions({ total, gauge }: Figures, transactions: Transactions): void {
  const ofEach = (read: (kind: Kind) => number): Reading => KINDS.map((kind) => [{ kind }, read(kind)])
  total(
    {
      name: 'blindkeep_store_transactions_total',
      help: 'Transactions of the database, by kind and outcome. Refused: a rule undid it.',
      labelNames: ['kind', 'outcome'],
    },
    () =>
      KINDS.flatMap((kind) =>
        transactions[kind].outcomes
          .reading('outcome')
          .map(([labels, count]): readonly [Labels, number] => [{ kind, ...labels }, count]),
      ),
  )
  total(
    {
      name: 'blindkeep_store_transaction_seconds_total',
      help: 'Time that transactions took, with their waiting and their sync of the disk.',
      labelNames: ['kind'],
    },
    () => ofEach((kind) => transactions[kind].seconds()),
  )
  gauge(
    {
      name: 'blindkeep_store_transactions_running',
      help: 'Transactions that run or wait for their turn.',
      labelNames: ['kind'],
    },
    () => ofEach((kind) => transactions[kind].running()),
  )
}

function declareConnections({ gauge }: Figures, connections: Store['connections']): void {
  gauge(
    {
      name: 'blindkeep_postgres_connections',
      help: 'Connections of the pool to PostgreSQL, by state.',
      labelNames: ['state'],
    },
    () => {
      if (connections === undefined) return []
      const { open, idle } = connections()
      return [
        [{ state: 'used' }, open - idle],
        [{ state: 'idle' }, idle],
      ]
    },
  )
  gauge({ name: 'blindkeep_postgres_waiting', help: 'Transactions that wait for a connection to PostgreSQL.' }, () =>
    one(connections?.().waiting),
  )
}
