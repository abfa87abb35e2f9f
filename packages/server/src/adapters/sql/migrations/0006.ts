import type { Dialect } from '../../../rows/dialects.ts'

/** What proves the passphrase of a share. Beside the notes, for the reason that they have (`0003.ts`). */
export const sixthTables = ({ bytes }: Dialect): readonly string[] => [
  `alter table share_notes add column verifier_hash ${bytes}`,
]
