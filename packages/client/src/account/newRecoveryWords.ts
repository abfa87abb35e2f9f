/** New recovery words of an account. They stay hidden until it is certain that they open what the server stores. */
import { type Bytes, equalBytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { publicKeyOf } from '../http/proof.ts'
import { NO_CONTEXT, recoveryKeySeed, recoveryWrapKey } from '../seal/derive.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { RecoveryError } from './recoveryError.ts'
import { secretOfWords, wordsOfSecret } from './recoveryWords.ts'

/** For `registerOwner` and `Owner.changeRecoveryWords`. Holds the words without showing them. */
export interface NewRecoveryWords {
  /**
   * Returns the 24 words once the server stores what they open, from their text. Show them then. When the answer to the
   * registration or to the change was lost, this call shows whether the words belong to the account: `RecoveryError`
   * says that they do not (yet), and that the account has its former ones. Throws `RecoveryError`, and what a call
   * throws. It can be called again as long as this object exists; nothing else holds the words.
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

/** Outside the objects, so that code that logs or stores an object does not reveal the words. */
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
      await requireOpens({ ...sent, secret: await secretOfWords(words.join(' ')), accountKey })
      return words
    },
  }
  hidden.set(made, own)
  return made
}

/**
 * The account key for these words: made at the first call, and the same afterwards. A client that repeats a
 * registration because an answer was lost cannot know which request created the account, and the words must
 * confirm either.
 */
export function accountKeyOf(words: NewRecoveryWords, { randomBytes }: Pick<Environment, 'randomBytes'>): Bytes {
  const own = hiddenOf(words)
  if (own.isRegistered) throw new TypeError('these recovery words already belong to an account')
  own.accountKey ??= randomBytes(KEY_BYTES)
  return own.accountKey
}

/** For words that an account gets later: they belong to its key from now on. */
export function noteAccountKey(words: NewRecoveryWords, accountKey: Bytes): void {
  const own = hiddenOf(words)
  if (own.accountKey !== undefined && !equalBytes(own.accountKey, accountKey))
    throw new TypeError('these recovery words already belong to an account')
  own.accountKey = accountKey
  own.isRegistered = true
}

/** Of the key that proves the words: 32 bytes, SECRET. */
export function seedOfWords(words: NewRecoveryWords): Bytes {
  return recoveryKeySeed(hiddenOf(words).secret)
}

/** What the server stores for the words: the account key sealed under them, and their public key. */
export async function recoveryOf(
  words: NewRecoveryWords,
  accountKey: Bytes,
): Promise<{ readonly sealed_recovery_key: string; readonly recovery_key: string }> {
  const { secret } = hiddenOf(words)
  const sealed = await sealSmall(accountKey, recoverySeal(secret))
  return { sealed_recovery_key: toBase64(sealed), recovery_key: publicKeyOf(recoveryKeySeed(secret)) }
}

/** From now on the words can be confirmed. Call it before the request: the server may accept and the answer be lost. */
export function noteSent(words: NewRecoveryWords, sent: Sent): void {
  hiddenOf(words).sent = sent
}

/** The server has confirmed the account: the words cannot serve another one. */
export function noteRegistered(words: NewRecoveryWords): void {
  hiddenOf(words).isRegistered = true
}

/** Fetches the sealed recovery key and opens it. Throws `RecoveryError`, and what a call throws. */
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

/** Throws `RecoveryError` unless the words open this account key, and what a call throws. */
export async function requireOpens({
  accountKey,
  ...asked
}: Parameters<typeof fetchAccountKey>[0] & { readonly accountKey: Bytes }): Promise<void> {
  if (!equalBytes(await fetchAccountKey(asked), accountKey)) throw new RecoveryError('recovery_key_unreadable')
}

function hiddenOf(words: NewRecoveryWords): Hidden {
  const own = hidden.get(words)
  if (own === undefined) throw new TypeError('recovery words come from newRecoveryWords')
  return own
}

/** Words and password seal the same account key, each under its own key. */
function recoverySeal(secret: Bytes) {
  return { key: recoveryWrapKey(secret), purpose: 'account-key', contextId: NO_CONTEXT } as const
}
