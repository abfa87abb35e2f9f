import {
  ConfirmTotpRequest,
  ConfirmTotpResponse,
  DisableTotpRequest,
  EnrollTotpRequest,
  EnrollTotpResponse,
  RenewBackupCodesRequest,
  RenewBackupCodesResponse,
  TokenResponse,
  VerifyTotpRequest,
} from '../schemas/accounts.ts'
import type { Operations } from './operation.ts'

/** Of a change to a factor that is on. */
const provenProblems = [
  'error.auth.invalid_credentials',
  'error.auth.totp_invalid_code',
  'error.auth.totp_not_enrolled',
  'error.auth.rate_limited',
] as const

export const secondFactorOperations = {
  verifyTotp: {
    method: 'POST',
    path: '/v1/auth/login/verify-totp',
    tag: 'accounts',
    auth: 'none',
    summary: 'Complete a sign-in or a recovery that answered 202',
    description:
      'Accepts a code of the authenticator (RFC 6238, one step of 30 s to either side) or a backup code. Each code works once, and the challenge ends with the right code. Unknown, expired and used challenges get the same answer, and one whose device was revoked. Wrong codes also count for the account, so that new challenges give no more attempts.',
    body: { type: 'application/json', schema: VerifyTotpRequest },
    answers: { 200: { description: 'Signed in.', body: TokenResponse } },
    problems: ['error.auth.totp_challenge_invalid', 'error.auth.totp_invalid_code', 'error.auth.rate_limited'],
  },
  enrollTotp: {
    method: 'POST',
    path: '/v1/auth/totp/enroll',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Enroll a second factor',
    description:
      'Requires a proof of the present sign-in key. Sign-in does not ask for the factor before it is confirmed. Enrolling again replaces an unconfirmed factor.',
    body: { type: 'application/json', schema: EnrollTotpRequest },
    proves: true,
    writes: true,
    leaves: 'own',
    answers: {
      200: { description: 'The URI for the authenticator, often shown as a QR code.', body: EnrollTotpResponse },
    },
    problems: ['error.auth.invalid_credentials', 'error.auth.totp_already_active', 'error.auth.rate_limited'],
  },
  confirmTotp: {
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor on',
    description:
      'Requires a code of the authenticator, which is used up. Only this answer contains the backup codes. Open sessions stay open; the list of sessions can end them.',
    body: { type: 'application/json', schema: ConfirmTotpRequest },
    writes: true,
    leaves: 'own',
    answers: { 200: { description: 'The second factor is on.', body: ConfirmTotpResponse } },
    problems: ['error.auth.totp_invalid_code', 'error.auth.totp_not_pending', 'error.auth.rate_limited'],
  },
  disableTotp: {
    method: 'POST',
    path: '/v1/auth/totp/disable',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor off',
    description:
      'Requires a proof of the present sign-in key and a code of the authenticator or a backup code. Deletes all backup codes.',
    body: { type: 'application/json', schema: DisableTotpRequest },
    proves: true,
    writes: true,
    answers: { 204: { description: 'The second factor is off.' } },
    problems: provenProblems,
  },
  renewBackupCodes: {
    method: 'POST',
    path: '/v1/auth/totp/backup-codes',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Get new backup codes',
    description:
      'Requires a proof of the present sign-in key and a code of the authenticator or a backup code. Replaces all backup codes. Only this answer contains the new ones: if it is lost, call again with another code.',
    body: { type: 'application/json', schema: RenewBackupCodesRequest },
    proves: true,
    writes: true,
    answers: { 200: { description: 'The former backup codes are worth nothing now.', body: RenewBackupCodesResponse } },
    problems: provenProblems,
  },
} as const satisfies Operations
