import { instantOf } from '@blindkeep/protocol/ids'
import { Client } from 'pg'
import type { Clock } from '../../../ports/clock.ts'
import { MAX_CLOCK_OFF_MS } from '../../../ports/node.ts'
import { connectionError } from './login.ts'

/** The clock of the database, as last measured. */
export interface DatabaseClock {
  readonly clock: Clock
  /** `databaseMs` was read between these two instants of this machine. */
  measured(sample: { readonly databaseMs: number; readonly sentMs: number; readonly answeredMs: number }): void
  /** Unknown if it was not measured a moment ago; off if this machine's clock is not near it. */
  state(): 'right' | 'unknown' | 'off'
}

const MAX_AGE_MS = 5_000
/** An answer that took longer tells too little. */
const MAX_ROUND_TRIP_MS = 1_000
const CONNECTION_TIMEOUT_MS = 10_000

/** For a command: too short for clocks to drift. Throws `StorageUnavailable` if the database is silent for a second. */
export async function measureDatabaseClock(url: string): Promise<Clock> {
  const time = createDatabaseClock()
  const client = new Client({
    connectionString: url,
    fallback_application_name: 'blindkeep',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: MAX_ROUND_TRIP_MS,
  })
  // A connection that is lost rejects what is asked.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const sentMs = Date.now()
    const { rows } = await client.query(CLOCK_QUERY)
    time.measured({ databaseMs: Number(rows[0]?.now), sentMs, answeredMs: Date.now() })
    return time.clock
  } catch (error) {
    throw connectionError(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const CLOCK_QUERY = 'select extract(epoch from clock_timestamp()) * 1000 as now'

export function createDatabaseClock({
  now = Date.now,
  elapsed = () => performance.now(),
}: {
  readonly now?: () => number
  readonly elapsed?: () => number
} = {}): DatabaseClock {
  let offsetMs = 0
  let measuredAt: number | undefined
  return {
    clock: { now: () => instantOf(Math.round(now() + offsetMs)) },
    measured({ databaseMs, sentMs, answeredMs }) {
      const roundTripMs = answeredMs - sentMs
      if (roundTripMs < 0 || roundTripMs > MAX_ROUND_TRIP_MS) return
      const sample = databaseMs - (sentMs + answeredMs) / 2
      // Within the error of the measurement the clock goes on evenly.
      if (measuredAt === undefined || Math.abs(sample - offsetMs) > roundTripMs / 2) offsetMs = sample
      measuredAt = elapsed()
    },
    state() {
      if (measuredAt === undefined || elapsed() - measuredAt > MAX_AGE_MS) return 'unknown'
      return Math.abs(offsetMs) <= MAX_CLOCK_OFF_MS ? 'right' : 'off'
    },
  }
}
