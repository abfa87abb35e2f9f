import type { Dialect } from '../../../rows/dialects.ts'

/** A browser is one more kind of channel. */
export const fifthTables = ({ text, integer, bytes, sequence, replaceCheck }: Dialect): readonly string[] =>
  replaceCheck({
    table: 'channels',
    column: 'kind',
    check: `kind in ('webhook', 'ntfy', 'email', 'push')`,
    columns: {
      channel_seq: sequence,
      channel_id: `${text} not null unique`,
      account_id: `${text} not null references accounts`,
      kind: `${text} not null`,
      state: `${text} not null check (state in ('unconfirmed', 'active', 'given_up'))`,
      created_at: `${integer} not null`,
      notified_seq: `${integer} not null`,
      sending_seq: `${integer} check (sending_seq > notified_seq)`,
      due_at: `${integer} not null`,
      claim_id: text,
      leased_until: integer,
      attempts: `${integer} not null default 0 check (attempts >= 0)`,
      sent_at: integer,
      failed_at: integer,
      fault: text,
      sealed_target: `${bytes} not null`,
    },
    checks: ['check ((claim_id is null) = (leased_until is null))', 'check ((failed_at is null) = (fault is null))'],
    indexes: [
      'create index channels_of_account on channels (account_id, channel_seq)',
      `create index channels_active on channels (channel_seq) where state = 'active'`,
    ],
  })
