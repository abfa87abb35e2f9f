import type { Dialect } from '../../../rows/dialects.ts'

/** How often each share was opened and downloaded, and how often it may be: beside the shares for the reason of 0003. */
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
