/**
 * What a passkey opens: account_id (16 bytes) ‖ account key (32 bytes) ‖ e-mail address (ASCII, normalised). A sealed
 * blob under a key that only this passkey gives, with the passkey's id as context. The address and the account's id are
 * inside because no person types them, and the server must not choose them.
 */
import { type Bytes, concatBytes, utf8, uuidBytes } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import { ID_BYTES, KEY_BYTES } from '@blindkeep/protocol/suites'
import { passkeyWrapKey } from './derive.ts'
import { uuidOf } from './newId.ts'
import { openSmall } from './open.ts'
import { sealSmall } from './seal.ts'
import { SealError } from './sealError.ts'

export interface PasskeyContent {
  readonly accountId: AccountId
  /** 32 bytes, SECRET. */
  readonly accountKey: Bytes
  /** Normalised. */
  readonly email: string
}

interface PasskeySeal {
  /** 32 bytes, SECRET: what the authenticator gave for `PASSKEY_INPUT`. */
  readonly output: Uint8Array
  /** 16 bytes. */
  readonly passkeyId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

export function sealPasskeyKey(seal: PasskeySeal, { accountId, accountKey, email }: PasskeyContent): Promise<Bytes> {
  return sealSmall(concatBytes(uuidBytes(accountId), accountKey, utf8(email)), { ...contextOf(seal), salt: seal.salt })
}

/** Throws `SealError`, also for content of another form. */
export async function openPasskeyKey(seal: PasskeySeal, sealed: Uint8Array): Promise<PasskeyContent> {
  const content = await openSmall(sealed, contextOf(seal))
  const [keyStart, emailStart] = [ID_BYTES, ID_BYTES + KEY_BYTES]
  const accountId = parseAccountId(uuidOf(content.subarray(0, keyStart)))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(emailStart))
  const email = normaliseEmail(text)
  if (accountId === undefined || email === undefined || email !== text)
    throw new SealError('header_invalid', 'this is not what a passkey opens')
  return { accountId, accountKey: content.slice(keyStart, emailStart), email }
}

function contextOf({ output, passkeyId }: PasskeySeal) {
  return { key: passkeyWrapKey(output), purpose: 'passkey-key', contextId: passkeyId } as const
}
