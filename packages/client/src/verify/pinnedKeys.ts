/** What a client remembers of one server, and its stored form. */
import type { ChainLink } from '@blindkeep/protocol/chain'
import { KeyChangeResponse } from '@blindkeep/protocol/schemas/discovery'
import { base64, integer, list, object, sha256, text, time } from '@blindkeep/protocol/schemas/shape'
import { HYBRID_PUBLIC_KEY_BYTES } from '@blindkeep/protocol/suites'
import { Type } from 'typebox'
import { readAnswer } from '../http/answer.ts'

/**
 * What a client remembers of one server: its attestation keys, as last seen, and the newest of the receipts that it has
 * checked. Plain JSON, not secret; store it as long as you store receipts. The server's list is append-only
 * (specification, Discovery): a rotation appends a key and sets the end of the one before; nothing else changes. So a
 * key that disappears or changes is an alarm, and so is a changed end.
 */
export interface PinnedKeys {
  readonly serverId: string
  /** Oldest first, as published. */
  readonly keys: readonly PinnedKey[]
  /** Absent before the first receipt. Every later receipt must be in one chain with it (specification, Receipts). */
  readonly newestReceipt?: ChainLink | undefined
  /**
   * Why each key but the first follows the one before it, as the server published it. Absent for a server that
   * publishes no such statements.
   */
  readonly keyChanges?: PinnedKeyChanges | undefined
  /** RFC 3339: when the first of these keys was pinned. Set by who stores the pins. */
  readonly knownSince?: string | undefined
  /**
   * A tombstone: this client has followed the server to this address. Whatever answers at `serverId` is not it, and all
   * that compares with these pins refuses.
   */
  readonly movedTo?: string | undefined
}

/** Oldest first, of either kind. */
export interface PinnedKeyChanges {
  readonly moves: readonly KeyChangeResponse[]
  readonly rotations: readonly KeyChangeResponse[]
}

export interface PinnedKey {
  /** SHA-256 of the published bytes, lowercase hex. */
  readonly keyId: string
  /** Ed25519 ‖ ML-DSA-65, base64 of 1984 bytes. */
  readonly public: string
  /** RFC 3339. */
  readonly activeFrom: string
  /** RFC 3339; absent for the active key, and in pins of earlier releases of this client. */
  readonly activeTo?: string | undefined
}

const StoredPins = object('PinnedKeys', {
  serverId: text('The canonical origin of the server.'),
  keys: list(
    object('PinnedKey', {
      keyId: sha256('SHA-256 of the published bytes.'),
      public: base64('The published bytes.', { min: HYBRID_PUBLIC_KEY_BYTES, max: HYBRID_PUBLIC_KEY_BYTES }),
      activeFrom: time('When it began to sign.'),
      activeTo: Type.Optional(time('When it stopped.')),
    }),
    'Oldest first.',
  ),
  newestReceipt: Type.Optional(
    object('PinnedReceipt', {
      hash: sha256('SHA-256 of the whole receipt.'),
      payload: object('PinnedPlace', {
        server_id: text('The server that signed it.'),
        receipt_seq: integer('Its number.', 1),
        received_at: time('When the server received the bytes.'),
        prior_receipt_hash: Type.Optional(sha256('The hash of the receipt before it.')),
      }),
    }),
  ),
  keyChanges: Type.Optional(
    object('PinnedKeyChanges', {
      moves: list(KeyChangeResponse, 'The moves.'),
      rotations: list(KeyChangeResponse, 'All other changes of the key.'),
    }),
  ),
  knownSince: Type.Optional(time('When the first key was pinned.')),
  movedTo: Type.Optional(text('The address to which the server was followed.')),
})

/** Reads stored pins. Throws `RangeError` for anything else. */
export function parsePins(json: unknown): PinnedKeys {
  const read = readAnswer(StoredPins, json)
  if (read.fault !== undefined) throw new RangeError(`These are not the pinned keys of a server: ${read.fault}.`)
  return read.value
}
