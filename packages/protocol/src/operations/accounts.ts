import {
  ChallengeResponse,
  KdfRequest,
  KdfResponse,
  LoginRequest,
  RegisterRequest,
  TokenResponse,
} from '../schemas/accounts.ts'
import type { Operations } from './operation.ts'

export const accountOperations = {
  register: {
    method: 'POST',
    path: '/v1/auth/register',
    tag: 'accounts',
    auth: 'none',
    summary: 'Register an account',
    description:
      'The member password is the authentication secret that the client derives from the password and the salt. The password itself and the key derived with the secret never leave the client. A repeat with identical values succeeds again.',
    body: { type: 'application/json', schema: RegisterRequest, judgedLater: ['email'] },
    leaves: 'own',
    answers: { 201: { description: 'Registered and signed in.', body: TokenResponse } },
    problems: [
      'error.auth.registration_invalid',
      'error.auth.registration_closed',
      'error.auth.user_already_exists',
      'error.auth.rate_limited',
    ],
  },
  kdf: {
    method: 'POST',
    path: '/v1/auth/kdf',
    tag: 'accounts',
    auth: 'none',
    summary: 'Get the salt and version of an account’s key derivation',
    description: 'An unknown e-mail gets a decoy salt, the same each time.',
    body: { type: 'application/json', schema: KdfRequest },
    answers: { 200: { description: 'Salt and version.', body: KdfResponse } },
    problems: ['error.auth.rate_limited'],
  },
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    tag: 'accounts',
    auth: 'none',
    summary: 'Open a session',
    description:
      'An unknown e-mail and a wrong secret get the same answer. Revoking the device that device_id names ends the session; a revoked device is refused. 202 is not a failure: the account has a second factor, and the session opens after its code.',
    body: { type: 'application/json', schema: LoginRequest },
    answers: {
      200: { description: 'Signed in.', body: TokenResponse },
      202: { description: 'The second factor is required.', body: ChallengeResponse },
    },
    problems: ['error.auth.invalid_credentials', 'error.device.not_authorized', 'error.auth.rate_limited'],
  },
} as const satisfies Operations
