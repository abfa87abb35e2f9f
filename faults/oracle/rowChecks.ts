/**
 * What must hold between the rows of a data directory in every state that a commit can leave (ARCHITECTURE.md, What is always true).
 * Each query gives the offenders: `id` names the row, `found` says what is wrong with it.
 */
import type { DatabaseSync } from 'node:sqlite'
import { rowsOf } from './rows.ts'

interface RowCheck {
  readonly rule: string
  readonly query: string
}

const OPEN = "'open', 'finishing'"

/** What rows say of accounts and of links: summed in one go, as asking for each would look at all sessions again and again. */
const OF_ACCOUNTS = `with held as (
    select account_id, size, 0 as pending from uploads where state in (${OPEN})
    union all select account_id, size, 1 from drops
  ), summed as (
    select account_id, coalesce(sum(held.size), 0) as bytes, coalesce(sum(pending), 0) as pending
    from accounts left join held using (account_id) group by account_id
  )`
const OF_LINKS = `with summed as (
    select opaque_id,
      count(*) filter (where state in (${OPEN})) as open_count,
      coalesce(sum(size) filter (where state in (${OPEN})), 0) as open_sum,
      count(*) filter (where state = 'landed') as landed_count,
      coalesce(sum(size) filter (where state = 'landed'), 0) as landed_sum,
      count(*) filter (where state = 'open') as still_open,
      group_concat(upload_id) filter (where state = 'finishing') as finishing
    from links left join uploads using (opaque_id) group by opaque_id
  )`

const CHUNKS = (value: string) => `(select ${value} from chunks where chunks.upload_id = uploads.upload_id)`

const sums: readonly RowCheck[] = [
  {
    rule: 'use equals the sum of rows',
    query: `${OF_ACCOUNTS} select account_id as id, used_bytes || ' used, ' || bytes || ' in rows' as found
      from accounts join summed using (account_id) where used_bytes <> bytes`,
  },
  {
    rule: 'an account counts its pending drops',
    query: `${OF_ACCOUNTS} select account_id as id, pending_drops || ' counted, ' || pending || ' rows' as found
      from accounts join summed using (account_id) where pending_drops <> pending`,
  },
  {
    rule: 'a link counts the sessions that are under way',
    query: `${OF_LINKS} select opaque_id as id, open_sessions || ' sessions of ' || open_bytes || ' bytes counted' as found
      from links join summed using (opaque_id) where open_sessions <> open_count or open_bytes <> open_sum`,
  },
  {
    // True as long as no row of a landed session is old enough to have been pruned.
    rule: 'a link counts what has landed',
    query: `${OF_LINKS} select opaque_id as id, landed_files || ' files of ' || landed_bytes || ' bytes counted' as found
      from links join summed using (opaque_id) where landed_files <> landed_count or landed_bytes <> landed_sum`,
  },
]

const caps: readonly RowCheck[] = [
  {
    rule: 'caps hold',
    query: `select opaque_id as id, landed_files + open_sessions || ' files, ' || (landed_bytes + open_bytes) || ' bytes' as found
      from links where landed_files + open_sessions > max_file_count or landed_bytes + open_bytes > max_total_bytes`,
  },
  {
    rule: 'no file is larger than its link takes',
    query: `select upload_id as id, uploads.size || ' bytes' as found from uploads join links using (opaque_id)
      where uploads.size > max_file_size`,
  },
  {
    rule: 'a single-use link lands one drop, and is spent by it',
    query: `select opaque_id as id, landed_files || ' landed' as found from links
      where single_use = 1 and (landed_files > 1 or (landed_files = 1) <> (spent_at is not null))`,
  },
  {
    rule: 'of a single-use link’s sessions one alone is finishing, and has claimed it',
    query: `${OF_LINKS} select opaque_id as id, 'claimed by ' || coalesce(claimed_by, 'nobody') as found
      from links join summed using (opaque_id) where single_use = 1 and claimed_by is not finishing`,
  },
  {
    rule: 'a link that is spent or revoked has no open session',
    query: `${OF_LINKS} select opaque_id as id, still_open || ' open' as found from links join summed using (opaque_id)
      where (spent_at is not null or revoked_at is not null) and still_open > 0`,
  },
]

