import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { base64urlnopad } from '@scure/base'
import { linkKeysOf } from '../../packages/client/src/drops/dropKeys.ts'
import { parseFragment } from '../../packages/client/src/drops/fragment.ts'
import { ACCOUNT_KEY, ALBUM_ID, OPAQUE_ID } from './inputs.ts'

export async function fragmentVectors() {
  const keys = linkKeysOf(ACCOUNT_KEY, OPAQUE_ID)
  const other = linkKeysOf(ACCOUNT_KEY, ALBUM_ID)
  const bytes = base64urlnopad.decode(keys.fragment)
  const parsed = parseFragment(keys.fragment)
  if (parsed === undefined) throw new Error('a new fragment does not parse')
  const encoded = (changed: Uint8Array) => base64urlnopad.encode(changed)
  const link = { suite_id: 1, opaque_id: toHex(OPAQUE_ID), drop_pubkey: toHex(keys.dropPublicKey) }
  return {
    valid: [
      {
        name: 'a link of the account key and opaque_id of derivations.json',
        fragment: keys.fragment,
        link_secret: toHex(keys.linkSecret),
        key_hash: toHex(parsed.keyHash),
        link,
      },
    ],
    mismatches: [
      { name: 'another suite', fragment: keys.fragment, link: { ...link, suite_id: 2 } },
      { name: 'another link', fragment: keys.fragment, link: { ...link, opaque_id: toHex(ALBUM_ID) } },
      {
        name: 'a swapped drop key',
        fragment: keys.fragment,
        link: { ...link, drop_pubkey: toHex(other.dropPublicKey) },
      },
      { name: 'the fragment of another link', fragment: other.fragment, link },
    ],
    invalid: [
      { name: 'empty', fragment: '' },
      { name: 'version 0', fragment: encoded(concatBytes(Uint8Array.of(0), bytes.subarray(1))) },
      { name: 'version 2', fragment: encoded(concatBytes(Uint8Array.of(2), bytes.subarray(1))) },
      { name: 'one byte short', fragment: encoded(bytes.subarray(0, 48)) },
      { name: 'one byte long', fragment: encoded(concatBytes(bytes, Uint8Array.of(0))) },
      { name: 'the last character cut off', fragment: keys.fragment.slice(0, -1) },
      { name: 'padded', fragment: `${keys.fragment}==` },
      { name: 'the standard alphabet', fragment: `${keys.fragment.slice(0, 40)}+/${keys.fragment.slice(42)}` },
      { name: 'unused bits that are not zero', fragment: withUnusedBits(keys.fragment) },
      { name: 'whitespace', fragment: `${keys.fragment}\n` },
      { name: 'something after it', fragment: `${keys.fragment}&utm_source=mail` },
    ],
  }
}

/** 66 characters carry 396 bits for 392. With the next one, a careless decoder gets the same bytes. */
function withUnusedBits(fragment: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(fragment.slice(-1))
  return fragment.slice(0, -1) + alphabet[last + 1]
}
