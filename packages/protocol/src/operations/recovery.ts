import {
  ChallengeResponse,
  ChangeRecoveryWordsRequest,
  ConfirmRecoveryWordsRequest,
  FinishRecoveryRequest,
  StartRecoveryRequest,
  StartRecoveryResponse,
  TokenResponse,
} from '../schemas/accounts.ts'
import type { Operations } from './operation.ts'

export const recoveryOperations = {
  startRecovery: {
    method: 'POST',
    path: '/v1/auth/recover/start',
    tag: 'accounts',
    auth: 'none',
    summary: 'Get the account key sealed under the recovery words',
    description:
      'The recovery words open it. An unknown e-mail and an account without recovery words get a decoy, the same each time, which no words open.',
    body: { type: 'application/json', schema: StartRecoveryRequest },
    answers: { 200: { description: 'The sealed account key.', body: StartRecoveryResponse } },
    problems: ['error.auth.rate_limited'],
  },
  finishRecovery: {
    method: 'POST',
    path: '/v1/auth/recover/finish',
    tag: 'accounts',
    auth: 'none',
    summary: 'Set a new sign-in key with the recovery words',
    description:
      'Ends all sessions and opens a new one. The proof is of the key of the recovery words. sign_in_key is that of the new password, sealed_account_key the account key sealed under it; members that are left out stay as they are. A wrong key and an unknown e-mail get the same answer and count as wrong words. 202 is not a failure: with a second factor, nothing changes before its code arrives. The recovery words stay valid, and are confirmed.',
    body: { type: 'application/json', schema: FinishRecoveryRequest },
    proves: true,
    answers: {
      200: { description: 'The sign-in key is set, and the caller is signed in.', body: TokenResponse },
      202: { description: 'The second factor is required.', body: ChallengeResponse },
    },
    problems: ['error.auth.recovery_invalid', 'error.auth.rate_limited'],
  },
  changeRecoveryWords: {
    method: 'POST',
    path: '/v1/auth/recovery-words',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Replace the recovery words',
    description:
      'Requires a proof of the present sign-in key, and a code where a second factor is on. The former recovery words end with it, and every recovery that waits for its code; sessions stay. The new ones are unconfirmed. Of several changes the last one stands; one whose nonce is older than the confirmation of the present words gets error.auth.proof_invalid, as it was overtaken. A repeat with identical values succeeds again, also if its code is used up.',
    body: { type: 'application/json', schema: ChangeRecoveryWordsRequest },
    proves: true,
    writes: true,
    answers: { 204: { description: 'Replaced.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.totp_invalid_code', 'error.auth.rate_limited'],
  },
  confirmRecoveryWords: {
    method: 'POST',
    path: '/v1/auth/recovery-words/confirm',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Confirm the recovery words',
    description:
      'Requires a proof of the key of the present recovery words: their owner has them. Another key counts as wrong words. A repeat succeeds.',
    body: { type: 'application/json', schema: ConfirmRecoveryWordsRequest },
    proves: true,
    writes: true,
    answers: { 204: { description: 'Confirmed.' } },
    problems: ['error.auth.recovery_invalid', 'error.auth.rate_limited'],
  },
} as const satisfies Operations
