import {
  ChallengeResponse,
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
    summary: 'The account key, sealed under the recovery words',
    description:
      'Whoever has the words opens it. An unknown e-mail, or an account without recovery words, gets a made-up one that stays the same: it opens with no words.',
    body: { type: 'application/json', schema: StartRecoveryRequest },
    answers: { 200: { description: 'What the words open.', body: StartRecoveryResponse } },
    problems: ['error.auth.rate_limited'],
  },
  finishRecovery: {
    method: 'POST',
    path: '/v1/auth/recover/finish',
    tag: 'accounts',
    auth: 'none',
    summary: 'Set a new secret by the recovery words',
    description:
      'Ends all sessions and opens a new one. password is the new authentication secret, sealed_account_key the account key sealed anew; what is left out stays as it is. A wrong proof and an unknown e-mail are one answer, and are counted as wrong secrets are. 202 is a continuation: with a second factor on, nothing is set before its code is given. The recovery words stay good.',
    body: { type: 'application/json', schema: FinishRecoveryRequest },
    answers: {
      200: { description: 'The secret is set, and the caller signed in.', body: TokenResponse },
      202: { description: 'The second factor is asked for.', body: ChallengeResponse },
    },
    problems: ['error.auth.recovery_invalid', 'error.auth.rate_limited'],
  },
} as const satisfies Operations
