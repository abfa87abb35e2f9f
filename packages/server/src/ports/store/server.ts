/** Facts about the server itself. */

/**
 * server_id: the origin that receipts carry. token_key: sealed Ed25519 key of access and capability tokens. server_secret: sealed 32 bytes for made-up
 * salts and refresh tokens. receipt_seq_floor: decimal digits in ASCII; every receipt from now on has a receipt_seq above it. feed_epoch: random bytes
 * that tell which numbering of changes a cursor belongs to; a restore changes them.
 * collector_paused_until: an RFC 3339 instant in ASCII; until then the collector starts to delete nothing that a receipt vouched for (`domain/custody/collect.ts`).
 * protocol_window: two dates in ASCII with a space between them, the oldest and the newest protocol version as the last start was told them.
 */
export type ServerFact =
  | 'server_id'
  | 'token_key'
  | 'server_secret'
  | 'receipt_seq_floor'
  | 'feed_epoch'
  | 'collector_paused_until'
  | 'protocol_window'

export interface ServerReads {
  fact(name: ServerFact): Promise<Uint8Array | undefined>
}

export interface ServerWrites {
  setFact(name: ServerFact, value: Uint8Array): Promise<void>
}
