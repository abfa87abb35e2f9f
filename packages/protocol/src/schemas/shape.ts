import { type TProperties, type TSchema, Type } from 'typebox'
import { base64Length } from '../bytes.ts'
import {
  OPAQUE_ID_PATTERN,
  type OpaqueId,
  type ProtocolVersion,
  parseInstant,
  SHA256_PATTERN,
  type Sha256Hex,
  UUID_PATTERN,
} from '../ids.ts'
import type { Static } from '../static.ts'
import { MAX_INTEGER } from '../wire.ts'

/** Builds the schemas of the wire shapes. Each schema has its type: patterns give the branded ids of `ids.ts`. */

/** A JSON object that refuses unknown members (specification, Errors, 400). */
export function object<Properties extends TProperties>(name: string, properties: Properties) {
  return Type.Object(properties, { $id: name, additionalProperties: false })
}

interface Refinement {
  readonly check: (value: string) => boolean
  readonly message: string
}

/** A copy of a schema loses its TypeBox refinement, so `optional` finds it here and adds it again. */
const refinements = new WeakMap<TSchema, Refinement>()

function refined<Schema extends TSchema>(schema: Schema, { check, message }: Refinement) {
  const refinedSchema = Type.Refine(
    schema,
    (value) => typeof value !== 'string' || check(value),
    () => message,
  )
  refinements.set(refinedSchema, { check, message })
  return refinedSchema
}

/** Optional, and null means absent. */
export function optional<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values } = schema as { type?: string; enum?: readonly string[] }
  if (type === undefined) throw new Error('only a schema with one JSON type can be optional')
  const nullable = Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [type, 'null'],
    // Null must be one of the values too, or `enum` would refuse it (JSON Schema, validation, 6.1.2).
    ...(values === undefined ? {} : { enum: [...values, null] }),
  })
  const refinement = refinements.get(schema)
  return Type.Optional(refinement === undefined ? nullable : refined(nullable, refinement))
}

export const text = (description: string, limits: { minLength?: number; maxLength?: number; pattern?: string } = {}) =>
  Type.String({ description, ...limits })

/** Of an answer: no control character, which would move the cursor of a terminal. */
export const plainText = (description: string, limits: { maxLength?: number } = {}) =>
  text(description, { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$', ...limits })

export const integer = (description: string, minimum = 0) =>
  Type.Integer({ description, minimum, maximum: MAX_INTEGER })

export const boolean = (description: string) => Type.Boolean({ description })

export const list = <Item extends TSchema>(item: Item, description: string) => Type.Array(item, { description })

export const oneOf = <Values extends readonly string[]>(values: readonly [...Values], description: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description })

export const uuid = <Id extends string>(description: string) =>
  Type.Unsafe<Id>({
    type: 'string',
    pattern: UUID_PATTERN,
    description,
    examples: ['0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'],
  })

export const opaqueId = (description: string) =>
  Type.Unsafe<OpaqueId>({ type: 'string', pattern: OPAQUE_ID_PATTERN, description })

export const sha256 = (description: string) =>
  Type.Unsafe<Sha256Hex>({ type: 'string', pattern: SHA256_PATTERN, description })

/** Base64 in the standard alphabet, padded (RFC 4648, section 4), of a number of bytes between the two limits. */
export const base64 = (description: string, bytes: { readonly min: number; readonly max: number }) =>
  refined(
    Type.String({
      description: `${description} Base64 of ${bytes.min === bytes.max ? bytes.min : `${bytes.min} to ${bytes.max}`} bytes.`,
      contentEncoding: 'base64',
      pattern: BASE64_PATTERN,
      minLength: 4 * Math.ceil(bytes.min / 3),
      maxLength: 4 * Math.ceil(bytes.max / 3),
    }),
    {
      check: (value) => isBetween(base64Length(value), bytes),
      message: `must be base64 of ${bytes.min} to ${bytes.max} bytes`,
    },
  )

/** An owner's own name for something. Only the owner's clients can read it. */
export const sealedName = (what: string) =>
  base64(`The owner’s name for the ${what}, sealed by the client.`, { min: 1, max: 4096 })

/** Only the alphabet: repeated groups of four exhaust an engine's stack at 10 MB. `check` tests length and padding. */
export const BASE64_PATTERN = '^[A-Za-z0-9+/]*={0,2}$'

function isBetween(count: number | undefined, limits: { readonly min: number; readonly max: number }): boolean {
  return count !== undefined && limits.min <= count && count <= limits.max
}

/**
 * RFC 3339. Requests may use any offset; answers are UTC with milliseconds. A time that `parseInstant` cannot read is
 * refused here: TypeBox's own check allows the brackets of RFC 9557, and an unreadable expiry must not count as a
 * missing expiry.
 */
export const time = (description: string) =>
  refined(Type.Unsafe<string>({ type: 'string', format: 'date-time', description }), {
    check: (value) => parseInstant(value) !== undefined,
    message: 'must be a date-time of RFC 3339',
  })

export const protocolVersion = (description: string) =>
  Type.Unsafe<ProtocolVersion>({ type: 'string', format: 'date', description })
