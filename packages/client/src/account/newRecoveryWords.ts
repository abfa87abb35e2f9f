/** Recovery words of a new account, which nobody sees before it is certain that they open what the server keeps. */
import { type Bytes, equalBytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../environment.ts'
import type { Calls } from '../http/call.ts'
import { NO_CONTEXT, recoveryProof, recoveryWrapKey } from '../seal/derive.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { RecoveryError } from './recoveryError.ts'
import { secretOfWords, wordsOfSecret } from './recoveryWords.ts'

/** For `registerOwner`, until it has made an account. It holds the words and does not show them. */
export interface NewRecoveryWords {
  /**
   * The 24 words, when the account is registered and they have opened, from their text on, what the server gives to whoever recovers. Show them then.
   * Where the answer to the registration was lost, this tells whether they belong to the account.
   * Throws `RecoveryError`, or what a call throws: as long as this object is there it can be asked again, and the words are nowhere else.
   */
  confirm(): Promise<readonly string[]>
}

interface Sent {
  readonly calls: Calls
  readonly email: string
}

interface Hidden {
  readonly secret: Bytes
  accountKey: Bytes | undefined
  sent: Sent | undefined
  isRegistered: boolean
}

/** Beside the objects and not in them, so that nothing that shows or stores one shows the words. */
const hidden = new WeakMap<NewRecoveryWords, Hidden>()

/** 256 random bits, as words. */
export function newRecoveryWords({
  randomBytes,
}: Pick<Environment, 'randomBytes'> = systemEnvironment): NewRecoveryWords {
  const own: Hidden = { secret: randomBytes(KEY_BYTES), accountKey: undefined, sent: undefined, isRegistered: false }
  const made: NewRecoveryWords = {
    async confirm() {
      const { accountKey, sent } = own
      if (accountKey === undefined || sent === undefined) throw new RecoveryError('not_registered')
      const words = await wordsOfSecret(own.secret)
      const opened = await fetchAccountKey({ ...sent, secret: await secretOfWords(words.join(' ')) })
      if (!equalBytes(opened, accountKey)) throw new RecoveryError('recovery_key_unreadable')
      return words
    },
  }
  hidden.set(made, own)
  return made
}

/**
 * The account key that goes with the words, made at the first call and the same from then on: whoever registers once more because an answer was lost
 * cannot know which of the requests made the account, and the words are to be confirmed by either.
 */
export function accountKeyOf(words: NewRecoveryWords, { randomBytes }: Pick<Environment, 'randomBytes'>): Bytes {
  const own = hiddenOf(words)
  if (own.isRegistered) throw new TypeError('these recovery words belong to an account already')
  own.accountKey ??= randomBytes(KEY_BYTES)
  return own.accountKey
}

/** What the server is to keep of the words: the account key sealed under them, and what will prove them. */
export async function recoveryOf(
  words: NewRecoveryWords,
  accountKey: Bytes,
): Promise<{ readonly sealed_recovery_key: string; readonly recovery_proof: string }> {
  const { secret } = hiddenOf(words)
  const sealed = await sealSmall(accountKey, recoverySeal(secret))
  return { sealed_recovery_key: toBase64(sealed), recovery_proof: toBase64(recoveryProof(secret)) }
}

/** From now on they can be confirmed: said before the request goes out, as its answer may be lost though the server took it. */
export function noteSent(words: NewRecoveryWords, sent: Sent): void {
  hiddenOf(words).sent = sent
}

/** The server said that it made the account: they are no other one's from now on. */
export function noteRegistered(words: NewRecoveryWords): void {
  hiddenOf(words).isRegistered = true
}

/** Asks the server for the sealed recovery key and opens it. Throws `RecoveryError`, or what a call throws. */
export async function fetchAccountKey({
  calls,
  email,
  secret,
}: {
  readonly calls: Calls
  readonly email: string
  readonly secret: Bytes
}): Promise<Bytes> {
  const { body } = await calls.call('startRecovery', { body: { email } })
  try {
    const accountKey = await openSmall(fromBase64(body.sealed_recovery_key), recoverySeal(secret))
    if (accountKey.length === KEY_BYTES) return accountKey
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new RecoveryError('recovery_key_unreadable', { cause })
  }
  throw new RecoveryError('recovery_key_unreadable')
}

function hiddenOf(words: NewRecoveryWords): Hidden {
  const own = hidden.get(words)
  if (own === undefined) throw new TypeError('recovery words come from newRecoveryWords')
  return own
}

/** The words wrap the same key as the password does, each under a key of its own. */
function recoverySeal(secret: Bytes) {
  return { key: recoveryWrapKey(secret), purpose: 'account-key', contextId: NO_CONTEXT } as const
}
