import type { Dialect } from '../../../rows/dialects.ts'

/**
 * Messages about new files, a link's words for its guests, and when the server was last backed up. From here on, the
 * table of migrations also says which version ran each.
 */
export const secondTables = (dialect: Dialect): readonly string[] => [
  `alter table migrations add column version ${dialect.text}`,
  `alter table links add column sealed_title ${dialect.bytes}`,
  ...channels(dialect),
  ...dialect.replaceCheck({
    table: 'server_facts',
    column: 'name',
    check: `name in (
      'server_id', 'token_key', 'server_secret', 'receipt_seq_floor', 'feed_epoch',
      'life', 'witnessed', 'protocol_window', 'settings', 'store_id', 'backed_up_at'
    )`,
    columns: { name: `${dialect.text} primary key not null`, value: `${dialect.bytes} not null` },
  }),
]

/**
 * Where owners hear of landed drops. What they were not notified of lies between `notified_seq` and the account's
 * `change_seq`, so a landing writes nothing here. The long value is the last column, because SQLite reads through a
 * long value to reach the columns after it.
 */
const channels = ({ text, integer, bytes, sequence, tableEnd }: Dialect): readonly string[] => [
  `create table channels (
    channel_seq ${sequence},
    channel_id ${text} not null unique,
    account_id ${text} not null references accounts,
    kind ${text} not null check (kind in ('webhook', 'ntfy', 'email')),
    state ${text} not null check (state in ('unconfirmed', 'active', 'given_up')),
    created_at ${integer} not null,
    notified_seq ${integer} not null,
    sending_seq ${integer} check (sending_seq > notified_seq),
    due_at ${integer} not null,
    claim_id ${text},
    leased_until ${integer},
    attempts ${integer} not null default 0 check (attempts >= 0),
    sent_at ${integer},
    failed_at ${integer},
    fault ${text},
    sealed_target ${bytes} not null,
    check ((claim_id is null) = (leased_until is null)),
    check ((failed_at is null) = (fault is null))
  ) ${tableEnd}`,
  'create index channels_of_account on channels (account_id, channel_seq)',
  `create index channels_active on channels (channel_seq) where state = 'active'`,
]
