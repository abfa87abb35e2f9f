import type { Dialect } from '../../../rows/dialects.ts'

/** When the owner of an account proved the present recovery words. Of accounts from before, it is not known. */
export const seventeenthTables = ({ integer }: Dialect): readonly string[] => [
  `alter table accounts add column recovery_confirmed_at ${integer}`,
]
