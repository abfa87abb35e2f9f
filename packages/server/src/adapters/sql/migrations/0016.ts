import type { Dialect } from '../../../rows/dialects.ts'
import { integerMax } from './0001/values.ts'

/** What was discarded or deleted, as long as it can be restored. Its rows have left their tables for `removed`. */
export const sixteenthTables = ({ text, integer, sequence, tableEnd }: Dialect): readonly string[] => [
  `create table bin (
    bin_seq ${sequence},
    account_id ${text} not null references accounts,
    entry_id ${text} not null,
    size ${integer} not null check (size between 1 and ${integerMax}),
    deleted_at ${integer} not null,
    opaque_id ${text} references links (opaque_id),
    album_id ${text} references albums (album_id),
    removed ${text} not null,
    unique (account_id, entry_id),
    check ((opaque_id is null) <> (album_id is null))
  ) ${tableEnd}`,
  'create index bin_of_account on bin (account_id, deleted_at, bin_seq, size)',
  'create index bin_by_age on bin (deleted_at)',
  'create index bin_of_link on bin (opaque_id) where opaque_id is not null',
  'create index bin_of_album on bin (album_id) where album_id is not null',
]
