import type { Dialect } from '../dialects.ts'

const integerMax = Number.MAX_SAFE_INTEGER

/** What years of keeping need: marks on objects, holds, changes to hear of, cutoffs, capabilities, and numbers that a restored log leaves out. */
export function custody(dialect: Dialect): readonly string[] {
  return [...objects(dialect), ...changes(dialect), ...discovery(dialect), ...facts(dialect)]
}

const kept = 'location, size, state, since'

/**
 * SQLite cannot change a check, so that the table is made anew. What was kept until now was read whole when it landed.
 * A hold names a content, not an object: whoever uploads it again brings nothing that may be handed out.
 */
const objects = ({ text, integer, tableEnd, keyedTableEnd }: Dialect) => [
  'alter table objects rename to objects_before',
  `create table objects (
    location ${text} primary key not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    state ${text} not null check (state in ('staged', 'kept', 'orphaned', 'marked', 'deleting')),
    since ${integer} not null,
    checked_at ${integer} not null,
    damaged_at ${integer}
  ) ${keyedTableEnd}`,
  `insert into objects (${kept}, checked_at) select ${kept}, since from objects_before`,
  'drop table objects_before',
  'create index objects_by_state on objects (state, since, location)',
  'create index objects_to_scrub on objects (state, checked_at, location)',
  `create table holds (
    ciphertext_hash ${text} primary key not null,
    reason ${text} not null,
    created_at ${integer} not null
  ) ${tableEnd}`,
  'create index holds_by_age on holds (created_at, ciphertext_hash)',
]

/**
 * Each account counts its changes. An asset carries the number of its last one, which makes the rows themselves the feed;
 * what is told to who listens is kept for a while under the same numbers, so that nothing is missed or told twice.
 */
const changes = ({ text, integer, keyedTableEnd }: Dialect) => [
  `alter table accounts add column change_seq ${integer} not null default 0`,
  `alter table assets add column change_seq ${integer}`,
  `update assets set change_seq = numbered.seq from (
    select asset_id, row_number() over (partition by account_id order by changed_at, asset_id) as seq
    from assets where created_at is not null
  ) as numbered where numbered.asset_id = assets.asset_id`,
  `update accounts set change_seq = (
    select count(*) from assets where assets.account_id = accounts.account_id and assets.change_seq is not null
  )`,
  'create unique index assets_feed on assets (account_id, change_seq) where change_seq is not null',
  `create table events (
    account_id ${text} not null references accounts,
    change_seq ${integer} not null,
    at ${integer} not null,
    name ${text} not null,
    data ${text} not null,
    primary key (account_id, change_seq)
  ) ${keyedTableEnd}`,
  'create index events_by_age on events (at)',
]

const discovery = ({ text, integer, sequence, tableEnd }: Dialect) => [
  `create table deprecations (
    deprecation_seq ${sequence},
    min_protocol_version ${text} not null,
    announced_at ${integer} not null,
    cutoff ${integer} not null,
    detail_url ${text}
  ) ${tableEnd}`,
  `create table capabilities (
    capability_seq ${sequence},
    jti ${text} not null unique,
    account_id ${text} not null references accounts,
    album_id ${text} not null references albums (album_id),
    peer ${text} not null,
    issued_at ${integer} not null,
    expires_at ${integer} not null,
    revoked_at ${integer}
  ) ${tableEnd}`,
  'create index capabilities_of_account on capabilities (account_id, expires_at)',
  'create index capabilities_of_album on capabilities (album_id, capability_seq)',
  'create index capabilities_revoked on capabilities (expires_at, jti) where revoked_at is not null',
  'create index capabilities_by_end on capabilities (expires_at)',
]

/** A few facts more; a check cannot be changed in SQLite. */
const facts = ({ text, bytes, tableEnd }: Dialect) => [
  'alter table server_facts rename to server_facts_before',
  `create table server_facts (
    name ${text} primary key not null check (name in (
      'server_id', 'token_key', 'server_secret', 'receipt_seq_floor', 'feed_epoch', 'collector_paused_until',
      'protocol_window'
    )),
    value ${bytes} not null
  ) ${tableEnd}`,
  'insert into server_facts (name, value) select name, value from server_facts_before',
  'drop table server_facts_before',
]
