/**
 * Deterministic CBOR (RFC 8949, section 4.2.1), read strictly: bytes that are not the one encoding of what they say are refused,
 * because a signature or a hash over them would stand for a value that has other bytes too.
 */
import { type DecodeOptions, decodeFirst, encode, rfc8949EncodeOptions, Tagged } from 'cborg'
import { type Bytes, equalBytes } from './bytes.ts'

/** What our formats are made of. Maps stand for CBOR maps, so that keys which are numbers stay numbers. */
export type CborValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<string | number, CborValue>
  | Tagged

/** Not CBOR at all, or not in its deterministic form. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

export function encodeCbor(value: CborValue): Bytes {
  return new Uint8Array(encode(value, rfc8949EncodeOptions))
}

/** A value under a tag, as `decodeCbor` gives it back when it was told to expect that tag. */
export function tagged(tag: number, value: CborValue): Tagged {
  return new Tagged(tag, value)
}

/**
 * Exactly one value and nothing after it. Throws `CborError` for lengths that are not the shortest, keys unsorted or twice, indefinite lengths,
 * integers beyond 2^53-1, text that is not UTF-8, tags other than the one allowed, and all else that does not encode to itself.
 */
export function decodeCbor(bytes: Uint8Array, allowedTag?: number): unknown {
  const { value, rest } = decodeCborPrefix(bytes, allowedTag)
  if (rest.length > 0) throw new CborError('something follows the value')
  return value
}

/** One value, read as strictly as by `decodeCbor`, and a view on the bytes after it. */
export function decodeCborPrefix(bytes: Uint8Array, allowedTag?: number): { value: unknown; rest: Uint8Array } {
  const [value, rest] = decodeStrictly(bytes, allowedTag)
  // The decoder lets unsorted keys, long floats and broken UTF-8 pass: only what encodes to the same bytes is deterministic.
  const own = bytes.subarray(0, bytes.length - rest.length)
  if (!equalBytes(reencode(value), own)) throw new CborError('not the deterministic encoding of its value')
  return { value, rest }
}

/** The encoder knows less than the decoder takes: it has no order for keys that are lists or maps. */
function reencode(value: unknown): Uint8Array {
  try {
    return encode(value, rfc8949EncodeOptions)
  } catch (cause) {
    throw new CborError('a value that has no deterministic encoding here', { cause })
  }
}

function decodeStrictly(bytes: Uint8Array, allowedTag: number | undefined): [unknown, Uint8Array] {
  const options: DecodeOptions = {
    strict: true,
    useMaps: true,
    rejectDuplicateMapKeys: true,
    allowIndefinite: false,
    allowUndefined: false,
    allowInfinity: false,
    allowNaN: false,
    allowBigInt: false,
    ...(allowedTag === undefined ? {} : { tags: Tagged.preserve(allowedTag) }),
  }
  try {
    return decodeFirst(bytes, options)
  } catch (cause) {
    throw new CborError('not CBOR, not its deterministic form, or under a tag that has no place here', { cause })
  }
}
