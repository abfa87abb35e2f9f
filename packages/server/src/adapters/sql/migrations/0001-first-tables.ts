import type { Dialect } from '../dialects.ts'

/** 2^53-1: what a number on the wire can say exactly, so that no sum may pass it. */
const integerMax = Number.MAX_SAFE_INTEGER

/**
 * The checks say what must never be. They are not how a refusal is found: a statement that meets one fails, and its transaction with it.
 * Every list has an index in its order. Partial ones stay as small as what is going on now, however much has ended.
 */
export function firstTables(dialect: Dialect): readonly string[] {
  return [
    ...accounts(dialect),
    ...sessions(dialect),
    ...links(dialect),
    ...uploads(dialect),
    ...drops(dialect),
    ...objects(dialect),
    ...receipts(dialect),
    ...keysAndFacts(dialect),
  ]
}

const accounts = ({ text, integer, bytes, tableEnd }: Dialect) => [
  `create table accounts (
    account_id ${text} primary key not null,
    email ${text} not null unique,
    secret_hash ${text} not null,
    kdf_version ${integer} not null,
    salt ${bytes},
    sealed_account_key ${bytes},
    sealed_recovery_key ${bytes},
    recovery_proof_hash ${bytes},
    created_at ${integer} not null,
    suspended_at ${integer},
    used_bytes ${integer} not null default 0 check (used_bytes between 0 and ${integerMax}),
    pending_drops ${integer} not null default 0 check (pending_drops >= 0),
    soft_limit_bytes ${integer} check (soft_limit_bytes >= 0),
    hard_limit_bytes ${integer} check (hard_limit_bytes >= 0),
    exceeded_since ${integer}
  ) ${tableEnd}`,
]

const sessions = ({ text, integer, bytes, tableEnd, keyedTableEnd }: Dialect) => [
  `create table sessions (
    session_id ${text} primary key not null,
    account_id ${text} not null references accounts,
    device_id ${text},
    created_at ${integer} not null,
    last_used_at ${integer} not null,
    expires_at ${integer} not null,
    ended_at ${integer}
  ) ${tableEnd}`,
  'create index sessions_of_account on sessions (account_id)',
  'create index sessions_by_expiry on sessions (expires_at)',
  'create index sessions_ended on sessions (ended_at) where ended_at is not null',
  `create table refresh_tokens (
    token_hash ${bytes} primary key not null check (length(token_hash) = 32),
    session_id ${text} not null references sessions on delete cascade,
    issued_at ${integer} not null,
    used_at ${integer}
  ) ${keyedTableEnd}`,
  'create index refresh_tokens_of_session on refresh_tokens (session_id)',
]

