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
      'password is the authentication secret that the client derives from the password and the salt; neither the password nor the key derived beside it leaves the client. A repeat with identical values is the same success.',
    body: { type: 'application/json', schema: RegisterRequest },
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
    summary: 'Salt and version of an account’s key derivation',
    description: 'An unknown e-mail gets a made-up salt that stays the same.',
    body: { type: 'application/json', schema: KdfRequest },
    answers: { 200: { description: 'What the client derives with.', body: KdfResponse } },
    problems: ['error.auth.rate_limited'],
  },
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    tag: 'accounts',
    auth: 'none',
    summary: 'Open a session',
    description:
      'Unknown e-mail and wrong secret are one answer. 202 is a continuation, not a failure: the account has a second factor, and no session before its code is given.',
    body: { type: 'application/json', schema: LoginRequest },
    answers: {
      200: { description: 'Signed in.', body: TokenResponse },
      202: { description: 'The second factor is asked for.', body: ChallengeResponse },
    },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited'],
  },
} as const satisfies Operations
