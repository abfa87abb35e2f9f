/** The fields of what a server signs: one map of text keys in deterministic CBOR (RFC 8949, section 4.2.1). */
import { type Bytes, fromHex, toHex } from '../bytes.ts'
import { CborError, type CborValue, decodeCbor, encodeCbor } from '../cbor.ts'
import { formatInstant, parseInstant, parseKeyId, parseSha256Hex } from '../ids.ts'
import { MAX_INTEGER } from '../wire.ts'

export type FieldFault = 'payload_not_deterministic' | 'unknown_field' | 'missing_field' | 'field_invalid'

/** The error of a format, which its readers throw for each fault of a field. */
export type FieldRefusal = new (reason: FieldFault, message: string, options?: ErrorOptions) => Error

/** What a field contains, or `undefined` for a value that is not of its form. */
export type FieldReader<Value> = (value: unknown) => Value | undefined

export interface Fields<Name extends string> {
  required<Value>(name: Name, read: FieldReader<Value>): Value
  optional<Given extends Name, Value>(name: Given, read: FieldReader<Value>): { readonly [Key in Given]?: Value }
}

/** The map in the signed bytes. Throws `Refusal` for anything else. */
export function decodeFields(bytes: Uint8Array, Refusal: FieldRefusal): ReadonlyMap<unknown, unknown> {
  let fields: unknown
  try {
    fields = decodeCbor(bytes)
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new Refusal('payload_not_deterministic', `payload: ${cause.message}`, { cause })
  }
  if (!(fields instanceof Map)) throw new Refusal('field_invalid', 'the payload is not a map')
  return fields
}

/** Readers of the fields that a format knows. Throws `Refusal` if there are others. */
export function fieldsOf<Name extends string>(
  fields: ReadonlyMap<unknown, unknown>,
  names: Readonly<Record<Name, true>>,
  Refusal: FieldRefusal,
): Fields<Name> {
  for (const name of fields.keys()) {
    if (typeof name !== 'string' || !Object.hasOwn(names, name))
      throw new Refusal('unknown_field', 'the payload has an unknown field')
  }
  const required = <Value>(name: Name, read: FieldReader<Value>): Value => {
    if (!fields.has(name)) throw new Refusal('missing_field', `the payload has no ${name}`)
    const value = read(fields.get(name))
    if (value === undefined) throw new Refusal('field_invalid', `${name} is malformed`)
    return value
  }
  const optional = <Given extends Name, Value>(name: Given, read: FieldReader<Value>) => {
    const found: { [Key in Given]?: Value } = {}
    if (fields.has(name)) found[name] = required(name, read)
    return found
  }
  return { required, optional }
}

/**
 * The bytes of a payload to sign: `version` and the members that are not undefined, with those of `hashes` as byte
 * strings. `read` throws for what a reader would refuse; so does this, with `Refusal` for a hash that is not hex.
 */
export function encodeFields(
  { version, members, hashes }: { version: string; members: object; hashes: readonly string[] },
  read: (fields: ReadonlyMap<unknown, unknown>) => unknown,
  Refusal: FieldRefusal,
): Bytes {
  const fields = new Map<string, CborValue>([['version', version]])
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue
    fields.set(name, hashes.includes(name) ? hashBytes(value, Refusal) : value)
  }
  read(fields)
  return encodeCbor(fields)
}

function hashBytes(hex: string, Refusal: FieldRefusal): Bytes {
  try {
    return fromHex(hex)
  } catch (cause) {
    throw new Refusal('field_invalid', 'a hash is not lowercase hex', { cause })
  }
}

const MAX_SERVER_ID_LENGTH = 300
/** A canonical origin (RFC 6454, section 6.2): scheme, host and port, lowercase, no path. */
const origin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?$/

/** A text, as its parser reads it. */
export const text =
  <Value>(parse: (text: string) => Value | undefined): FieldReader<Value> =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined

export const exactly = <Value extends string>(expected: Value): FieldReader<Value> =>
  text((value) => (value === expected ? expected : undefined))

export const serverId = text((value) =>
  value.length <= MAX_SERVER_ID_LENGTH && origin.test(value) ? value : undefined,
)

/** Exactly the form of answers, so that an instant has one encoding. */
export const time = text((value) => {
  const at = parseInstant(value)
  return at !== undefined && formatInstant(at) === value ? value : undefined
})

export const positiveInteger: FieldReader<number> = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER ? value : undefined

const hexOf =
  <Value>(parse: (text: string) => Value | undefined): FieldReader<Value> =>
  (value) =>
    value instanceof Uint8Array ? parse(toHex(value)) : undefined

/** 32 bytes, as lowercase hex. */
export const hash = hexOf(parseSha256Hex)
export const fingerprint = hexOf(parseKeyId)
