import type { Dialect } from '../../../rows/dialects.ts'

/** How often each share was opened and downloaded, and may be: in a table of its own, as in `0003.ts`. */
export const fourteenthTables = ({ text, integer, bytes, tableEnd }: Dialect): readonly string[] => [
  `create table share_visits (
    opaque_id ${text} primary key not null references shares (opaque_id),
    opened ${integer} not null default 0,
    downloaded ${integer} not null default 0,
    last_at ${integer},
    max_downloads ${integer},
    openers ${bytes},
    downloaders ${bytes}
  ) ${tableEnd}`,
  'insert into share_visits (opaque_id) select opaque_id from shares where ended_at is null',
]
