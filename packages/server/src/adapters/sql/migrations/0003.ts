import type { Dialect } from '../../../rows/dialects.ts'

/** The owner's names for shares, sessions and devices, and what the owner keeps of a share. */
export const thirdTables = (dialect: Dialect): readonly string[] => [
  `alter table sessions add column sealed_name ${dialect.bytes}`,
  `alter table devices add column sealed_name ${dialect.bytes}`,
  ...shareNotes(dialect),
]

/**
 * Not columns of the shares: they would stand after the index of a share, which may be long, and SQLite reads through a
 * long value to reach the columns after it. The list of an account's shares would read all their indexes.
 */
const shareNotes = ({ text, bytes, tableEnd }: Dialect) => [
  `create table share_notes (
    opaque_id ${text} primary key not null references shares (opaque_id),
    sealed_name ${bytes},
    sealed_record ${bytes}
  ) ${tableEnd}`,
]
