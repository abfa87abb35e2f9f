/** One request to any operation: as the OpenAPI document describes it, or with mistakes in it ("bent"). */
import type { Call } from '../../../conformance/call.ts'
import type { DeclaredOperation } from '../../../conformance/document.ts'
import { sha256 } from '../../../conformance/world.ts'
import type { Random } from '../../harness/random.ts'
import { type Json, type Maker, makeValue, ODD_TEXTS, oddValue, record, resolved, uuid } from './values.ts'

/** Sessions declared with its size and hash land. */
const CHUNK = Buffer.from('chunk')
const TOO_MANY_BODY_BYTES = 1024 * 1024 + 1

/** A request, and whether its path or its Authorization was bent: then fewer answers can be judged. */
export interface Command {
  readonly call: Call
  readonly isPathBent: boolean
  readonly isTokenBent: boolean
}

/** Well-formed. Its ids come from earlier requests and answers where possible, of any account. */
export function requestOf(maker: Maker, random: Random, operation: DeclaredOperation): Call {
  const declared = declarationOf(maker.root, operation)
  const parameters = list(declared.parameters).map((each) => resolved(maker.root, each))
  const inPath = (name: string) => {
    const schema = parameters.find((each) => each.name === name)?.schema
    return String(makeValue(maker, random, schema ?? { type: 'string' }, name))
  }
  const query = parameters
    .filter((each) => each.in === 'query' && (each.required === true || random.chance(0.5)))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(makeValue(maker, random, schema, String(name))))}`)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath(name)))
  const call = { method: operation.method, path: query.length === 0 ? path : `${path}?${query.join('&')}` }
  if (operation.bodyType === undefined) return { ...call, headers: readHeaders(maker, random) }
  if (operation.bodyType === 'application/json') {
    const { schema } = record(record(resolved(maker.root, declared.requestBody).content)['application/json'])
    return { ...call, json: makeValue(maker, random, schema) }
  }
  const [start, end] = random.pick([
    [0, 5],
    [0, 5],
    [0, 2],
    [2, 5],
  ] as const)
  const body = CHUNK.subarray(start, end)
  const headers = {
    'content-type': operation.bodyType,
    'x-service-offset': String(start),
    'x-service-checksum': sha256(body),
  }
  return { ...call, body, headers }
}

/** For the pool, so that declarations use it. */
export const CHUNK_HASH = sha256(CHUNK)

function readHeaders({ pool }: Maker, random: Random): Record<string, string> {
  const headers: Record<string, string> = {}
  const hash = pool.pick('hash', random) ?? CHUNK_HASH
  if (random.chance(0.2))
    headers.range = random.pick(['bytes=0-3', 'bytes=-1', 'bytes=2-', 'bytes=0-0,2-3', 'bytes=999-'])
  if (random.chance(0.1)) headers['if-none-match'] = random.pick([`"${hash}"`, '*', 'W/"x"'])
  if (random.chance(0.1)) headers['if-range'] = random.pick([`"${hash}"`, '"x"'])
  return headers
}

function declarationOf(root: Json, { path, method }: DeclaredOperation): Json {
  return record(record(record(root.paths)[path])[method.toLowerCase()])
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The same request with one or two mistakes in it. */
export function bent(random: Random, call: Call): Command {
  let command: Command = { call, isPathBent: false, isTokenBent: false }
  for (let fault = random.chance(0.3) ? 2 : 1; fault > 0; fault--) command = { ...command, ...bendOf(random, command) }
  return command
}

function bendOf(random: Random, { call }: Command): Partial<Command> {
  if (call.json !== undefined && random.chance(0.6)) return { call: withBentJson(random, call) }
  const bends: readonly (() => Partial<Command>)[] = [
    () => ({ call: withHeader(random, call) }),
    () => ({ call: { ...call, path: bentPath(random, call.path) }, isPathBent: true }),
    () => ({ call: { ...call, path: bentQuery(random, call.path) } }),
    () => ({
      call: { ...call, method: random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) },
      isPathBent: true,
    }),
    () => ({ call: { ...call, token: bentToken(random, call.token) }, isTokenBent: true }),
    () => ({ call: withBody(random, call) }),
  ]
  return random.pick(bends)()
}

function withBentJson(random: Random, call: Call): Call {
  const text = JSON.stringify(call.json)
  const members = Object.keys(record(call.json))
  const bends: readonly (() => Call)[] = [
    ...Array.from({ length: 6 }, () => () => ({ ...call, json: withBentMember(random, call.json) })),
    () => ({ ...call, json: oddValue(random) }),
    () => ({
      ...call,
      json: { ...record(call.json), [random.pick(['x', '__proto__', 'album_id', ''])]: oddValue(random) },
    }),
    () => asText(call, text.slice(0, random.integer(0, text.length - 1))),
    () => asText(call, `${text}${random.pick(['}', ',', '\u0000', ' '])}`),
    () => asText(call, `{${members.map((name) => `${JSON.stringify(name)}:1`).join(',')},${text.slice(1)}`),
    () => asText(call, '['.repeat(random.pick([10, 1000, 20_000]))),
  ]
  return random.pick(bends)()
}

/** One member, at any depth, left out or replaced. */
function withBentMember(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const place = random.integer(0, value.length - 1)
    return value.map((each, index) => (index === place ? withBentMember(random, each) : each))
  }
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0) return oddValue(random)
  const [name, member] = random.pick(members)
  const others = Object.fromEntries(members.filter(([each]) => each !== name))
  if (random.chance(0.2)) return others
  return { ...others, [name]: typeof member === 'object' ? withBentMember(random, member) : oddValue(random) }
}

const asText = ({ json: _, headers, ...call }: Call, body: string): Call => ({
  ...call,
  body,
  headers: { 'content-type': 'application/json', ...headers },
})

const HEADER_NAMES = [
  ...['content-type', 'content-encoding', 'accept', 'range', 'if-range', 'if-none-match', 'idempotency-key'],
  ...['last-event-id', 'x-service-protocol', 'x-service-offset', 'x-service-checksum', 'x-forwarded-for', 'forwarded'],
  ...['x-request-id', 'x-http-method-override', 'origin', 'cookie'],
]
const HEADER_VALUES = [
  ...['application/json', 'text/plain', 'application/json; charset=utf-16', 'gzip', 'identity', '*/*', '*', '"', 'W/'],
  ...['bytes=', 'bytes=5-1', 'bytes=0-', 'bytes=-0', 'bytes=0-99999999999999999999', '-1', '0', '5', '1e3', '0x10'],
  ...['2026-11-01', '2025-01-01', '2026-02-30', '9'.repeat(400), 'a'.repeat(3000), '1.2.3.4, 5.6.7.8', 'x\u00ff'],
]

function withHeader(random: Random, call: Call): Call {
  const value = random.chance(0.1) ? undefined : random.pick(HEADER_VALUES)
  return { ...call, headers: { ...call.headers, [random.pick(HEADER_NAMES)]: value } }
}

function bentPath(random: Random, given: string): string {
  const [path = '', ...query] = given.split('?')
  const segments = path.split('/')
  const place = random.integer(1, segments.length - 1)
  // No empty segments: the interface promises nothing about how the router takes them.
  const odd = random.pick([
    ...ODD_TEXTS.filter((text) => text !== '' && text.isWellFormed() && text.length < 5000).map(encodeURIComponent),
    ...['%00', '%ff', '%2e%2e', '..%2f', '%', '%zz', '%c0%ae', uuid(random), random.hex(16)],
  ])
  const bentSegments = segments.map((segment, index) => (index === place ? odd : segment))
  const longer = random.chance(0.2) ? [...segments, odd] : bentSegments
  return [longer.join('/') || '/', ...query].join('?')
}

function bentQuery(random: Random, path: string): string {
  const odd = random.pick(ODD_TEXTS.filter((text) => text.isWellFormed() && text.length < 5000))
  const name = random.pick(['cursor', 'limit', 'opaque_id', 'x', '__proto__', 'access_token'])
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(odd)}`
}

function bentToken(random: Random, token = 'x.y.z'): string | undefined {
  const place = random.integer(0, token.length - 1)
  if (random.chance(0.25)) return undefined
  return random.pick(['x', `${token}.${token}`, `${token.slice(0, place)}A${token.slice(place + 1)}`])
}

function withBody(random: Random, { json: _, ...call }: Call): Call {
  const body = random.chance(0.05)
    ? Buffer.alloc(TOO_MANY_BODY_BYTES)
    : Buffer.from(random.hex(random.integer(0, 200)), 'hex')
  return { ...call, body, withoutLength: random.chance(0.5) }
}
