import { AccountResponse, ChangePasswordRequest, DeleteAccountRequest } from '../schemas/accounts.ts'
import type { Operations } from './operation.ts'

export const ownAccountOperations = {
  changePassword: {
    method: 'POST',
    path: '/v1/auth/password',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Change the password',
    description:
      'Asks for the present secret, and ends all other sessions; the caller’s goes on. Give the account key sealed anew: salt and sealed_account_key that are left out stay as they are. The recovery words stay good. Of two changes at once one wins, the other is told that its current_password is wrong. The same values again, salt and sealed_account_key among them, are the same success.',
    body: { type: 'application/json', schema: ChangePasswordRequest },
    writes: true,
    answers: { 204: { description: 'Changed.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited'],
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Delete the account',
    description:
      'For good, with all that it keeps. Asks for the present secret. Its sessions and links end with the answer and its e-mail is free; what it kept is let go of right afterwards, and its bytes are removed when they have waited out the grace window. Guests can still fetch the receipts of what landed, for their 30 days. An asset whose retention_until lies ahead keeps the account: nothing is deleted then.',
    body: { type: 'application/json', schema: DeleteAccountRequest },
    answers: { 204: { description: 'The account is gone.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited', 'error.asset.retained'],
  },
  account: {
    method: 'GET',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'The caller’s own account',
    description: 'Carries the sealed account key, which the client opens with the key derived from the password.',
    answers: { 200: { description: 'The account.', body: AccountResponse } },
    problems: [],
  },
} as const satisfies Operations
