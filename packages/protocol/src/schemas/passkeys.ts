import type { PasskeyId } from '../ids.ts'
import type { Static } from '../static.ts'
import { ED25519_PUBLIC_KEY_BYTES } from '../suites.ts'
import { codeIfOn, Proof, signingInDevice } from './accounts.ts'
import { base64, list, object, optional, sealedName, time, uuid } from './shape.ts'

const passkeyId = uuid<PasskeyId>('The passkey: the user handle of WebAuthn. The client generates the id.')
const credentialId = base64('The id that the authenticator gave the passkey; opaque to the server.', {
  min: 1,
  max: 1023,
})
const passkeyKey = base64(
  'The key of the passkey, which the client derived from the output of the PRF extension: a public key of Ed25519. The server keeps its SHA-256.',
  { min: ED25519_PUBLIC_KEY_BYTES, max: ED25519_PUBLIC_KEY_BYTES },
)
const sealedPasskeyKey = base64(
  'Account id, account key and e-mail address, sealed by the client under the output of the PRF extension; opaque to the server.',
  { min: 1, max: 4096 },
)

export const PasskeyLoginRequest = object('PasskeyLoginRequest', {
  passkey_id: passkeyId,
  proof: Proof,
  device_id: signingInDevice,
})
export type PasskeyLoginRequest = Static<typeof PasskeyLoginRequest>

export const AddPasskeyRequest = object('AddPasskeyRequest', {
  proof: Proof,
  code: codeIfOn,
  passkey_id: passkeyId,
  credential_id: credentialId,
  passkey_key: passkeyKey,
  sealed_passkey_key: sealedPasskeyKey,
  sealed_name: optional(sealedName('passkey')),
})
export type AddPasskeyRequest = Static<typeof AddPasskeyRequest>

export const PasskeyResponse = object('PasskeyResponse', {
  passkey_id: passkeyId,
  credential_id: credentialId,
  sealed_passkey_key: sealedPasskeyKey,
  sealed_name: optional(sealedName('passkey')),
  created_at: time('When it was added.'),
  last_used_at: optional(time('When it last opened a session. Absent if it never did.')),
})
export type PasskeyResponse = Static<typeof PasskeyResponse>

export const PasskeysResponse = object('PasskeysResponse', {
  passkeys: list(PasskeyResponse, 'All of the caller’s passkeys, oldest first.'),
})
export type PasskeysResponse = Static<typeof PasskeysResponse>

/** Absent: unchanged. Null: removed. */
export const NamePasskeyRequest = object('NamePasskeyRequest', { sealed_name: optional(sealedName('passkey')) })
export type NamePasskeyRequest = Static<typeof NamePasskeyRequest>
