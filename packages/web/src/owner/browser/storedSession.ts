import type { TokenPair } from '@blindkeep/client/owner'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { parseAccountId } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import { KEY_BYTES } from '@blindkeep/protocol/suites'

export interface StoredSession {
  /** As the owner typed it, normalised. */
  readonly email: string
  /** SECRET, 32 bytes. */
  readonly accountKey: Bytes
  /** SECRET. */
  readonly tokens: TokenPair
}

/** Undefined for anything but a session, such as another release's: the owner then signs in again. */
export function readStoredSession(stored: unknown): StoredSession | undefined {
  if (!isObject(stored) || !isObject(stored.tokens)) return undefined
  const { accountKey, email } = stored
  const { accountId, accessToken, refreshToken, expiresAt } = stored.tokens
  if (!(accountKey instanceof Uint8Array) || accountKey.length !== KEY_BYTES) return undefined
  const account = typeof accountId === 'string' ? parseAccountId(accountId) : undefined
  const areTexts = typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof expiresAt === 'string'
  if (account === undefined || !areTexts) return undefined
  if (typeof email !== 'string' || normaliseEmail(email) !== email) return undefined
  return {
    email,
    accountKey: Uint8Array.from(accountKey),
    tokens: { accountId: account, accessToken, refreshToken, expiresAt },
  }
}