const sessions: readonly RowCheck[] = [
  {
    rule: 'a session has what its chunks hold, from byte 0 without a gap',
    query: `select upload_id as id, received_bytes || ' received in ' || chunk_count as found from uploads
      where received_bytes <> ${CHUNKS('coalesce(sum(length), 0)')}
        or received_bytes <> ${CHUNKS('coalesce(max("offset" + length), 0)')}
        or chunk_count <> ${CHUNKS('count(*)')}
        or (chunk_count > 0 and ${CHUNKS('min("offset")')} <> 0)`,
  },
  {
    rule: 'an open session wants bytes, one that is finishing or landed has all',
    query: `select upload_id as id, state || ' with ' || received_bytes || ' of ' || size as found from uploads
      where (state = 'open' and received_bytes = size) or (state in ('finishing', 'landed') and received_bytes <> size)`,
  },
  {
    rule: 'what has landed, and nothing else, has one receipt',
    query: `select upload_id as id, state || ' with ' || count(receipt_seq) || ' receipts' as found
      from uploads left join receipts using (upload_id) group by upload_id having (state = 'landed') <> (count(receipt_seq) = 1)
        or count(receipt_seq) > 1`,
  },
  {
    rule: 'a receipt vouches for a session that landed',
    query: `select receipt_seq as id, 'no session' as found from receipts where upload_id not in (select upload_id from uploads)`,
  },
  {
    rule: 'a pending drop is what its session and its receipt say',
    query: `select drops.drop_id as id, coalesce(uploads.state, 'no session') as found from drops
      left join uploads using (upload_id) left join receipts using (upload_id)
      where uploads.state is not 'landed' or receipts.drop_id is not drops.drop_id or receipts.received_at is not drops.received_at
        or uploads.opaque_id is not drops.opaque_id or uploads.account_id is not drops.account_id
        or uploads.ciphertext_hash is not drops.ciphertext_hash or uploads.size is not drops.size
        or uploads.location is not drops.location`,
  },
]

const copies: readonly RowCheck[] = [
  {
    rule: 'a session under way has a staged copy of its own',
    query: `select upload_id as id, uploads.state || ', copy ' || coalesce(copies.state, 'none') as found
      from uploads left join copies using (location)
      where uploads.state in (${OPEN}) and (copies.state is not 'staged' or copies.size is not uploads.size)`,
  },
  {
    rule: 'a pending drop has a kept copy of its own',
    query: `select drop_id as id, 'copy ' || coalesce(copies.state, 'none') as found from drops left join copies using (location)
      where copies.state is not 'kept' or copies.size is not drops.size`,
  },
  {
    rule: 'a copy is in the state of who owns it',
    query: `select location as id, copies.state || ', session ' || coalesce(uploads.state, 'none') as found
      from copies left join uploads using (location) left join drops using (location)
      where (copies.state = 'staged' and uploads.state is not 'open' and uploads.state is not 'finishing')
        or (copies.state = 'kept' and drop_id is null)
        or (copies.state = 'unowned' and (uploads.state is not 'landed' or drop_id is not null))
        or (copies.state = 'doomed' and uploads.state is not 'ended' and uploads.state is not 'failed')`,
  },
]

const CHECKS: readonly RowCheck[] = [...sums, ...caps, ...sessions, ...copies]

/** Faults as sentences; none when all rows agree. */
export function checkRows(database: DatabaseSync): readonly string[] {
  const broken = rowsOf(database, 'pragma integrity_check').map((row) => row.text('integrity_check'))
  const dangling = rowsOf(database, 'pragma foreign_key_check').map((row) => row.text('table'))
  return [
    ...broken.filter((text) => text !== 'ok').map((text) => `the database is damaged: ${text}`),
    ...dangling.map((table) => `a row of ${table} refers to nothing`),
    ...CHECKS.flatMap(({ rule, query }) =>
      rowsOf(database, query).map(
        (row) => `${rule}: ${String(row.optionalText('id') ?? row.number('id'))}, ${row.text('found')}`,
      ),
    ),
  ]
}
