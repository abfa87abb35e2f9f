/**
 * The index of open sessions also says when each received its last chunk: an abandoned one takes no room from others.
 */
export const tenthTables = (): readonly string[] => [
  'drop index uploads_reserving',
  `create index uploads_claiming on uploads (account_id, size, received_bytes, last_chunk_at, created_at) where state = 'open'`,
]
