/** The way back in for who has lost the password and has the recovery words. Neither leaves this process. */
import { toBase64 } from '@blindkeep/protocol/bytes'
import { createCalls } from './call.ts'
import { recoveryProof } from './derive.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { newPassword } from './newPassword.ts'
import { fetchAccountKey } from './newRecoveryWords.ts'
import { openOwner } from './owner.ts'
import { secretOfWords } from './recoveryWords.ts'
import type { TokenPair } from './session.ts'
import { type SignedIn, signedIn } from './signedIn.ts'

export { type NewRecoveryWords, newRecoveryWords, RecoveryError, type RecoveryFault } from './newRecoveryWords.ts'
export { RECOVERY_WORDS, WordsError, type WordsFault } from './recoveryWords.ts'

export interface Recover {
  readonly baseUrl: string
  readonly email: string
  /** All 24, however they were typed. */
  readonly words: string
  readonly newPassword: string
  readonly onTokens?: ((tokens: TokenPair) => void) | undefined
  readonly environment?: Environment | undefined
}

/**
 * Opens the account key with the words, seals it anew under the new password and signs in, or asks for the second factor where one is on. All other
 * sessions end; the words stay good. Throws `WordsError` before anything is sent, `RecoveryError` when the words do not open what the server gives,
 * or what a call throws: `error.auth.recovery_invalid` when the server takes no proof of them.
 */
export async function recover(options: Recover): Promise<SignedIn> {
  const { baseUrl, email, onTokens, environment = systemEnvironment } = options
  const secret = await secretOfWords(options.words)
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const accountKey = await fetchAccountKey({ calls, email, secret })
  const members = await newPassword(environment, { password: options.newPassword, accountKey })
  const proof = toBase64(recoveryProof(secret))
  const answer = await calls.call('finishRecovery', { body: { email, recovery_proof: proof, ...members } })
  return signedIn(answer, {
    calls,
    onTokens,
    open: async (session) => openOwner({ baseUrl, accountKey, session, environment }),
  })
}
