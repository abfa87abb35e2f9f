/** Bodies within the limit of a server, made to cost as much as possible: JSON or nearly JSON, for any operation. */

/** `REQUEST_BYTES_MAX`. */
const BODY_BYTES = 1024 * 1024
/** More values than any body of the table needs, as many as a server may still accept. */
const MANY = 10_900

export interface HeavyBody {
  readonly name: string
  readonly bytes: Uint8Array
}

const fill = (unit: string, bytes = BODY_BYTES - 100) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
const members = (count: number, nameOf: (index: number) => string) =>
  `{${Array.from({ length: count }, (_, index) => `"${nameOf(index)}":1`).join()}}`
const listOf = (unit: string, bytes?: number) => `[${fill(`${unit},`, bytes)}${unit}]`

const objectOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`.padEnd(80, 'k'), 1]))

const FOR_ANY: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'lists without an end', text: fill('[') },
  { name: 'nested lists', text: fill('[', BODY_BYTES / 2) + fill(']', BODY_BYTES / 2) },
  { name: 'objects without an end', text: fill('{"a":') },
  { name: 'nested objects', text: `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}` },
  { name: 'one string', text: `"${fill('a')}"` },
  { name: 'one string of escapes', text: `"${fill('\\u0061')}"` },
  { name: 'one string of backslashes', text: `"${fill('\\\\')}"` },
  { name: 'halves of surrogate pairs', text: `"${fill('\\ud800')}"` },
  { name: 'surrogate pairs', text: `"${fill('\\ud83d\\ude00')}"` },
  { name: 'quotes', text: fill('"') },
  { name: 'backslashes', text: fill('\\') },
  { name: 'spaces after a name', text: `{"a"${fill(' ')}` },
  { name: 'strings before many spaces', text: fill(`"a"${' '.repeat(1000)}`) },
  { name: 'spaces in a list', text: listOf(`"a"${' '.repeat(1000)}`) },
  { name: 'not UTF-8 at the end', text: `"${fill('é')}` },
  { name: 'one number', text: `{"size":${'9'.repeat(100_000)}}` },
  { name: 'one exponent', text: `{"size":1e${fill('9')}}` },
  { name: 'a list of numbers', text: listOf('1') },
  { name: 'a list of empty lists', text: listOf('[]') },
  { name: 'a list of empty objects', text: listOf('{}') },
  { name: 'a list of nulls', text: listOf('null') },
  { name: '90,000 members', text: members(90_000, (index) => index.toString(36)) },
  { name: 'one member 100,000 times', text: members(100_000, () => 'a') },
  { name: 'one member 70,000 times, escaped', text: members(70_000, () => '\\u0061') },
  { name: `${MANY} members`, text: members(MANY, (index) => 'k'.repeat(80) + index.toString(36)) },
  { name: `${MANY} escaped members`, text: members(MANY, (index) => '\\u006b'.repeat(12) + index.toString(36)) },
  { name: 'a list of objects of 64 members', text: JSON.stringify(Array(170).fill(objectOf(64))) },
  { name: `a list of ${MANY} objects`, text: JSON.stringify(Array(MANY).fill({})) },
]

/** In bytes once, as each is sent to each operation. */
const HEAVY_BODIES: readonly HeavyBody[] = FOR_ANY.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }))

/** What each member of a valid body is replaced by, one at a time. */
const REPLACEMENTS = (
  [
    ['letters', 'a'.repeat(BODY_BYTES / 2)],
    ['digits', '0'.repeat(BODY_BYTES / 2)],
    ['base64', `${'AAAA'.repeat(BODY_BYTES / 8)}=`],
    ['spaces', `a${' '.repeat(BODY_BYTES / 2)}a`],
    ['emojis', '💥'.repeat(100_000)],
    ['combining marks', `e${'\u0301'.repeat(200_000)}`],
    ['a long fraction', `2026-01-01T00:00:00.${'0'.repeat(BODY_BYTES / 2)}`],
    ['a long origin', `https://${'a.'.repeat(BODY_BYTES / 4)}!`],
    ['objects', Array.from({ length: MANY }, () => ({}))],
    ['objects with a wrong member', Array.from({ length: MANY / 2 }, () => ({ x: 1 }))],
    ['texts', Array(MANY).fill('a'.repeat(80))],
    ['numbers', Array(MANY).fill(1)],
    ['lists', Array.from({ length: MANY }, () => [])],
    ['hashes', Array.from({ length: MANY }, (_, index) => index.toString(16).padStart(64, '0'))],
    ['objects of 64 members', Array(170).fill(objectOf(64))],
    ['members', Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, null]))],
  ] as const
).map(([name, value]) => ({ name, json: Buffer.from(JSON.stringify(value)) }))
const PLACE = 'the place of the heavy value'

/** Those of any operation, then a valid body with one member made heavy. One after the other: all take gigabytes. */
export function* heavyBodies(body: Readonly<Record<string, unknown>>): Generator<HeavyBody> {
  yield* HEAVY_BODIES
  for (const member of Object.keys(body)) {
    const [before = '', after = ''] = JSON.stringify({ ...body, [member]: PLACE }).split(JSON.stringify(PLACE))
    for (const { name, json } of REPLACEMENTS)
      yield { name: `${name} in ${member}`, bytes: Buffer.concat([Buffer.from(before), json, Buffer.from(after)]) }
  }
}
