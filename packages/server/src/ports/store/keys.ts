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
  /** The one without an end, of which there is never a second. Undefined before the first. */
  activeAttestationKey(): Promise<AttestationKey | undefined>
}

export interface KeyWrites {
  /** Throws, and the transaction with it, for a key that is there and for a second active one. */
  insertAttestationKey(key: AttestationKey): Promise<void>
  /** Ends the active key. False, and nothing changed, when `keyId` is not the active one: what ended once has that end for ever. */
  retireAttestationKey(keyId: KeyId, activeTo: Instant): Promise<boolean>
}
