import type { Instant, KeyId } from '@blindkeep/protocol/ids'

/** The keys that receipts were signed with, private halves sealed. */

export interface AttestationKey {
  readonly keyId: KeyId
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  readonly publicKey: Uint8Array
  readonly sealedPrivateKey: Uint8Array
  readonly activeFrom: Instant
  readonly activeTo: Instant | undefined
}

export interface KeyReads {
  /** Oldest first, the active one last. */
  attestationKeys(): Promise<readonly AttestationKey[]>
}

export interface KeyWrites {
  insertAttestationKey(key: AttestationKey): Promise<void>
}
