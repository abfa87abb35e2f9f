import type { Dialect } from '../../../rows/dialects.ts'

/** Whom an invite is for, in the operator's own words. */
export const nineteenthTables = ({ text }: Dialect): readonly string[] => [
  `alter table invites add column note ${text}`,
]
