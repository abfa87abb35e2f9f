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
    union all select account_id, size, 0 from asset_blobs
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
    // A drop’s own, and one more if an asset has adopted it.
    rule: 'what has landed, and nothing else, has its receipts',
    query: `with summed as (
        select upload_id, count(drop_id) as landings, count(receipts.asset_id) as blobs
        from uploads left join receipts using (upload_id) group by upload_id
      ) select upload_id as id, state || ' with ' || landings || ' receipts of landings, ' || blobs || ' of blobs' as found
      from uploads join summed using (upload_id) where case
        when state <> 'landed' then landings + blobs > 0
        when asset_id is null then landings <> 1 or blobs > 1
        else landings <> 0 or blobs <> 1 end`,
  },
  {
    rule: 'a receipt is of a drop that landed or of a blob that an asset took',
    query: `select receipt_seq as id, 'of ' || case when drop_id is null then 'neither' else 'both' end as found from receipts
      where (drop_id is null) = (asset_id is null)`,
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

/** Of an asset’s blobs that came as drops the session is the guest’s. */
const assets: readonly RowCheck[] = [
  {
    rule: 'an asset that is not a tombstone has a blob, or a session on its way to it',
    query: `select asset_id as id, 'neither' as found from assets where deleted_at is null
      and asset_id not in (select asset_id from asset_blobs)
      and asset_id not in (select asset_id from uploads where asset_id is not null and state in (${OPEN}))`,
  },
  {
    rule: 'an asset is created by its first blob, and holds nothing once it is a tombstone',
    query: `select assets.asset_id as id, count(blob_seq) || ' blobs, created at ' || coalesce(created_at, 'no time')
        || ', deleted at ' || coalesce(deleted_at, 'no time') as found
      from assets left join asset_blobs using (asset_id) group by assets.asset_id
      having (count(blob_seq) > 0) <> (created_at is not null and deleted_at is null)`,
  },
  {
    rule: 'a session on its way to an asset is of its account and its album',
    query: `select upload_id as id, coalesce(assets.asset_id, 'no asset') as found from uploads left join assets using (asset_id)
      where uploads.asset_id is not null and state in (${OPEN})
        and (assets.account_id is not uploads.account_id or assets.album_id is not uploads.album_id)`,
  },
  {
    rule: 'a blob is what its session and its receipt say, and charged to the account of its asset',
    query: `select location as id, coalesce(uploads.state, 'no session') || ', ' || coalesce(receipt_seq, 'no receipt') as found
      from asset_blobs left join assets using (asset_id) left join uploads using (upload_id, location)
      left join receipts on receipts.upload_id = asset_blobs.upload_id and receipts.asset_id = asset_blobs.asset_id
      where uploads.state is not 'landed' or uploads.ciphertext_hash is not asset_blobs.ciphertext_hash
        or uploads.size is not asset_blobs.size or uploads.account_id is not asset_blobs.account_id
        or assets.account_id is not asset_blobs.account_id
        or coalesce(uploads.asset_id, asset_blobs.asset_id) is not asset_blobs.asset_id
        or coalesce(uploads.role, 'original') is not asset_blobs.role
        or receipts.received_at is not asset_blobs.landed_at`,
  },
  {
    rule: 'an asset whose original is a guest’s names the drop that it was, and no other does',
    query: `select assets.asset_id as id, 'names ' || coalesce(assets.drop_id, 'no drop') || ', its original was '
        || coalesce(receipts.drop_id, 'none') as found
      from assets left join asset_blobs on asset_blobs.asset_id = assets.asset_id and asset_blobs.role = 'original'
      left join receipts on receipts.upload_id = asset_blobs.upload_id and receipts.drop_id is not null
      where assets.drop_id is not receipts.drop_id`,
  },
  {
    rule: 'a drop is pending or adopted, never both',
    query: `select drops.drop_id as id, 'adopted by ' || receipts.asset_id as found from drops join receipts using (upload_id)
      where receipts.asset_id is not null`,
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
    rule: 'an asset’s blob has a kept copy of its own',
    query: `select location as id, 'copy ' || coalesce(copies.state, 'none') as found from asset_blobs left join copies using (location)
      where copies.state is not 'kept' or copies.size is not asset_blobs.size`,
  },
  {
    rule: 'a copy is in the state of who owns it, which is exactly one session, drop or blob',
    query: `with owned as (
        select location, 0 as keeps from uploads where state in (${OPEN})
        union all select location, 1 from drops
        union all select location, 1 from asset_blobs
      ), summed as (select location, count(*) as owners, sum(keeps) as keepers from owned group by location)
      select location as id, copies.state || ', session ' || coalesce(uploads.state, 'none') || ', owners '
        || coalesce(owners, 0) as found
      from copies left join uploads using (location) left join summed using (location)
      where case copies.state
        when 'staged' then owners is not 1 or keepers is not 0
        when 'kept' then owners is not 1 or keepers is not 1
        when 'unowned' then owners is not null or uploads.state is not 'landed'
        else owners is not null or (uploads.state is not 'ended' and uploads.state is not 'failed') end`,
  },
]

const CHECKS: readonly RowCheck[] = [...sums, ...caps, ...sessions, ...assets, ...copies]

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
