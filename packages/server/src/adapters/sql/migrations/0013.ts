import type { Dialect } from '../../../rows/dialects.ts'

/**
 * Each change of the attestation key is a signed statement. A key that has ended without one cannot be given one any
 * more, so it refuses the step. And the server notes its address, its former ones, and an announced one.
 */
export const thirteenthTables = (dialect: Dialect): readonly string[] => [
  `create table key_changes (
    key_id ${dialect.text} primary key not null references attestation_keys (key_id),
    leave ${dialect.bytes} not null,
    arrive ${dialect.bytes} not null
  ) ${dialect.tableEnd}`,
  ...dialect.replaceCheck({
    table: 'server_facts',
    column: 'name',
    check: `name in (
      'server_id', 'token_key', 'server_secret', 'receipt_seq_floor', 'feed_epoch',
      'life', 'witnessed', 'protocol_window', 'settings', 'store_id', 'backed_up_at',
      'public_url', 'former_urls', 'moves_to'
    )`,
    columns: { name: `${dialect.text} primary key not null`, value: `${dialect.bytes} not null` },
  }),
]

/** Finds a row if an attestation key was replaced before such changes were signed. */
export const UNSIGNED_KEY_CHANGE = 'select 1 as found from attestation_keys where active_to is not null limit 1'
