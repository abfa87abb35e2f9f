import { TokenResponse } from '../schemas/accounts.ts'
import {
  AddPasskeyRequest,
  NamePasskeyRequest,
  PasskeyLoginRequest,
  PasskeyResponse,
  PasskeysResponse,
} from '../schemas/passkeys.ts'
import type { Operations } from './operation.ts'

export const passkeyOperations = {
  passkeyLogin: {
    method: 'POST',
    path: '/v1/auth/passkey/login',
    tag: 'accounts',
    auth: 'none',
    summary: 'Open a session with a passkey',
    description:
      'Proves the key that follows from the output of WebAuthn’s PRF extension, in place of e-mail and password. An unknown passkey, a removed one and a wrong key get the same answer. No second factor is asked for: the authenticator has verified the person. Revoking the device that device_id names ends the session; a revoked device is refused.',
    body: { type: 'application/json', schema: PasskeyLoginRequest },
    proves: true,
    answers: { 200: { description: 'Signed in.', body: TokenResponse } },
    problems: ['error.auth.invalid_credentials', 'error.device.not_authorized', 'error.auth.rate_limited'],
  },
  addPasskey: {
    method: 'POST',
    path: '/v1/passkeys',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Add a passkey',
    description:
      'Requires a proof of the present sign-in key, and a code where a second factor is on, because the passkey will open sessions without either. A repeat by the same caller with the same values gets 200, also with a code that is used up. Any other use of a taken id is refused. An account has at most 20.',
    body: { type: 'application/json', schema: AddPasskeyRequest },
    proves: true,
    writes: true,
    leaves: 'own',
    answers: {
      200: { description: 'The passkey existed already.', body: PasskeyResponse },
      201: { description: 'The passkey is added.', body: PasskeyResponse },
    },
    problems: [
      'error.auth.invalid_credentials',
      'error.auth.totp_invalid_code',
      'error.auth.rate_limited',
      'error.passkey.invalid',
      'error.request.limit_reached',
    ],
  },
  listPasskeys: {
    method: 'GET',
    path: '/v1/passkeys',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'List the caller’s passkeys',
    description:
      'All passkeys, oldest first. Contains what each has sealed, which a client opens after it has signed in with that passkey.',
    answers: { 200: { description: 'The passkeys.', body: PasskeysResponse } },
    problems: [],
  },
  namePasskey: {
    method: 'PATCH',
    path: '/v1/passkeys/{passkey_id}',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Name one of the caller’s passkeys',
    description: 'Nothing else of a passkey changes. An absent member stays as it is, null removes it.',
    body: { type: 'application/json', schema: NamePasskeyRequest, nullRemoves: true },
    writes: true,
    answers: { 204: { description: 'The passkey has this name now.' } },
    problems: ['error.passkey.not_found'],
  },
  removePasskey: {
    method: 'DELETE',
    path: '/v1/passkeys/{passkey_id}',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Remove one of the caller’s passkeys',
    description:
      'It opens no session any more. Sessions that it opened end at once, except the caller’s. Removed, unknown and other accounts’ passkeys get the same 204.',
    answers: { 204: { description: 'The caller has no such passkey now.' } },
    problems: [],
  },
} as const satisfies Operations
