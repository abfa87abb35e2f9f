/** Passkeys of accounts: WebAuthn credentials whose PRF output opens the account key. */
import type { AccountId, Instant, PasskeyId } from '@blindkeep/protocol/ids'

export interface NewPasskey {
  readonly passkeyId: PasskeyId
  readonly accountId: AccountId
  /** The authenticator's own id, 1 to 1023 bytes. */
  readonly credentialId: Uint8Array
  /** SHA-256 of the proof. */
  readonly proofHash: Uint8Array
  readonly sealedPasskeyKey: Uint8Array
  /** The owner's name for it. */
  readonly sealedName: Uint8Array | undefined
  readonly createdAt: Instant
}

export interface Passkey extends NewPasskey {
  /** When it last opened a session. */
  readonly lastUsedAt: Instant | undefined
}

export interface PasskeyReads {
  find(passkeyId: PasskeyId): Promise<Passkey | undefined>
  /** Oldest first. */
  listOf(accountId: AccountId): Promise<readonly Passkey[]>
}

export interface PasskeyWrites {
  /** False if the id is taken, by any account. */
  insert(passkey: NewPasskey): Promise<boolean>
  /** Undefined removes the name. */
  setName(passkeyId: PasskeyId, sealedName: Uint8Array | undefined): Promise<void>
  noteUse(passkeyId: PasskeyId, at: Instant): Promise<void>
  /** False if the account has no such passkey. */
  remove(passkeyId: PasskeyId, accountId: AccountId): Promise<boolean>
  removeOf(accountId: AccountId): Promise<void>
}
