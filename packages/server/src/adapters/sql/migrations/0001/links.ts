import type { Dialect } from '../../../../rows/dialects.ts'
import { integerMax } from './values.ts'

/**
 * `verifier_hash` is the SHA-256 of the passphrase verifier: a thief of the database cannot send it as a proof.
 * `claimed_by` is the upload of a single-use link that is finishing: only this upload may land.
 */
export const linkTables = ({ text, integer, bytes, sequence, tableEnd }: Dialect): readonly string[] => [
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
