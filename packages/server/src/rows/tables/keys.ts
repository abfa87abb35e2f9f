import type { Instant, KeyId } from '@blindkeep/protocol/ids'
import { given, optional, type Row, sequence } from '../columns.ts'

/** The keys that sign receipts. Private halves are sealed under the master secret. */
export const attestationKeys = {
  /** The order in which they were created. */
  keySeq: sequence(),
  keyId: given<KeyId>(),
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  publicKey: given<Uint8Array>(),
  sealedPrivateKey: given<Uint8Array>(),
  activeFrom: given<Instant>(),
  activeTo: optional<Instant>(),
}

export type AttestationKey = Row<typeof attestationKeys>

/**
 * Why a key follows the one before it: a move of the server to another address, or a rotation. Each key but the first
 * has exactly one, written with it. Two COSE messages about the same payload (protocol's `keyChange.ts`).
 */
export const keyChanges = {
  /** The key that begins. */
  keyId: given<KeyId>(),
  /** Signed by the key that ends. */
  leave: given<Uint8Array>(),
  /** Signed by the key that begins. */
  arrive: given<Uint8Array>(),
}

export type KeyChangeRow = Row<typeof keyChanges>
