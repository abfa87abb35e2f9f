import type { Static } from 'typebox'
import type { AccountId, DeviceId } from '../ids.ts'
import { base64, boolean, integer, list, object, oneOf, optional, text, time, uuid } from './shape.ts'

const email = text('E-mail address; trimmed and lower-cased by the server.', { minLength: 3, maxLength: 254 })
const password = text(
  'The authentication secret that the client derived, base64. The password itself never leaves the client.',
  {
    minLength: 12,
    maxLength: 1024,
  },
)
const kdfVersion = integer(
  'Which key derivation the client uses; 1 is Argon2id with 64 MiB, 3 passes, 1 lane, 32 bytes out.',
  1,
)
const salt = base64('Salt of the key derivation, made by the client.', { min: 8, max: 64 })
const sealedKey = (what: string) =>
  base64(`${what}, sealed by the client; opaque to the server.`, { min: 1, max: 4096 })

export const RegisterRequest = object('RegisterRequest', {
  email,
  password,
  kdf_version: optional(kdfVersion),
  salt: optional(salt),
  sealed_account_key: optional(sealedKey('The account key')),
  sealed_recovery_key: optional(sealedKey('The account key under the recovery words')),
  recovery_proof: optional(base64('What proves the recovery words.', { min: 32, max: 32 })),
  invite: optional(text('Invite code, where registration asks for one.', { minLength: 1, maxLength: 256 })),
})
export type RegisterRequest = Static<typeof RegisterRequest>

export const KdfRequest = object('KdfRequest', { email })
export type KdfRequest = Static<typeof KdfRequest>

export const KdfResponse = object('KdfResponse', { kdf_version: kdfVersion, salt })
export type KdfResponse = Static<typeof KdfResponse>

export const LoginRequest = object('LoginRequest', {
  email,
  password: text('The authentication secret, base64.', { minLength: 1, maxLength: 1024 }),
  device_id: optional(uuid<DeviceId>('The device that signs in.')),
})
export type LoginRequest = Static<typeof LoginRequest>

export const TokenResponse = object('TokenResponse', {
  access_token: text('Bearer token, a JWT (RFC 9068).'),
  refresh_token: text('Single-use token for POST /v1/auth/refresh.'),
  token_type: oneOf(['Bearer'], 'RFC 6750.'),
  expires_at: time('When the access token ends.'),
  account_id: uuid<AccountId>('The account.'),
})
export type TokenResponse = Static<typeof TokenResponse>

export const ChallengeResponse = object('ChallengeResponse', {
  mfa_token: text('For POST /v1/auth/login/verify-totp. Secret, and good for one answer.'),
  expires_at: time('When it ends: after 5 minutes. After 5 tries it has ended too.'),
})
export type ChallengeResponse = Static<typeof ChallengeResponse>

const code = (description: string) =>
  text(`${description} Case, spaces and dashes do not matter.`, { minLength: 1, maxLength: 64 })
const currentPassword = text('The present authentication secret, base64.', { minLength: 1, maxLength: 1024 })

export const VerifyTotpRequest = object('VerifyTotpRequest', {
  mfa_token: text('The mfa_token of the 202 answer.', { minLength: 1, maxLength: 256 }),
  code: code('The six digits that the authenticator shows, or a backup code.'),
})
export type VerifyTotpRequest = Static<typeof VerifyTotpRequest>

export const EnrollTotpRequest = object('EnrollTotpRequest', { current_password: currentPassword })
export type EnrollTotpRequest = Static<typeof EnrollTotpRequest>

export const EnrollTotpResponse = object('EnrollTotpResponse', {
  provisioning_uri: text('otpauth://totp/… for an authenticator, with the secret: SHA-1, 6 digits, 30 s (RFC 6238).'),
})
export type EnrollTotpResponse = Static<typeof EnrollTotpResponse>

export const ConfirmTotpRequest = object('ConfirmTotpRequest', {
  code: code('The six digits that the authenticator shows.'),
})
export type ConfirmTotpRequest = Static<typeof ConfirmTotpRequest>

export const ConfirmTotpResponse = object('ConfirmTotpResponse', {
  backup_codes: list(text('Stands once for a code of the authenticator.'), 'Ten; never shown again.'),
})
export type ConfirmTotpResponse = Static<typeof ConfirmTotpResponse>

export const DisableTotpRequest = object('DisableTotpRequest', {
  current_password: currentPassword,
  code: code('The six digits that the authenticator shows, or a backup code.'),
})
export type DisableTotpRequest = Static<typeof DisableTotpRequest>

const recoveryProof = base64('What proves the recovery words.', { min: 32, max: 32 })

export const StartRecoveryRequest = object('StartRecoveryRequest', { email })
export type StartRecoveryRequest = Static<typeof StartRecoveryRequest>

export const StartRecoveryResponse = object('StartRecoveryResponse', {
  sealed_recovery_key: sealedKey('The account key under the recovery words'),
})
export type StartRecoveryResponse = Static<typeof StartRecoveryResponse>

export const FinishRecoveryRequest = object('FinishRecoveryRequest', {
  email,
  recovery_proof: recoveryProof,
  password,
  kdf_version: optional(kdfVersion),
  salt: optional(salt),
  sealed_account_key: optional(sealedKey('The account key')),
})
export type FinishRecoveryRequest = Static<typeof FinishRecoveryRequest>

export const RefreshRequest = object('RefreshRequest', {
  refresh_token: text('The refresh token of the last answer.', { minLength: 1, maxLength: 1024 }),
})
export type RefreshRequest = Static<typeof RefreshRequest>

export const ChangePasswordRequest = object('ChangePasswordRequest', {
  current_password: text('The present authentication secret, base64.', { minLength: 1, maxLength: 1024 }),
  password,
  kdf_version: optional(kdfVersion),
  salt: optional(salt),
  sealed_account_key: optional(sealedKey('The account key under the new password')),
})
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

export const DeleteAccountRequest = object('DeleteAccountRequest', {
  current_password: text('The present authentication secret, base64.', { minLength: 1, maxLength: 1024 }),
})
export type DeleteAccountRequest = Static<typeof DeleteAccountRequest>

export const AccountResponse = object('AccountResponse', {
  account_id: uuid<AccountId>('The account.'),
  email,
  created_at: time('When it was registered.'),
  sealed_account_key: optional(sealedKey('The account key')),
  kdf_version: kdfVersion,
  totp_enabled: boolean('Whether a second factor is asked for.'),
  state: oneOf(['active', 'suspended'], 'A suspended account reads and frees, and writes nothing.'),
})
export type AccountResponse = Static<typeof AccountResponse>
