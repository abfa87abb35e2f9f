import {
  ChallengeResponse,
  KdfRequest,
  KdfResponse,
  LoginRequest,
  NonceResponse,
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
      'The key of the proof becomes the sign-in key of the account. The client derives it from the password and the salt; password and private keys never leave the client. A repeat with identical values, and a proof with a nonce that is still good, succeeds again.',
    body: { type: 'application/json', schema: RegisterRequest, judgedLater: ['email'] },
    proves: true,
    leaves: 'own',
    answers: { 201: { description: 'Registered and signed in.', body: TokenResponse } },
    problems: [
      'error.auth.registration_invalid',
      'error.auth.registration_closed',
      'error.auth.user_already_exists',
      'error.auth.rate_limited',
    ],
  },
  nonce: {
    method: 'POST',
    path: '/v1/auth/nonce',
    tag: 'accounts',
    auth: 'none',
    summary: 'Get a nonce for a proof',
    description:
      'Every request with a proof needs one of this server, at most 5 minutes old. It belongs to no account, and the server keeps nothing of it.',
    answers: { 200: { description: 'The nonce.', body: NonceResponse } },
    problems: [],
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
      'An unknown e-mail and a wrong key get the same answer. Revoking the device that device_id names ends the session; a revoked device is refused. 202 is not a failure: the account has a second factor, and the session opens after its code.',
    body: { type: 'application/json', schema: LoginRequest },
    proves: true,
    answers: {
      200: { description: 'Signed in.', body: TokenResponse },
      202: { description: 'The second factor is required.', body: ChallengeResponse },
    },
    problems: ['error.auth.invalid_credentials', 'error.device.not_authorized', 'error.auth.rate_limited'],
  },
} as const satisfies Operations
