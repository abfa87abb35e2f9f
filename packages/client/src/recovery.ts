/** Recovery of a lost password by the recovery words. Words and passwords never leave this process. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { emailFor } from './account/masterOf.ts'
import { newPassword } from './account/newPassword.ts'
import { fetchAccountKey, requireOpens } from './account/newRecoveryWords.ts'
import { requireKept } from './account/ownerAccount.ts'
import { secretOfWords } from './account/recoveryWords.ts'
import { openedOrEnded, signInResultOf } from './account/signIn.ts'
import type { SignedIn } from './account.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { addressOf, type ServerAddress } from './http/baseUrl.ts'
import { createCalls } from './http/call.ts'
import { sendAgainWhenLost } from './http/lostAnswer.ts'
import { callProved, publicKeyOf } from './http/proof.ts'
import type { SessionListener } from './http/session.ts'
import { openOwner } from './owner.ts'
import { recoveryKeySeed } from './seal/derive.ts'

export { type NewRecoveryWords, newRecoveryWords } from './account/newRecoveryWords.ts'
export { typedWords } from './account/recoveryWords.ts'

export interface CheckRecoveryWords extends ServerAddress {
  readonly email: string
  /** All 24; capitals, spaces, line breaks and the numbers of a list do not matter. */
  readonly words: string
  /** The account key of the signed-in owner. */
  readonly accountKey: Bytes
  readonly environment?: Environment | undefined
}

/** Resolves when the words open this account. Throws `WordsError`, `RecoveryError`, and what a call throws. */
export async function checkRecoveryWords(options: CheckRecoveryWords): Promise<void> {
  const { email, words, accountKey, environment = systemEnvironment } = options
  const secret = await secretOfWords(words)
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  await requireOpens({ calls, email, secret, accountKey })
}

export interface Recover extends SessionListener, ServerAddress {
  readonly email: string
  /** All 24; capitals, spaces, line breaks and the numbers of a list do not matter. */
  readonly words: string
  readonly newPassword: string
  readonly environment?: Environment | undefined
}

/**
 * Opens the account key with the words, seals it under the new password, and signs in or asks for the second factor.
 * All other sessions end; the words stay valid. Throws `WordsError` before any request, `AccountError` and
 * `AddressError` like `registerOwner`, `RecoveryError` when the words do not open the server's answer, and what a call
 * throws: `error.auth.recovery_invalid` when the server refuses the proof of the words. After an error of `mayBeDone`
 * the new password may be the valid one, or the former one: call it again, as the words stay valid.
 */
export async function recover(options: Recover): Promise<SignedIn> {
  const { onTokens, onEnded, environment = systemEnvironment } = options
  const secret = await secretOfWords(options.words)
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  const email = await emailFor(calls, options.email)
  const accountKey = await fetchAccountKey({ calls, email, secret })
  const { seed, members } = await newPassword(environment, { email, password: options.newPassword, accountKey })
  const body = { seed: recoveryKeySeed(secret), email, sign_in_key: publicKeyOf(seed), ...members }
  // A repeat sets the same password again.
  const answer = await sendAgainWhenLost(() => callProved(calls, 'finishRecovery', body))
  return signInResultOf(answer, {
    calls,
    listener: { onTokens, onEnded },
    async open(session) {
      const { call } = createCalls({ ...calls.address, fetch: environment.fetch, tokens: session })
      await openedOrEnded(call, () => requireKept(call, members.sealed_account_key))
      return openOwner({ ...calls.address, email, accountKey, session, environment })
    },
  })
}
