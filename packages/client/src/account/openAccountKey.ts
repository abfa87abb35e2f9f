import { type Bytes, equalBytes, fromBase64 } from '@blindkeep/protocol/bytes'
import type { AccountResponse } from '@blindkeep/protocol/schemas/accounts'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { openSmall } from '../seal/open.ts'
import { SealError } from '../seal/sealError.ts'
import { AccountError } from './accountError.ts'
import { accountKeySeal } from './newPassword.ts'

/** `sealed`: what the server keeps, base64. Throws `AccountError` `account_key_missing` or `account_key_unreadable`. */
export async function openAccountKey(sealed: string | undefined, master: Bytes): Promise<Bytes> {
  if (sealed === undefined) throw new AccountError('account_key_missing')
  try {
    const accountKey = await openSmall(fromBase64(sealed), accountKeySeal(master))
    if (accountKey.length === KEY_BYTES) return accountKey
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new AccountError('account_key_unreadable', { cause })
  }
  throw new AccountError('account_key_unreadable')
}

/** Whether the password of `master` opens `accountKey`. Throws `AccountError` `account_key_missing`. */
export async function isOpenedBy(
  master: Bytes,
  { sealed_account_key: sealed }: AccountResponse,
  accountKey: Bytes,
): Promise<boolean> {
  try {
    return equalBytes(await openAccountKey(sealed ?? undefined, master), accountKey)
  } catch (error) {
    if (error instanceof AccountError && error.reason === 'account_key_unreadable') return false
    throw error
  }
}
