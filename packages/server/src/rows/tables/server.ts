/** Facts about the server itself, and what its processes share. */
import type { Instant } from '@blindkeep/protocol/ids'
import { given } from '../columns.ts'

/**
 * - server_id: the origin in receipts. Written with the first receipt or account.
 * - token_key: the Ed25519 key that signs access and capability tokens, sealed under the master secret.
 * - server_secret: 32 bytes from which decoy salts, nonces and refresh tokens are derived, sealed under the master
 *   secret.
 * - receipt_seq_floor: decimal digits in ASCII; every later receipt has a higher receipt_seq.
 * - feed_epoch: random bytes that name the numbering of changes to which cursors belong; a restore changes them.
 * - life: decimal digits in ASCII; how many restores the receipt log has had. Absent before the first.
 * - witnessed: decimal digits in ASCII; the life in which a witness was first written. From then on a missing one means
 *   other bytes.
 * - store_id: names the S3 store that has the objects of this database, in UTF-8.
 * - settings: JSON of the settings that all nodes share, by variable (sharedSettings.ts).
 * - protocol_window: two dates in ASCII with a space between them, the oldest and newest protocol version in the
 *   settings of the last start.
 * - public_url: the whole PUBLIC_URL of the last start, in UTF-8.
 * - former_urls: JSON of the whole PUBLIC_URLs that this server had before its moves, oldest first: a list of texts.
 * - moves_to: JSON `{server_id, on}` of an announced move, `on` in RFC 3339, sealed under the master secret for the
 *   name and the number of moves that the server had then. Absent when none is announced.
 * - backed_up_at: decimal digits in ASCII; the instant of the last complete backup, in milliseconds.
 */
export type ServerFact =
  | 'server_id'
  | 'token_key'
  | 'server_secret'
  | 'receipt_seq_floor'
  | 'feed_epoch'
  | 'life'
  | 'witnessed'
  | 'protocol_window'
  | 'settings'
  | 'store_id'
  | 'public_url'
  | 'former_urls'
  | 'moves_to'
  | 'backed_up_at'

export const serverFacts = {
  name: given<ServerFact>(),
  value: given<Uint8Array>(),
}

/** What `Limiter` counts, where several processes share it. */
export const limits = {
  /** Keyed hashes of rule and key, in hexadecimal. */
  id: given<string>(),
  taken: given<number>(),
  endsAt: given<Instant>(),
}

/** What `Seats` has given, where several processes share it. */
export const seats = {
  /** What has these seats. */
  place: given<string>(),
  number: given<number>(),
  holder: given<string>(),
  until: given<Instant>(),
}

export const nodes = {
  nodeId: given<string>(),
  seenAt: given<Instant>(),
  version: given<string>(),
}
