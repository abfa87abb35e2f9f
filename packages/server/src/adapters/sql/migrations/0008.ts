import type { Dialect } from '../../../rows/dialects.ts'

/**
 * Guests' files that an account had no room for; and what a session counts as in what guests see, if not as its size.
 * And `retained_until` is only of blobs that bind: the provenance, and an original that replaces a signed one. The text
 * of an envelope is JSON: there, an unescaped quotation mark never is in a value.
 */
export const eighthTables = ({ integer, text }: Dialect): readonly string[] => [
  `alter table accounts add column refused_why ${text}`,
  `alter table accounts add column refused_count ${integer} not null default 0`,
  `alter table accounts add column refused_first_at ${integer}`,
  `alter table accounts add column refused_last_at ${integer}`,
  `alter table uploads add column shown_size ${integer}`,
  `update asset_blobs set retained_until = null where retained_until is not null and role <> 'provenance'
    and not (role = 'original' and envelope like '%"prior_provenance_hash":"%')`,
]
