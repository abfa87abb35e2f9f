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
