import type { Dialect } from '../../../../rows/dialects.ts'

/** How other peers and people read what an account keeps: capabilities and shares. */
export function sharingTables(dialect: Dialect): readonly string[] {
  return [...capabilities(dialect), ...shares(dialect)]
}

const capabilities = ({ text, integer, sequence, tableEnd }: Dialect) => [
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
  'create index capabilities_by_expiry on capabilities (expires_at)',
]

/**
 * A share that has ended keeps its row without contents. Its id stays taken: no account can put other contents at an
 * address that people know. The hashes are one value and not rows of their own: ten thousand insertions, and their
 * index, would hold up every other request. The long values are the last columns, because SQLite reads through a long
 * value to reach the columns after it.
 */
const shares = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table shares (
    share_seq ${sequence},
    opaque_id ${text} not null unique,
    account_id ${text} not null references accounts,
    created_at ${integer} not null,
    expires_at ${integer},
    ended_at ${integer},
    blob_hashes ${bytes},
    sealed_index ${bytes},
    check ((ended_at is null) = (blob_hashes is not null)),
    check ((ended_at is null) = (sealed_index is not null))
  ) ${tableEnd}`,
  'create index shares_of_account on shares (account_id, created_at, share_seq) where ended_at is null',
  'create index shares_by_expiry on shares (expires_at) where ended_at is null and expires_at is not null',
]
