import { isObject } from '@blindkeep/protocol/json'
import type { Operation } from '@blindkeep/protocol/operations'
import type { Static } from '@blindkeep/protocol/static'
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'

/** The longest list of an account, 3,000 links with their titles, is about 34 MB. */
const MAX_OWNERS_ANSWER_BYTES = 64 * 1024 * 1024
/** The longest answer without a session, 50,000 revoked tokens, is about 4.3 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Lists and objects inside each other; the description of the interface has 14, no other answer more than six. */
const MAX_JSON_DEPTH = 16
/** The longest list has about 200,000. */
const MAX_JSON_VALUES = 1_000_000
/** A problem document has a few hundred bytes; longer ones are not read. */
export const MAX_PROBLEM_BYTES = 64 * 1024

type ReadAnswer<Schema extends TSchema> =
  | { readonly value: Static<Schema>; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined }

/** Checks an answer against its schema. Unknown members are ignored: older clients must read newer servers. */
export function readAnswer<Schema extends TSchema>(schema: Schema, json: unknown): ReadAnswer<Schema> {
  const known: unknown = withKnownMembers(schema, json)
  return isOf(schema, known) ? { value: known } : { fault: faultIn(schema, known) }
}

/**
 * The first fault. `Errors` collects all of them, a second and 200 MB for each MiB of a list that is wrong throughout,
 * so it only gets the part that does not match.
 */
function faultIn(schema: TSchema & Shape, json: unknown, path = ''): string {
  for (const [name, part, value] of partsOf(schema, json))
    if (!Check(part, value)) return faultIn(part, value, `${path}/${name}`)
  const [, [fault]] = Errors(schema, json)
  return fault === undefined ? 'it does not match its schema' : `${path}${fault.instancePath} ${fault.message}`.trim()
}

function* partsOf(
  { properties = {}, items }: Shape,
  json: unknown,
): Generator<readonly [string | number, TSchema, unknown]> {
  if (Array.isArray(json)) {
    if (items !== undefined) for (const [index, item] of json.entries()) yield [index, items, item]
  } else if (isObject(json))
    for (const [name, value] of Object.entries(json)) {
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (part !== undefined) yield [name, part, value]
    }
}

function isOf<Schema extends TSchema>(schema: Schema, json: unknown): json is Static<Schema> {
  return Check(schema, json)
}

/** The parts of a schema that name members. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

function withKnownMembers({ properties, items }: Shape, json: unknown): unknown {
  if (items !== undefined && Array.isArray(json)) return json.map((item) => withKnownMembers(items, item))
  if (properties === undefined || !isObject(json) || Array.isArray(json)) return json
  const known = Object.entries(json).flatMap(([name, value]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    return shape === undefined ? [] : [[name, withKnownMembers(shape, value)]]
  })
  return Object.fromEntries(known)
}

/** Bytes of the longest answer in JSON that is read. */
export function maxAnswerBytes({ auth }: Pick<Operation, 'auth'>): number {
  return auth === 'bearer' ? MAX_OWNERS_ANSWER_BYTES : MAX_ANSWER_BYTES
}

/**
 * Why a text is not parsed. Each `[` of a hostile one becomes an object of thirty times its size. Looks at each
 * character outside strings once, whether the text is JSON or not.
 */
export function excessIn(text: string): string | undefined {
  let [depth, values] = [0, 1]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === ']' || character === '}') depth--
    else if (character === '[' || character === '{') {
      values++
      depth++
    } else if (character === ',') values++
    if (depth > MAX_JSON_DEPTH) return `it is nested deeper than ${MAX_JSON_DEPTH} levels`
    if (values > MAX_JSON_VALUES) return `it has more than ${MAX_JSON_VALUES} values`
  }
  return undefined
}

/** The index of the quote that ends the string from `start`, or the length of a text that does not end it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    // A quote after an odd number of backslashes belongs to the string.
    let first = end
    while (text[first - 1] === '\\') first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

/** The whole text, or undefined when it is longer than `bytesMax` or not UTF-8. */
export async function readText(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    const piece = bytes > bytesMax ? undefined : decoded(decoder, value)
    if (piece === undefined) {
      await reader.cancel()
      return undefined
    }
    text += piece
  }
  const rest = decoded(decoder)
  return rest === undefined ? undefined : text + rest
}

function decoded(decoder: TextDecoder, piece?: Uint8Array): string | undefined {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
  } catch {
    return undefined
  }
}
