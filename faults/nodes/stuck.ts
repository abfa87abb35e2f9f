/** What should be over: rows whose lease or end has passed, and that every node leaves alone. */
import { Client } from 'pg'

/** Sweeps run every second, and their turn is free ten seconds after its node has stopped. */
const LATE_MS = 60_000
/** Seats stay for a minute after their end, and are removed every 20 s. */
const SEAT_MS = 80_000

const QUERIES: Readonly<Record<string, string>> = {
  'an upload is still finishing': `select upload_id as id from uploads where state = 'finishing' and coalesce(leased_until, last_chunk_at) < $1`,
  'a part is still due': 'select key as id from parts where due < $1',
  'an object is still being deleted': `select location as id from objects where state = 'deleting' and since < $1`,
  'a seat is still there': `select place || ' ' || number as id from seats where until < $1::bigint - ${SEAT_MS}`,
  // 0: it was given back, a moment ago or long ago.
  'a count is still there': 'select id from limits where ends_at between 1 and $1',
}

/** By the database's clock. */
const LIMIT = `select (extract(epoch from clock_timestamp()) * 1000)::bigint - ${LATE_MS} as limit`

export interface StuckWatch {
  /** One sentence for each kind that has such rows. */
  look(): Promise<readonly string[]>
  close(): Promise<void>
}

export async function openStuckWatch(url: string): Promise<StuckWatch> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    async look() {
      const faults: string[] = []
      const { rows } = await client.query<{ limit: string }>(LIMIT)
      for (const [what, query] of Object.entries(QUERIES)) {
        const { rows: found } = await client.query<{ id: string }>(query, [rows[0]?.limit])
        const [first] = found
        if (first !== undefined)
          faults.push(`${what} ${LATE_MS / 1000} s after its time: ${first.id}, ${found.length} in all`)
      }
      return faults
    },
    close: () => client.end(),
  }
}
