/**
 * Bytes and their spellings as text. Every reader here is strict and throws `RangeError`. Each value has one spelling,
 * so comparing, hashing or signing the text is as good as comparing, hashing or signing the bytes.
 */

import { bytesToHex, hexToBytes, concatBytes as joinBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'

/** Bytes in memory that no other thread shares: the form that WebCrypto accepts. */
export type Bytes = Uint8Array<ArrayBuffer>

// No group is repeated in these forms: for a long text, the engine would keep a place to return to for each repeat.
const hexForm = /^[0-9a-f]*$/
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const MAX_UINT32 = 2 ** 32 - 1

/** UTF-8. A lone surrogate becomes U+FFFD, as in every encoder; nothing is normalised. */
export function utf8(text: string): Bytes {
  return utf8ToBytes(text)
}

/** Lowercase hex. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes)
}

/** Reads lowercase hex with an even number of digits; throws `RangeError` for anything else. */
export function fromHex(text: string): Bytes {
  if (text.length % 2 !== 0 || !hexForm.test(text))
    throw new RangeError('not lowercase hexadecimal with two digits for each byte')
  return hexToBytes(text)
}

/** Base64 with the standard alphabet and padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** The padded standard alphabet with zero unused bits (RFC 4648, sections 3.5 and 4); else throws `RangeError`. */
export function fromBase64(text: string): Bytes {
  if (base64Length(text) === undefined)
    throw new RangeError('not padded base64 in the standard alphabet, in its only spelling')
  return new Uint8Array(base64.decode(text))
}

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** How many bytes `fromBase64` reads from this text, without reading them; undefined for a text that it refuses. */
export function base64Length(text: string): number | undefined {
  if (text.length % 4 !== 0 || !base64Form.test(text)) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  // The last digit before the padding has two or four bits that are not used. If they could be set, one value would
  // have two spellings.
  const unused = BASE64_ALPHABET.indexOf(text.charAt(text.length - padding - 1)) % 2 ** (2 * padding)
  return padding > 0 && unused !== 0 ? undefined : (text.length / 4) * 3 - padding
}

export function concatBytes(...parts: readonly Uint8Array[]): Bytes {
  return joinBytes(...parts)
}

/** Its time depends only on the lengths, so it may compare secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}

/** Four bytes, most significant first: the form of numbers in a derivation. Throws `RangeError` outside 0 … 2^32-1. */
export function uint32be(value: number): Bytes {
  if (!Number.isInteger(value) || value < 0 || value > MAX_UINT32) throw new RangeError('not an integer of 32 bits')
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff)
}

/** The 16 bytes of a canonical lowercase UUID (RFC 9562, section 4); throws `RangeError` for anything else. */
export function uuidBytes(uuid: string): Bytes {
  if (!uuidForm.test(uuid)) throw new RangeError('not a canonical lowercase UUID')
  return hexToBytes(uuid.replaceAll('-', ''))
}

/** Like `fromBase64`, but returns undefined instead of throwing. */
export function parseBase64(text: string): Bytes | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}
