/**
 * Counts for all processes together, in the table `limits`, by the database's clock. Each attempt is one statement. It
 * takes the rows in the order of their ids, so that simultaneous attempts do not wait for each other in a circle; and
 * it changes a row only if the row, as it is then, has room.
 */
import type { Limit, Limiter } from '../../ports/limiter.ts'
import { createIds, type Ids } from './ids.ts'
import { type Counters, openCounters } from './postgresCounters.ts'
import { withCheckedWeights } from './weights.ts'

interface PostgresLimiterOptions {
  readonly url: string
  /** The key of the hashes of sources and accounts. */
  readonly secret: Uint8Array
  readonly warn: (event: string, facts: { readonly error: unknown }) => void
}

const PRUNE_MS = 10_000
const MAX_PRUNED_AT_ONCE = 10_000

/** More than concurrent statements may differ. A window that ends later is from before the clock was set back: over. */
const MAX_AHEAD_MS = 60_000

/** Of the ids that are asked for, sorted. */
const IDS = '$1::text[]'

const HAS_TIME = 'present.ends_at > now and present.ends_at <= latest'

/**
 * The columns of `asked` come as arrays, sorted by id. The rows of `limits` are found by the ids alone: PostgreSQL
 * plans a statement once, perhaps while the table is empty, and another condition could lead it through all rows.
 */
const ASKED = `
  with clock as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now),
  asked as (
    select id, weight, max, now, now + window_ms as ends_at, now + window_ms + ${MAX_AHEAD_MS} as latest
    from clock, unnest(${IDS}, $2::bigint[], $3::bigint[], $4::bigint[]) as given (id, weight, max, window_ms)
  ),
  over as (
    select case when ${HAS_TIME} then present.ends_at else asked.ends_at end - now as wait_ms
    from asked left join limits present on present.id = asked.id and present.id = any (${IDS})
    where weight + case when ${HAS_TIME} then present.taken else 0 end > max
  )`

/** Of the row that the statement is about to change, as it is after every other change. */
const IS_RUNNING = `exists (select 1 from asked where asked.id = present.id and ${HAS_TIME})`
const TAKEN = `excluded.taken + case when ${IS_RUNNING} then present.taken else 0 end`

/**
 * Looks first, so that a refused attempt usually writes nothing. If some of the rows had room and others, changed
 * meanwhile, had none, the statement fails by a division by zero: so nothing stays taken, without a transaction of
 * several statements.
 */
const TAKE = `${ASKED},
  given as (
  insert into limits as present (id, taken, ends_at)
  select id, weight, ends_at from asked where not exists (select 1 from over) order by id
  on conflict (id) do update set
    taken = ${TAKEN},
    ends_at = case when ${IS_RUNNING} then present.ends_at else excluded.ends_at end
  where ${TAKEN} <= (select max from asked where asked.id = present.id)
  returning 1)
  select count(*)::int as taken, 1 / (count(*) in (0, cardinality(${IDS})))::int from given`

const WAIT = `${ASKED}
  select coalesce(max(wait_ms), 0) as wait_ms from over`

/** A count that falls to zero begins a new window, as one that was never taken. */
const GIVE_BACK = `
  with asked as (select * from unnest(${IDS}, $2::bigint[]) as asked (id, weight)),
  taken as (select id from limits where id = any (${IDS}) order by id for update)
  update limits set
    taken = greatest(0, limits.taken - asked.weight),
    ends_at = case when limits.taken > asked.weight then limits.ends_at else 0 end
  from asked, taken where limits.id = any (${IDS}) and limits.id = asked.id and limits.id = taken.id`

/** The time is asked for once: no index is searched for a time that differs from row to row. */
const PRUNE = `
  delete from limits where id = any (array(
    select id from limits where ends_at <= (select (extract(epoch from clock_timestamp()) * 1000)::bigint)
    order by ends_at limit ${MAX_PRUNED_AT_ONCE} for update skip locked
  ))`

/** Throws `StorageUnavailable` from each call while the database does not answer. */
export function openPostgresLimiter({
  url,
  secret,
  warn,
}: PostgresLimiterOptions): Limiter & { prune(): Promise<void> } {
  const counters = openCounters({ url })
  const ids = createIds(secret)

  async function prune(): Promise<void> {
    while (((await counters.ask(PRUNE, [])).rowCount ?? 0) === MAX_PRUNED_AT_ONCE);
  }

  let isPruning = false
  const timer = setInterval(async () => {
    if (isPruning) return
    isPruning = true
    await prune().catch((error: unknown) => warn('ended counts of limits could not be removed', { error }))
    isPruning = false
  }, PRUNE_MS).unref()

  return {
    prune,
    async take(limits) {
      const asked = askedOf(ids, limits)
      if (await takeAll(counters, asked)) return undefined
      const { rows } = await counters.ask(WAIT, columnsOf(asked))
      return Math.max(1, Math.ceil(Number(rows[0]?.wait_ms ?? 0) / 1000))
    },
    async giveBack(limits) {
      const asked = askedOf(ids, limits)
      if (asked.length > 0) await counters.ask(GIVE_BACK, columnsOf(asked).slice(0, 2))
    },
    async close() {
      clearInterval(timer)
      await counters.end()
    },
  }
}

interface Asked {
  readonly id: string
  readonly weight: number
  readonly max: number
  readonly windowMs: number
}

/** One statement changes a row once, so equal limits become one. */
function askedOf(ids: Ids, limits: readonly Limit[]): readonly Asked[] {
  const asked = new Map<string, Asked>()
  for (const { limit, weight } of withCheckedWeights(limits)) {
    const id = Buffer.from(ids.of('own', limit.rule, limit.key), 'latin1').toString('hex')
    const { max, windowSeconds } = limit
    asked.set(id, { id, weight: weight + (asked.get(id)?.weight ?? 0), max, windowMs: windowSeconds * 1000 })
  }
  return [...asked.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

function columnsOf(asked: readonly Asked[]): readonly (readonly (string | number)[])[] {
  return [
    asked.map(({ id }) => id),
    asked.map(({ weight }) => weight),
    asked.map(({ max }) => max),
    asked.map(({ windowMs }) => windowMs),
  ]
}

async function takeAll(counters: Counters, asked: readonly Asked[]): Promise<boolean> {
  if (asked.length === 0) return true
  const answer = await counters.askUnlessZero(TAKE, columnsOf(asked))
  return answer !== undefined && answer.rows[0]?.taken === asked.length
}
