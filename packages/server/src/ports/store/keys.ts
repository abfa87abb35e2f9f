/** The keys that sign receipts. Private halves are sealed under the master secret. */
import type { Instant, KeyId } from '@blindkeep/protocol/ids'

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
  /** The only key without `activeTo`. Undefined before the first key. */
  activeAttestationKey(): Promise<AttestationKey | undefined>
}

export interface KeyWrites {
  /** Throws, and the transaction fails, if the key exists already or would be a second active one. */
  insertAttestationKey(key: AttestationKey): Promise<void>
  /** Ends the active key. False, and nothing changed, if `keyId` is not the active key: an end never changes. */
  retireAttestationKey(keyId: KeyId, activeTo: Instant): Promise<boolean>
}
