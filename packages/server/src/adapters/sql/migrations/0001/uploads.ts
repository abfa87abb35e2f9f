import type { Dialect } from '../../../../rows/dialects.ts'
import { integerMax, roles } from './values.ts'

/** Upload sessions with their chunks and parts, and the drops that the guests' sessions become. */
export function uploadTables(dialect: Dialect): readonly string[] {
  return [uploads(dialect), ...uploadIndexes, chunks(dialect), ...parts(dialect), ...drops(dialect)]
}

const failures = `('content_hash_wrong', 'manifest_mismatch', 'manifest_stale', 'asset_id_taken')`

/**
 * The last check keeps each row wholly a guest's or wholly an owner's. `asset_id` has no reference to `assets`: a
 * closed session outlives an asset whose reservation was given up.
 */
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
    opener ${text},
    writing_until ${integer},
    leased_by ${text},
    leased_until ${integer},
    check (closed_at is null or (opener is null and writing_until is null and leased_by is null)),
    check ((leased_by is null) = (leased_until is null)),
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

const uploadIndexes: readonly string[] = [
  'create unique index uploads_by_idempotency_key on uploads (opaque_id, idempotency_key) where idempotency_key is not null',
  `create index uploads_open_of_link on uploads (opaque_id, created_at) where state = 'open'`,
  `create index uploads_open_by_age on uploads (created_at) where state = 'open'`,
  `create index uploads_open_by_last_chunk on uploads (last_chunk_at, created_at) where state = 'open'`,
  `create index uploads_reserving on uploads (account_id, size, received_bytes) where state = 'open'`,
  `create index uploads_finishing on uploads (created_at) where state = 'finishing'`,
  'create index uploads_closed on uploads (closed_at) where closed_at is not null',
  `create index uploads_unclosed_of_asset on uploads (asset_id, created_at, upload_id)
    where closed_at is null and asset_id is not null`,
  'create index uploads_unclosed_of_account on uploads (account_id, created_at, upload_id) where closed_at is null',
  'create index uploads_unclosed_of_owner on uploads (account_id) where closed_at is null and asset_id is not null',
]

const chunks = ({ text, integer, keyedTableEnd }: Dialect) =>
  `create table chunks (
    upload_id ${text} not null references uploads on delete cascade,
    "offset" ${integer} not null check ("offset" >= 0),
    length ${integer} not null check (length > 0),
    checksum ${text} not null,
    primary key (upload_id, "offset")
  ) ${keyedTableEnd}`

/**
 * Only for a store with keys. A row has no reference to its session: it says where a landed object's bytes are, and
 * which keys may still have bytes, when the session is long gone.
 */
const parts = ({ text, integer, tableEnd }: Dialect) => [
  `create table parts (
    key ${text} primary key not null,
    upload_id ${text} not null,
    state ${text} not null check (state in ('writing', 'kept', 'deleting')),
    "offset" ${integer} check ("offset" >= 0),
    length ${integer} check (length > 0),
    checksum ${text},
    due ${integer},
    is_removed ${integer} not null default 0 check (is_removed in (0, 1)),
    check ((due is null) = (state = 'kept')),
    check (state <> 'kept' or ("offset" is not null and length is not null and checksum is not null)),
    check (is_removed = 0 or state = 'deleting')
  ) ${tableEnd}`,
  `create unique index parts_kept on parts (upload_id, "offset") where state = 'kept'`,
  `create index parts_behind_others on parts (upload_id) where state = 'kept' and "offset" > 0`,
  `create index parts_writing on parts (upload_id) where state = 'writing'`,
  'create index parts_due on parts (due) where due is not null',
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
    leased_until ${integer},
    claim_id ${text},
    claim_hash ${text} check ((claim_id is null) = (claim_hash is null)),
    claimed_by ${text}
  ) ${tableEnd}`,
  'create index drops_of_account on drops (account_id, received_at, drop_seq)',
  'create index drops_of_link on drops (opaque_id)',
]
