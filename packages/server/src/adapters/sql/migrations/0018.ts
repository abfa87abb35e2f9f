import type { Dialect } from '../../../rows/dialects.ts'

/** How often each link took no file of a guest, and why. */
export const eighteenthTables = ({ text }: Dialect): readonly string[] => [
  `alter table links add column refusals ${text}`,
]
