import type { Dialect } from '../dialects.ts'

const integerMax = Number.MAX_SAFE_INTEGER
const roles = `('original', 'derivative', 'metadata', 'provenance')`
const failures = `('content_hash_wrong', 'manifest_mismatch', 'manifest_stale', 'asset_id_taken')`

/** Uploads of owners beside those of guests, assets and their blobs, claims on drops, receipts of assets. */
export function assets(dialect: Dialect): readonly string[] {
  const { text } = dialect
  return [
    ...uploadsOfBothKinds(dialect),
    ...assetsAndBlobs(dialect),
    `alter table drops add column claim_id ${text}`,
    `alter table drops add column claim_hash ${text} check ((claim_id is null) = (claim_hash is null))`,
    `alter table receipts add column asset_id ${text}`,
    'create index receipts_of_asset on receipts (asset_id, receipt_seq) where asset_id is not null',
  ]
}

/** What was declared of every session, whoever sends it. */
const declared = 'upload_id, account_id, size, ciphertext_hash, content_type, declaration_hash, location, created_at'
const ofGuest = 'opaque_id, kem_ct, suggested_filename, idempotency_key'
const progress = 'state, received_bytes, chunk_count, last_chunk_at, closed_at'

/**
 * SQLite cannot take a NOT NULL off a column, so that the table is made anew, and with it the one that refers to it: a reference follows a table
 * that is renamed. Names of indexes are free again when the old tables are gone.
 */
const uploadsOfBothKinds = (dialect: Dialect) => [
  'alter table uploads rename to uploads_before',
  'alter table chunks rename to chunks_before',
  uploads(dialect),
  chunks(dialect),
  // Until now a session failed for one reason alone.
  `insert into uploads (${declared}, ${ofGuest}, ${progress}, failure)
    select ${declared}, ${ofGuest}, ${progress}, case when state = 'failed' then 'content_hash_wrong' end from uploads_before`,
  `insert into chunks (upload_id, "offset", length, checksum) select upload_id, "offset", length, checksum from chunks_before`,
  'drop table chunks_before',
  'drop table uploads_before',
  'create unique index uploads_by_idempotency_key on uploads (opaque_id, idempotency_key) where idempotency_key is not null',
  `create index uploads_open_of_link on uploads (opaque_id, created_at) where state = 'open'`,
  `create index uploads_open_by_age on uploads (created_at) where state = 'open'`,
  `create index uploads_open_by_chunk on uploads (last_chunk_at, created_at) where state = 'open'`,
  `create index uploads_outstanding on uploads (size, received_bytes) where state = 'open'`,
  `create index uploads_finishing on uploads (created_at) where state = 'finishing'`,
  'create index uploads_closed on uploads (closed_at) where closed_at is not null',
  `create index uploads_unclosed_of_asset on uploads (asset_id, created_at, upload_id)
    where closed_at is null and asset_id is not null`,
  'create index uploads_unclosed_of_account on uploads (account_id, created_at, upload_id) where closed_at is null',
  'create index uploads_unclosed_own on uploads (account_id) where closed_at is null and asset_id is not null',
]

/** No reference to `assets`: a session that has closed outlives an asset that was given up. */
const uploads = ({ text, integer, bytes, tableEnd }: Dialect) =>
  `create table uploads (
    upload_id ${text} primary key not null,
    account_id ${text} not null references accounts,
    opaque_id ${text} references links (opaque_id),
    asset_id ${text},
    album_id ${text} references albums (album_id),
    role ${text} check (role in ${roles}),
    size ${integer} not null check (size between 1 and ${integerMax}),
    ciphertext_hash ${text} not null,
    content_type ${text} not null,
    kem_ct ${bytes},
    envelope ${text},
    suggested_filename ${text},
    idempotency_key ${text},
    declaration_hash ${text} not null,
    location ${text} not null,
    created_at ${integer} not null,
    state ${text} not null check (state in ('open', 'finishing', 'landed', 'failed', 'ended')),
    failure ${text} check (failure in ${failures}),
    received_bytes ${integer} not null default 0 check (received_bytes between 0 and size),
    chunk_count ${integer} not null default 0 check (chunk_count >= 0),
    last_chunk_at ${integer},
    closed_at ${integer},
    check ((closed_at is null) = (state in ('open', 'finishing'))),
    check ((failure is null) = (state <> 'failed')),
    check (
      (
        opaque_id is not null and kem_ct is not null
        and asset_id is null and album_id is null and role is null and envelope is null
      ) or (
        asset_id is not null and album_id is not null and role is not null and envelope is not null
        and opaque_id is null and kem_ct is null and suggested_filename is null and idempotency_key is null
      )
    )
  ) ${tableEnd}`

const chunks = ({ text, integer, keyedTableEnd }: Dialect) =>
  `create table chunks (
    upload_id ${text} not null references uploads on delete cascade,
    "offset" ${integer} not null check ("offset" >= 0),
    length ${integer} not null check (length > 0),
    checksum ${text} not null,
    primary key (upload_id, "offset")
  ) ${keyedTableEnd}`

/**
 * What a verdict asks for stands in the index of an asset's blobs, as it is asked for by the hundred: the rows themselves, made large by their
 * envelopes, are not read then. An account's id stands beside each blob, so that its own asset and somebody else's cost the same.
 */
const assetsAndBlobs = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table assets (
    asset_id ${text} primary key not null,
    account_id ${text} not null references accounts,
    album_id ${text} not null references albums (album_id),
    drop_id ${text},
    opaque_id ${text} references links (opaque_id),
    kem_ct ${bytes},
    drop_received_at ${integer},
    created_at ${integer},
    changed_at ${integer},
    deleted_at ${integer},
    check ((opaque_id is null) = (drop_id is null)),
    check ((kem_ct is null) = (drop_id is null)),
    check ((drop_received_at is null) = (drop_id is null)),
    check ((changed_at is null) = (created_at is null)),
    check (deleted_at is null or (created_at is not null and drop_id is null))
  ) ${tableEnd}`,
  // No drop becomes two assets.
  'create unique index assets_of_drop on assets (drop_id) where drop_id is not null',
  `create table asset_blobs (
    blob_seq ${sequence},
    asset_id ${text} not null references assets (asset_id),
    account_id ${text} not null,
    role ${text} not null check (role in ${roles}),
    ciphertext_hash ${text} not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    location ${text} not null unique,
    upload_id ${text} not null,
    content_type ${text} not null,
    landed_at ${integer} not null,
    envelope ${text} not null
  ) ${tableEnd}`,
  `create index asset_blobs_of_asset on asset_blobs
    (asset_id, blob_seq, account_id, role, ciphertext_hash, size, location)`,
  'create index asset_blobs_by_content on asset_blobs (account_id, ciphertext_hash, blob_seq)',
  `create unique index asset_blobs_one_a_role on asset_blobs (asset_id, role) where role <> 'derivative'`,
  `create unique index asset_blobs_derivatives on asset_blobs (asset_id, ciphertext_hash) where role = 'derivative'`,
]
