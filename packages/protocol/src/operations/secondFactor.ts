import {
  ConfirmTotpRequest,
  ConfirmTotpResponse,
  DisableTotpRequest,
  EnrollTotpRequest,
  EnrollTotpResponse,
  TokenResponse,
  VerifyTotpRequest,
} from '../schemas/accounts.ts'
import type { Operations } from './operation.ts'

export const secondFactorOperations = {
  verifyTotp: {
    method: 'POST',
    path: '/v1/auth/login/verify-totp',
    tag: 'accounts',
    auth: 'none',
    summary: 'Complete a sign-in or a recovery that answered 202',
    description:
      'Takes a code of the authenticator (RFC 6238, one step of 30 s to either side) or a backup code. Each is good once, and the challenge for one answer. An unknown, expired or used-up challenge is one answer. Wrong codes are counted for the account too, so that new challenges give no more tries.',
    body: { type: 'application/json', schema: VerifyTotpRequest },
    answers: { 200: { description: 'Signed in.', body: TokenResponse } },
    problems: ['error.auth.totp_challenge_invalid', 'error.auth.totp_invalid_code', 'error.auth.rate_limited'],
  },
  enrollTotp: {
    method: 'POST',
    path: '/v1/auth/totp/enroll',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Begin with a second factor',
    description:
      'Asks for the present secret. Nothing is asked for at a sign-in before the factor is confirmed. Enrolling again replaces what was not confirmed.',
    body: { type: 'application/json', schema: EnrollTotpRequest },
    writes: true,
    answers: { 200: { description: 'What an authenticator reads, often from a QR code.', body: EnrollTotpResponse } },
    problems: ['error.auth.invalid_credentials', 'error.auth.totp_already_active', 'error.auth.rate_limited'],
  },
  confirmTotp: {
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor on',
    description:
      'With a code of the authenticator, which is used up by it. The answer is the only one that ever carries the backup codes. Sessions that are open stay open: end them where they are listed.',
    body: { type: 'application/json', schema: ConfirmTotpRequest },
    writes: true,
    answers: { 200: { description: 'It is on.', body: ConfirmTotpResponse } },
    problems: ['error.auth.totp_invalid_code', 'error.auth.totp_not_pending', 'error.auth.rate_limited'],
  },
  disableTotp: {
    method: 'POST',
    path: '/v1/auth/totp/disable',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor off',
    description:
      'Asks for the present secret and for a code of the authenticator or a backup code. All backup codes go with it.',
    body: { type: 'application/json', schema: DisableTotpRequest },
    writes: true,
    answers: { 204: { description: 'It is off.' } },
    problems: [
      'error.auth.invalid_credentials',
      'error.auth.totp_invalid_code',
      'error.auth.totp_not_enrolled',
      'error.auth.rate_limited',
    ],
  },
} as const satisfies Operations
