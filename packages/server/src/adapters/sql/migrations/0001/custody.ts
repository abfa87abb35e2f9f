import type { Dialect } from '../../../../rows/dialects.ts'
import { integerMax } from './values.ts'

/** Stored objects, holds on contents, and the receipts that the server signed, with its keys and facts. */
export function custodyTables(dialect: Dialect): readonly string[] {
  return [...objects(dialect), ...receipts(dialect), ...server(dialect)]
}

/** A hold names a content: the server hands out no later object of that content either. */
const objects = ({ text, integer, tableEnd, keyedTableEnd }: Dialect) => [
  // Locations are random: a row of its own tree is appended beside the last one, and a later change finds it there.
  `create table objects (
    location ${text} primary key not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    state ${text} not null check (state in ('staged', 'kept', 'orphaned', 'marked', 'deleting')),
    since ${integer} not null,
    checked_at ${integer} not null,
    damaged_at ${integer},
    suspected_at ${integer}
  ) ${tableEnd}`,
  'create index objects_by_state on objects (state, since, location)',
  'create index objects_suspected on objects (state, suspected_at, location) where suspected_at is not null',
  'create index objects_damaged on objects (state, checked_at, location) where damaged_at is not null',
  'create index objects_to_scrub on objects (state, checked_at, location)',
  `create table holds (
    ciphertext_hash ${text} primary key not null,
    reason ${text} not null,
    created_at ${integer} not null
  ) ${tableEnd}`,
  'create index holds_by_age on holds (created_at, ciphertext_hash)',
  `create table pauses (
    pause_id ${text} primary key not null,
    until ${integer} not null
  ) ${keyedTableEnd}`,
  'create index pauses_by_end on pauses (until)',
]

const receipts = ({ text, integer, bytes, tableEnd }: Dialect) => [
  `create table receipts (
    receipt_seq ${integer} primary key not null check (receipt_seq between 0 and ${integerMax}),
    receipt_hash ${text} not null,
    receipt_cbor ${bytes} not null,
    key_id ${text} not null,
    upload_id ${text} not null,
    drop_id ${text},
    received_at ${integer} not null,
    asset_id ${text}
  ) ${tableEnd}`,
  'create index receipts_of_upload on receipts (upload_id, receipt_seq)',
  'create index receipts_of_asset on receipts (asset_id, receipt_seq) where asset_id is not null',
  `create table log_head (
    only_row ${integer} primary key not null check (only_row = 1),
    receipt_seq ${integer} not null,
    receipt_hash ${text} not null,
    received_at ${integer} not null
  ) ${tableEnd}`,
]

const server = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table attestation_keys (
    key_seq ${sequence},
    key_id ${text} not null unique,
    public_key ${bytes} not null check (length(public_key) = 1984),
    sealed_private_key ${bytes} not null,
    active_from ${integer} not null,
    active_to ${integer}
  ) ${tableEnd}`,
  'create unique index attestation_keys_one_active on attestation_keys ((active_to is null)) where active_to is null',
  `create table deprecations (
    deprecation_seq ${sequence},
    min_protocol_version ${text} not null,
    announced_at ${integer} not null,
    cutoff ${integer} not null,
    detail_url ${text}
  ) ${tableEnd}`,
  `create table server_facts (
    name ${text} primary key not null check (name in (
      'server_id', 'token_key', 'server_secret', 'receipt_seq_floor', 'feed_epoch',
      'life', 'witnessed', 'protocol_window', 'settings', 'store_id'
    )),
    value ${bytes} not null
  ) ${tableEnd}`,
  // A row for each running node of PostgreSQL, for people. Nothing depends on it.
  `create table nodes (
    node_id ${text} primary key not null,
    seen_at ${integer} not null,
    version ${text} not null
  ) ${tableEnd}`,
]
