/** Deterministic CBOR (RFC 8949, section 4.2.1). Bytes that do not re-encode to themselves are refused. */
import { decode, encode } from 'cbor2'

/** A receipt has four levels. */
const MAX_DEPTH = 8

export type Read = { readonly value: unknown } | { readonly offset: number; readonly what: string }

export function readCbor(bytes: Uint8Array): Read {
  let value: unknown
  let again: Uint8Array
  try {
    // A Uint8Array and not a Buffer, because the library returns byte strings in the type of its input.
    const options = { preferMap: true, rejectDuplicateKeys: true, ignoreGlobalTags: true, maxDepth: MAX_DEPTH }
    value = decode(Uint8Array.from(bytes), options)
    again = writeCbor(value)
  } catch (cause) {
    return { offset: 0, what: `not readable as CBOR: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
  const offset = firstDifference(bytes, again)
  return offset === undefined ? { value } : { offset, what: 'not deterministic CBOR: it does not re-encode to itself' }
}

/** The library takes its memory in pieces of `chunkSize` bytes: most values are smaller than the usual 4 KiB. */
export const writeCbor = (value: unknown): Uint8Array => encode(value, { cde: true, chunkSize: 256 })

/** The offset of the first byte in which the two differ, or where the shorter one ends. */
export function firstDifference(one: Uint8Array, other: Uint8Array): number | undefined {
  const length = Math.max(one.length, other.length)
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at
  return undefined
}
