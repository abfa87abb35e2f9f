import type { Clock } from '../../ports/clock.ts'
import type { Census, LogHead, ReadTx, Store } from '../../ports/store.ts'
import { type Figures, one, type Reading } from './figures.ts'

/** What can be asked about the server when its figures are asked for. */
export interface Condition {
  readonly store: Pick<Store, 'read'>
  readonly presence: {
    /** Of the store of bytes. Undefined while it is not known. */
    freeBytes(): number | undefined
  }
  readonly clock: Clock
  /** Receipts that wait to be signed and committed. */
  readonly receiptsWaiting: () => number
  /** Why /readyz is 503. Empty if it is 200. */
  readonly unreadiness: () => readonly string[]
  /** Whether the database lacks receipts that were signed. */
  readonly isSetBack: () => boolean
  readonly freeSpaceFloorBytes: number
  /** When the last complete backup began. */
  readonly lastBackupAt: (tx: ReadTx) => Promise<number | undefined>
  /** All accounts that are not deleted, as they were read lately. */
  readonly accounts: () => Promise<Accounts>
}

interface Accounts {
  readonly count: number
  readonly suspended: number
  readonly byQuota: Readonly<Record<string, number>>
  readonly usedBytes: number
}

/** What the database says. */
interface Rows extends Census {
  readonly head: LogHead | undefined
  readonly pausedUntil: number | undefined
  readonly backedUpAt: number | undefined
}

/** Returns a function that looks: call it before the figures are read. */
export function declareCondition(condition: Condition, figures: Figures): () => Promise<void> {
  let rows: Rows | undefined
  let accounts: Accounts | undefined
  declareRows(figures, condition.clock, () => rows)
  declareAccounts(figures, () => accounts)
  declareReadiness(figures, condition)
  const orNone = <Value>(asked: Promise<Value>) => inTime(asked).catch(() => undefined)
  return async () => {
    const asked = orNone(condition.store.read((tx) => rowsIn(tx, condition)))
    accounts = await orNone(condition.accounts())
    rows = await asked
  }
}

/** A monitoring system waits for some ten seconds. The other figures must reach it when a store does not answer. */
const MAX_LOOK_MS = 4_000

async function inTime<Value>(asked: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, MAX_LOOK_MS, new Error('no answer in time'))
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

async function rowsIn(tx: ReadTx, { lastBackupAt }: Condition): Promise<Rows> {
  const [census, head, pausedUntil, backedUpAt] = await Promise.all([
    tx.census.take(),
    tx.receipts.head(),
    tx.pauses.lastEnd(),
    lastBackupAt(tx),
  ])
  return { ...census, head, pausedUntil, backedUpAt }
}

function declareAccounts({ gauge }: Figures, accounts: () => Accounts | undefined): void {
  const counted = 'Read at most once a minute. The same on all nodes.'
  gauge(
    { name: 'blindkeep_accounts', help: `Accounts that are not deleted. ${counted}`, labelNames: ['state'] },
    () => {
      const found = accounts()
      if (found === undefined) return []
      const { count, suspended } = found
      return [
        [{ state: 'active' }, count - suspended],
        [{ state: 'suspended' }, suspended],
      ]
    },
  )
  gauge(
    {
      name: 'blindkeep_accounts_by_quota',
      help: `The same accounts by their quota. ${counted}`,
      labelNames: ['state'],
    },
    () => Object.entries(accounts()?.byQuota ?? {}).map(([state, count]) => [{ state }, count]),
  )
  gauge(
    {
      name: 'blindkeep_stored_bytes',
      help: `Bytes that accounts are charged for: uploads under way, inboxes, albums and the bin. ${counted}`,
    },
    () => one(accounts()?.usedBytes),
  )
}

function declareReadiness({ gauge }: Figures, condition: Condition): void {
  const { presence, receiptsWaiting, unreadiness, isSetBack, freeSpaceFloorBytes } = condition
  const flag = (value: boolean) => one(value ? 1 : 0)
  gauge({ name: 'blindkeep_ready', help: '1 if /readyz answers 200, otherwise 0.' }, () =>
    flag(unreadiness().length === 0),
  )
  gauge({ name: 'blindkeep_database_up', help: '1 if the database answers, as /readyz has it, otherwise 0.' }, () =>
    flag(!unreadiness().includes('store')),
  )
  gauge({ name: 'blindkeep_bytes_up', help: '1 if the store of bytes is there, as /readyz has it, otherwise 0.' }, () =>
    flag(!unreadiness().includes('blobs')),
  )
  gauge(
    {
      name: 'blindkeep_database_set_back',
      help: '1 if the database lacks receipts that were signed. Then nothing is signed and no bytes are removed.',
    },
    () => flag(isSetBack()),
  )
  gauge({ name: 'blindkeep_receipts_waiting', help: 'Receipts that wait to be signed and committed.' }, () =>
    one(receiptsWaiting()),
  )
  gauge({ name: 'blindkeep_free_bytes', help: 'Free space of the store of bytes, where it has a bound.' }, () => {
    const freeBytes = presence.freeBytes()
    return one(freeBytes !== undefined && Number.isFinite(freeBytes) ? freeBytes : undefined)
  })
  gauge(
    { name: 'blindkeep_free_space_floor_bytes', help: 'FREE_SPACE_FLOOR_BYTES: below it no bytes are accepted.' },
    () => one(freeSpaceFloorBytes),
  )
}

function declareRows({ gauge }: Figures, clock: Clock, rows: () => Rows | undefined): void {
  const counted = 'Counted up to 10,000. The same on all nodes.'
  const byState = (counts: Readonly<Record<string, number>> | undefined): Reading =>
    Object.entries(counts ?? {}).map(([state, count]) => [{ state }, count])
  gauge({ name: 'blindkeep_uploads', help: `Upload sessions by state. ${counted}`, labelNames: ['state'] }, () =>
    byState(rows()?.uploads),
  )
  gauge(
    {
      name: 'blindkeep_objects',
      help: `Objects that need attention, by reason. damaged, unreadable, suspected (not read again yet): kept objects that are withheld. orphaned, marked and deleting: on their way out. ${counted}`,
      labelNames: ['state'],
    },
    () => byState(rows()?.objects),
  )
  gauge({ name: 'blindkeep_holds', help: `Contents on hold. ${counted}` }, () => one(rows()?.holds))
  gauge({ name: 'blindkeep_receipt_log_length', help: 'The number of the last receipt; 0 before the first.' }, () => {
    const found = rows()
    return one(found && (found.head?.receiptSeq ?? 0))
  })
  gauge(
    {
      name: 'blindkeep_receipt_log_ahead_seconds',
      help: 'How far the date of the last receipt is ahead of the clock. Above 0 the clock was set back.',
    },
    () => {
      const found = rows()
      return one(found && Math.max(0, (found.head?.receivedAt ?? 0) - clock.now()) / 1000)
    },
  )
  gauge(
    { name: 'blindkeep_collector_paused', help: '1 while a backup keeps the collector from deleting, otherwise 0.' },
    () => {
      const found = rows()
      return one(found && ((found.pausedUntil ?? 0) > clock.now() ? 1 : 0))
    },
  )
  gauge(
    {
      name: 'blindkeep_backup_last_success_timestamp_seconds',
      help: 'When the last complete backup began; 0 if there was none. One that lacks only objects that were marked as damaged before counts.',
    },
    () => {
      const found = rows()
      return one(found && (found.backedUpAt ?? 0) / 1000)
    },
  )
}
