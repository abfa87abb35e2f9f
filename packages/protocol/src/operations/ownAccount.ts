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
      'Requires a proof of the present sign-in key, and a code where a second factor is on. Ends all sessions except the caller’s. sign_in_key is that of the new password. Send the account key sealed under it; if salt or sealed_account_key is left out, it stays as it is. The recovery words stay valid. Of two changes at the same time one succeeds; the other is refused because its key is not the present one any more. A repeat with identical values, including salt and sealed_account_key, succeeds again, also if its code is used up.',
    body: { type: 'application/json', schema: ChangePasswordRequest },
    proves: true,
    writes: true,
    answers: { 204: { description: 'Changed.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.totp_invalid_code', 'error.auth.rate_limited'],
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Delete the account',
    description:
      'Deletes the account and everything in it; this cannot be undone. Requires a proof of the present sign-in key, and a code where a second factor is on. With the answer, its sessions and links have ended and its e-mail is free. The server deletes the contents right afterwards, and their bytes after the grace window. Guests can still fetch the receipts of landed drops for 30 days. While retention_until of an asset is in the future, the request is refused and nothing is deleted.',
    body: { type: 'application/json', schema: DeleteAccountRequest },
    proves: true,
    answers: { 204: { description: 'The account is deleted.' } },
    problems: [
      'error.auth.invalid_credentials',
      'error.auth.totp_invalid_code',
      'error.auth.rate_limited',
      'error.asset.retained',
    ],
  },
  account: {
    method: 'GET',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Get the caller’s account',
    description: 'Contains the sealed account key, which the client opens with the key derived from the password.',
    answers: { 200: { description: 'The account.', body: AccountResponse } },
    problems: [],
  },
} as const satisfies Operations
