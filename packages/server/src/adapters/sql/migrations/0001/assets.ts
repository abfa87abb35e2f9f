import type { Dialect } from '../../../../rows/dialects.ts'
import { integerMax, roles } from './values.ts'

/** What an account keeps: albums, assets with their blobs, and the changes that its clients follow. */
export function assetTables(dialect: Dialect): readonly string[] {
  return [...albums(dialect), ...assets(dialect), ...assetBlobs(dialect), ...events(dialect)]
}

const albums = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table albums (
    album_seq ${sequence},
    album_id ${text} not null unique,
    account_id ${text} not null references accounts,
    sealed_name ${bytes},
    created_at ${integer} not null
  ) ${tableEnd}`,
  'create index albums_of_account on albums (account_id, created_at, album_seq)',
]

/** Each account numbers its changes. An asset carries its last number: the rows are the feed. */
const assets = ({ text, integer, bytes, tableEnd }: Dialect) => [
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
    change_seq ${integer},
    check ((opaque_id is null) = (drop_id is null)),
    check ((kem_ct is null) = (drop_id is null)),
    check ((drop_received_at is null) = (drop_id is null)),
    check ((changed_at is null) = (created_at is null)),
    check (deleted_at is null or (created_at is not null and drop_id is null))
  ) ${tableEnd}`,
  // No drop becomes two assets.
  'create unique index assets_of_drop on assets (drop_id) where drop_id is not null',
  'create unique index assets_feed on assets (account_id, change_seq) where change_seq is not null',
]

/**
 * A storage verification asks for hundreds of assets at once, so the index of an asset's blobs holds all that a verdict
 * needs: the rows, which their envelopes make large, are not read. Each blob repeats its account's id, so that an asset
 * of another account costs the same time as an own one.
 */
const assetBlobs = ({ text, integer, sequence, tableEnd }: Dialect) => [
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
    envelope ${text} not null,
    retained_until ${integer}
  ) ${tableEnd}`,
  `create index asset_blobs_of_asset on asset_blobs
    (asset_id, blob_seq, account_id, role, ciphertext_hash, size, location)`,
  'create index asset_blobs_by_content on asset_blobs (account_id, ciphertext_hash, blob_seq)',
  `create unique index asset_blobs_one_per_role on asset_blobs (asset_id, role) where role <> 'derivative'`,
  `create unique index asset_blobs_derivatives on asset_blobs (asset_id, ciphertext_hash) where role = 'derivative'`,
  'create index asset_blobs_retained on asset_blobs (account_id, retained_until) where retained_until is not null',
]

/** Kept for a while, so that a client that reconnects resumes after the last change that it received. */
const events = ({ text, integer, keyedTableEnd }: Dialect) => [
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
