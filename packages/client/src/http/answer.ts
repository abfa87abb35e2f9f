import type { Static, TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'

/** The longest list of a server, 10,000 pending drops, is about 20 MB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024
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
  } else if (typeof json === 'object' && json !== null)
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
  if (properties === undefined || typeof json !== 'object' || json === null || Array.isArray(json)) return json
  const known = Object.entries(json).flatMap(([name, value]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    return shape === undefined ? [] : [[name, withKnownMembers(shape, value)]]
  })
  return Object.fromEntries(known)
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

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
