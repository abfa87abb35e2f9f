/**
 * Deterministic CBOR (RFC 8949, section 4.2.1), read strictly: a value has exactly one encoding, and any other bytes
 * are refused. Otherwise one value could have several hashes and signatures.
 */
import { type DecodeOptions, decodeFirst, encode, rfc8949EncodeOptions, Tagged } from 'cborg'
import { type Bytes, equalBytes } from './bytes.ts'

/** The values in our formats. CBOR maps are `Map`s, so that numeric keys stay numbers. */
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

/** A value under a tag, as `decodeCbor` returns it when `allowedTag` is that tag. */
export function tagged(tag: number, value: CborValue): Tagged {
  return new Tagged(tag, value)
}

/**
 * Reads exactly one value. Throws `CborError` for bytes after it, lengths that are not the shortest, unsorted or
 * duplicate keys, indefinite lengths, integers beyond 2^53-1, text that is not UTF-8, any tag but the allowed one, and
 * everything else that does not encode to the same bytes.
 */
export function decodeCbor(bytes: Uint8Array, allowedTag?: number): unknown {
  const { value, rest } = decodeCborPrefix(bytes, allowedTag)
  if (rest.length > 0) throw new CborError('there are bytes after the value')
  return value
}

/** Reads one value as strictly as `decodeCbor`; `rest` is a view on the bytes after it. */
export function decodeCborPrefix(bytes: Uint8Array, allowedTag?: number): { value: unknown; rest: Uint8Array } {
  const [value, rest] = decodeStrictly(bytes, allowedTag)
  // The decoder accepts unsorted keys, long floats and broken UTF-8, so the value must encode to the same bytes again.
  const own = bytes.subarray(0, bytes.length - rest.length)
  if (!equalBytes(reencode(value), own)) throw new CborError('not the deterministic encoding of its value')
  return { value, rest }
}

/** Throws `CborError` for what only the decoder supports: keys that are lists or maps have no order here. */
function reencode(value: unknown): Uint8Array {
  try {
    return encode(value, rfc8949EncodeOptions)
  } catch (cause) {
    throw new CborError('the value has no deterministic encoding here', { cause })
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
    throw new CborError('not CBOR, not its deterministic form, or a tag that is not allowed here', { cause })
  }
}
