/** Seats for all processes together: rows of `seats` whose ends their processes put off, by the database's clock. */
import { randomUUID } from 'node:crypto'
import type { Seats } from '../../ports/seats.ts'
import { openCounters } from './postgresCounters.ts'

const HELD_MS = 60_000
const RENEWAL_MS = 20_000
/** Each try fails only if another process took the same seat in this moment. */
const MAX_TRIES = 20

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** The first free seat. No row if all are taken, or if another process took this one first. */
const TAKE = `
  insert into seats as present (place, number, holder, until)
  select $1, free.number, $3, ${NOW} + ${HELD_MS}
  from generate_series(1, $2::integer) as free (number)
  where not exists (select 1 from seats where place = $1 and seats.number = free.number and until > ${NOW})
  order by free.number limit 1
  on conflict (place, number) do update set holder = excluded.holder, until = excluded.until where present.until <= ${NOW}
  returning number`

const COUNT = `select count(*) as taken from seats where place = $1 and number <= $2 and until > ${NOW}`
const LEAVE = `delete from seats where place = $1 and number = $2 and holder = $3`
/** The index finds the seats of the places. */
const RENEW = `
  update seats set until = ${NOW} + ${HELD_MS} where place = any ($1::text[]) and holder = any ($2::text[])`
/** The time is asked for once: no index is searched for a time that differs from row to row. */
const PRUNE = `delete from seats where until < (select ${NOW}) - ${HELD_MS}`

export interface PostgresSeatsOptions {
  readonly url: string
  readonly warn: (event: string, facts: { readonly error: unknown }) => void
}

/** `take` throws `StorageUnavailable` while the database does not answer. */
export function openPostgresSeats({ url, warn }: PostgresSeatsOptions): Seats & { renew(): Promise<void> } {
  const counters = openCounters({ url })
  /** The place of each holder. */
  const places = new Map<string, string>()

  async function renew(): Promise<void> {
    if (places.size > 0) await counters.ask(RENEW, [[...new Set(places.values())], [...places.keys()]])
    await counters.ask(PRUNE, [])
  }

  async function seatOf(place: string, number: number, holder: string) {
    places.set(holder, place)
    return {
      async leave() {
        if (!places.delete(holder)) return
        // If it fails, the seat is free when its time has ended.
        await counters.ask(LEAVE, [place, number, holder]).catch(() => undefined)
      },
    }
  }

  const timer = setInterval(() => {
    renew().catch((error: unknown) => warn('seats could not be kept', { error }))
  }, RENEWAL_MS).unref()

  return {
    renew,
    async take(place, count) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const holder = randomUUID()
        const { rows } = await counters.ask(TAKE, [place, count, holder])
        if (rows[0] !== undefined) return seatOf(place, Number(rows[0].number), holder)
        const { rows: counted } = await counters.ask(COUNT, [place, count])
        if (Number(counted[0]?.taken) >= count) return undefined
      }
      return undefined
    },
    async close() {
      clearInterval(timer)
      await counters.end()
    },
  }
}