const links = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table links (
    link_seq ${sequence},
    opaque_id ${text} not null unique,
    account_id ${text} not null references accounts,
    drop_public_key ${bytes} not null,
    suite_id ${integer} not null,
    protocol_version ${text} not null,
    verifier_hash ${bytes},
    sealed_label ${bytes},
    created_at ${integer} not null,
    expires_at ${integer},
    max_total_bytes ${integer} check (max_total_bytes >= 0),
    max_file_count ${integer} check (max_file_count >= 0),
    max_file_size ${integer} check (max_file_size >= 0),
    single_use ${integer} not null check (single_use in (0, 1)),
    revoked_at ${integer},
    spent_at ${integer} check (spent_at is null or single_use = 1),
    claimed_by ${text} check (claimed_by is null or single_use = 1),
    landed_files ${integer} not null default 0 check (landed_files between 0 and ${integerMax}),
    landed_bytes ${integer} not null default 0 check (landed_bytes between 0 and ${integerMax}),
    open_sessions ${integer} not null default 0 check (open_sessions between 0 and ${integerMax}),
    open_bytes ${integer} not null default 0 check (open_bytes between 0 and ${integerMax}),
    check (open_sessions > 0 or open_bytes = 0)
  ) ${tableEnd}`,
  'create index links_of_account on links (account_id, created_at, link_seq)',
  'create index links_live on links (account_id, expires_at) where revoked_at is null and spent_at is null',
]

const uploads = ({ text, integer, bytes, tableEnd, keyedTableEnd }: Dialect) => [
  `create table uploads (
    upload_id ${text} primary key not null,
    account_id ${text} not null references accounts,
    opaque_id ${text} not null references links (opaque_id),
    size ${integer} not null check (size between 1 and ${integerMax}),
    ciphertext_hash ${text} not null,
    content_type ${text} not null,
    kem_ct ${bytes} not null,
    suggested_filename ${text},
    idempotency_key ${text},
    declaration_hash ${text} not null,
    location ${text} not null,
    created_at ${integer} not null,
    state ${text} not null check (state in ('open', 'finishing', 'landed', 'failed', 'ended')),
    received_bytes ${integer} not null default 0 check (received_bytes between 0 and size),
    chunk_count ${integer} not null default 0 check (chunk_count >= 0),
    last_chunk_at ${integer},
    closed_at ${integer},
    check ((closed_at is null) = (state in ('open', 'finishing')))
  ) ${tableEnd}`,
  `create unique index uploads_by_idempotency_key on uploads (opaque_id, idempotency_key) where idempotency_key is not null`,
  `create index uploads_open_of_link on uploads (opaque_id, created_at) where state = 'open'`,
  `create index uploads_open_by_age on uploads (created_at) where state = 'open'`,
  `create index uploads_open_by_chunk on uploads (last_chunk_at, created_at) where state = 'open'`,
  `create index uploads_outstanding on uploads (size, received_bytes) where state = 'open'`,
  `create index uploads_finishing on uploads (created_at) where state = 'finishing'`,
  'create index uploads_closed on uploads (closed_at) where closed_at is not null',
  `create table chunks (
    upload_id ${text} not null references uploads on delete cascade,
    "offset" ${integer} not null check ("offset" >= 0),
    length ${integer} not null check (length > 0),
    checksum ${text} not null,
    primary key (upload_id, "offset")
  ) ${keyedTableEnd}`,
]

const drops = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table drops (
    drop_seq ${sequence},
    drop_id ${text} not null unique,
    account_id ${text} not null references accounts,
    opaque_id ${text} not null references links (opaque_id),
    upload_id ${text} not null unique,
    ciphertext_hash ${text} not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    content_type ${text} not null,
    kem_ct ${bytes} not null,
    suggested_filename ${text},
    location ${text} not null,
    received_at ${integer} not null,
    leased_until ${integer}
  ) ${tableEnd}`,
  'create index drops_of_account on drops (account_id, received_at, drop_seq)',
  'create index drops_of_link on drops (opaque_id)',
]

const objects = ({ text, integer, keyedTableEnd }: Dialect) => [
  `create table objects (
    location ${text} primary key not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    state ${text} not null check (state in ('staged', 'kept', 'orphaned', 'deleting')),
    since ${integer} not null
  ) ${keyedTableEnd}`,
  'create index objects_by_state on objects (state, since, location)',
]

const receipts = ({ text, integer, bytes, tableEnd }: Dialect) => [
  `create table receipts (
    receipt_seq ${integer} primary key not null check (receipt_seq between 0 and ${integerMax}),
    receipt_hash ${text} not null,
    receipt_cbor ${bytes} not null,
    key_id ${text} not null,
    upload_id ${text} not null,
    drop_id ${text},
    received_at ${integer} not null
  ) ${tableEnd}`,
  'create index receipts_of_upload on receipts (upload_id, receipt_seq)',
  `create table log_head (
    one ${integer} primary key not null check (one = 1),
    receipt_seq ${integer} not null,
    receipt_hash ${text} not null,
    received_at ${integer} not null
  ) ${tableEnd}`,
]

const keysAndFacts = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table attestation_keys (
    key_seq ${sequence},
    key_id ${text} not null unique,
    public_key ${bytes} not null check (length(public_key) = 1984),
    sealed_private_key ${bytes} not null,
    active_from ${integer} not null,
    active_to ${integer}
  ) ${tableEnd}`,
  'create unique index attestation_keys_one_active on attestation_keys ((active_to is null)) where active_to is null',
  `create table server_facts (
    name ${text} primary key not null check (name in ('server_id', 'token_key', 'server_secret')),
    value ${bytes} not null
  ) ${tableEnd}`,
]
