import { formatInstant } from '@blindkeep/protocol/ids'
import type { ChallengeResponse, TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import { type GivenChallenge, isChallenge } from '../domain/account/challenges.ts'
import type { TokenPair } from '../domain/account/sessions.ts'

/** For a proved key: a token pair, or a second factor's challenge (specification, Authentication, 3). */
export function signedIn(answer: TokenPair | GivenChallenge) {
  return isChallenge(answer)
    ? ({ status: 202, body: challenge(answer) } as const)
    : ({ status: 200, body: tokens(answer) } as const)
}

export function tokens({ accessToken, refreshToken, expiresAt, accountId }: TokenPair): TokenResponse {
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_at: formatInstant(expiresAt),
    account_id: accountId,
  }
}

function challenge({ mfaToken, expiresAt }: GivenChallenge): ChallengeResponse {
  return { mfa_token: mfaToken, expires_at: formatInstant(expiresAt) }
}
