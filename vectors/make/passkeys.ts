import { concatBytes, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { parseAccountId } from '@blindkeep/protocol/ids'
import { passkeyWrapKey } from '../../packages/client/src/seal/derive.ts'
import { uuidOf } from '../../packages/client/src/seal/newId.ts'
import { sealPasskeyKey } from '../../packages/client/src/seal/passkeyKey.ts'
import { sealSmall } from '../../packages/client/src/seal/seal.ts'
import { ACCOUNT_KEY, ALBUM_ID, BLOB_KEY, EMAIL, FILE_ID, known, PASSKEY_ID, PASSKEY_OUTPUT, SALT } from './inputs.ts'

const ACCOUNT_ID = FILE_ID
const seal = { output: PASSKEY_OUTPUT, passkeyId: PASSKEY_ID, salt: SALT }
const content = { accountId: known(parseAccountId(uuidOf(ACCOUNT_ID))), accountKey: ACCOUNT_KEY, email: EMAIL }
const blob = { key: passkeyWrapKey(PASSKEY_OUTPUT), purpose: 'passkey-key', contextId: PASSKEY_ID, salt: SALT } as const

export async function passkeyVectors() {
  return {
    valid: [
      {
        name: 'a passkey',
        output: toHex(PASSKEY_OUTPUT),
        passkey_id: toHex(PASSKEY_ID),
        salt: toHex(SALT),
        account_id: toHex(ACCOUNT_ID),
        account_key: toHex(ACCOUNT_KEY),
        email: EMAIL,
        content: toHex(concatBytes(ACCOUNT_ID, ACCOUNT_KEY, utf8(EMAIL))),
        sealed_passkey_key: toHex(await sealPasskeyKey(seal, content)),
      },
    ],
    invalid: await invalid(),
  }
}

/** None opens with the valid passkey. */
async function invalid() {
  const sealed = await sealPasskeyKey(seal, content)
  const withContent = (...parts: readonly Uint8Array[]) => sealSmall(concatBytes(...parts), blob)
  const blobs = {
    'of another passkey of the account': {
      reason: 'wrong_key',
      sealed: await sealPasskeyKey({ ...seal, passkeyId: ALBUM_ID }, content),
    },
    'of another authenticator': {
      reason: 'wrong_key',
      sealed: await sealPasskeyKey({ ...seal, output: BLOB_KEY }, content),
    },
    'for another purpose': {
      reason: 'wrong_key',
      sealed: await sealSmall(ACCOUNT_KEY, { ...blob, purpose: 'account-key' }),
    },
    'no address': { reason: 'header_invalid', sealed: await withContent(ACCOUNT_ID, ACCOUNT_KEY) },
    'an address that is not normalised': {
      reason: 'header_invalid',
      sealed: await withContent(ACCOUNT_ID, ACCOUNT_KEY, utf8('Ada@example.org')),
    },
    'a short key': { reason: 'header_invalid', sealed: await withContent(ACCOUNT_ID, ACCOUNT_KEY.slice(1)) },
    'cut off': { reason: 'altered', sealed: sealed.subarray(0, -1) },
    'with a byte behind it': { reason: 'altered', sealed: concatBytes(sealed, Uint8Array.of(0)) },
  }
  return Object.entries(blobs).map(([name, made]) => ({
    name,
    reason: made.reason,
    sealed_passkey_key: toHex(made.sealed),
  }))
}
