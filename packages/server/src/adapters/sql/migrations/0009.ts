import type { Dialect } from '../../../rows/dialects.ts'

/** Which session opened an owner's upload or asked for a capability, so that none takes what is for all. */
export const ninthTables = ({ text }: Dialect): readonly string[] => [
  `alter table uploads add column session_id ${text}`,
  `alter table capabilities add column session_id ${text}`,
]
