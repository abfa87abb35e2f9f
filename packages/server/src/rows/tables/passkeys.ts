import type { AccountId, Instant, PasskeyId } from '@blindkeep/protocol/ids'
import { given, later, type New, optional, type Row, sequence } from '../columns.ts'

/** WebAuthn credentials whose PRF output opens the account key. */
export const passkeys = {
  /** The order in which they were added. */
  passkeySeq: sequence(),
  passkeyId: given<PasskeyId>(),
  accountId: given<AccountId>(),
  /** The authenticator's own id, 1 to 1023 bytes. */
  credentialId: given<Uint8Array>(),
  /** SHA-256 of the public key that the client derived from the PRF output. */
  keyHash: given<Uint8Array>(),
  sealedPasskeyKey: given<Uint8Array>(),
  /** The owner's name for it. */
  sealedName: optional<Uint8Array>(),
  createdAt: given<Instant>(),
  /** When it last opened a session. */
  lastUsedAt: later<Instant>(),
}

export type Passkey = Row<typeof passkeys>
export type NewPasskey = New<typeof passkeys>
