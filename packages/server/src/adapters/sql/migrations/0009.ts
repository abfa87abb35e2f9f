<<<<<<< HEAD
/** The index of open sessions also says when each received its last chunk: an abandoned one takes no room from others. */
export const ninthTables = (): readonly string[] => [
  'drop index uploads_reserving',
  `create index uploads_claiming on uploads (account_id, size, received_bytes, last_chunk_at, created_at) where state = 'open'`,
=======
import type { Dialect } from '../dialects.ts'

/** Which session opened an owner's upload or asked for a capability, so that none takes what is for all. */
export const ninthTables = ({ text }: Dialect): readonly string[] => [
  `alter table uploads add column session_id ${text}`,
  `alter table capabilities add column session_id ${text}`,
>>>>>>> main
]
