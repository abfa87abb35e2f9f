/** Values for a JSON schema: valid ones, often seen before under the same name, and invalid ones of many kinds. */
import type { Random } from '../../harness/random.ts'

export type Json = Readonly<Record<string, unknown>>

/** The last values seen under each name, in any request or answer. */
export interface Pool {
  keep(name: string, value: string): void
  /** Undefined when there is none. */
  pick(name: string, random: Random): string | undefined
}

const MAX_KEPT = 40

export function createPool(): Pool {
  const seen = new Map<string, string[]>()
  return {
    keep(name, value) {
      const values = seen.get(name) ?? []
      seen.set(name, values)
      if (values.includes(value)) return
      values.push(value)
      if (values.length > MAX_KEPT) values.shift()
    },
    pick(name, random) {
      const values = seen.get(name) ?? []
      return values.length === 0 ? undefined : random.pick(values)
    },
  }
}

/** Names that mean the same values. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  hash: ['hash', 'ciphertext_hash'],
  ciphertext_hash: ['ciphertext_hash', 'hash'],
  blob_hashes: ['hash', 'ciphertext_hash'],
  original_blob_hash: ['hash', 'ciphertext_hash'],
  prior_provenance_hash: ['hash'],
  file_id: ['asset_id', 'file_id'],
  asset_id: ['asset_id', 'file_id'],
  created_by_user: ['account_id'],
  created_by_device: ['device_id'],
  cursor: ['next_cursor'],
}
const SEEN_CHANCE = 0.7
const OPTIONAL_CHANCE = 0.5
const MAX_RANDOM_BYTES = 200

export interface Maker {
  readonly root: Json
  readonly pool: Pool
}

/** A value that fits the schema, as far as the schema says. */
export function makeValue({ root, pool }: Maker, random: Random, given: unknown, name = ''): unknown {
  const schema = resolved(root, given)
  const { type, properties, items, enum: values } = schema
  const kind = Array.isArray(type) ? type[0] : type
  if (Array.isArray(values)) return random.pick(values)
  if (kind === 'boolean') return random.chance(0.5)
  if (kind === 'integer') return integerOf(schema, random)
  if (kind === 'array') {
    const length = Math.max(Number(schema.minItems ?? 0), random.integer(0, 3))
    return Array.from({ length }, () => makeValue({ root, pool }, random, items, name))
  }
  if (kind === 'object' || properties !== undefined) {
    const required = Array.isArray(schema.required) ? schema.required : []
    const members = Object.entries(record(properties)).filter(
      ([member]) => required.includes(member) || random.chance(OPTIONAL_CHANCE),
    )
    return Object.fromEntries(
      members.map(([member, each]) => [member, makeValue({ root, pool }, random, each, member)]),
    )
  }
  return textOf(schema, { name, pool, random })
}

function integerOf({ minimum, maximum }: Json, random: Random): number {
  const [min, max] = [Number(minimum ?? 0), Number(maximum ?? Number.MAX_SAFE_INTEGER)]
  const usual = [1, 5, 50, 100, 1_048_560, random.integer(1, 5000)]
  const value = random.chance(0.85) ? random.pick(usual) : random.pick([min, max, min + 1, max - 1])
  return Math.min(Math.max(value, min), max)
}

/** A string that fits the schema. A length such as `Base64 of 8 to 64 bytes` is only in the description. */
function textOf(schema: Json, { name, pool, random }: { name: string; pool: Pool; random: Random }): string {
  const seen = (ALIASES[name] ?? [name]).map((each) => pool.pick(each, random)).filter((each) => each !== undefined)
  if (seen.length > 0 && random.chance(SEEN_CHANCE)) return random.pick(seen)
  const pattern = String(schema.pattern ?? '')
  const base64 = /Base64 of (\d+)(?: to (\d+))? bytes/.exec(String(schema.description))
  if (base64 !== null) {
    const min = Number(base64[1])
    const max = Math.min(Number(base64[2] ?? min), Math.max(min, MAX_RANDOM_BYTES))
    return Buffer.from(random.hex(random.integer(min, max)), 'hex').toString('base64')
  }
  if (schema.format === 'date')
    return random.pick(['2026-01-01', '2026-11-01', '2026-06-15', '2025-12-31', '2027-01-01'])
  if (schema.format === 'date-time') return new Date(Date.now() + random.integer(-1000, 90_000) * 1000).toISOString()
  if (pattern.includes('{8}-')) return uuid(random)
  if (pattern.includes('{64}')) return random.hex(32)
  if (pattern.includes('{32}')) return random.hex(16)
  if (pattern.includes('https')) return 'https://peer.example'
  if (name === 'content_type') return 'application/octet-stream'
  if (name === 'email') return `${random.hex(6)}@fuzz.example`
  return random.hex(random.integer(6, 20))
}

export function uuid(random: Random): string {
  const hex = random.hex(16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export function resolved(root: Json, schema: unknown): Json {
  const found = record(schema)
  if (typeof found.$ref !== 'string') return found
  const place = found.$ref.replace(/^#\//, '').split('/')
  return resolved(
    root,
    place.reduce<unknown>((node, key) => record(node)[key], root),
  )
}

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** Strings that often break servers. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '\r\nX-Injected: yes',
  '../../../etc/passwd',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e400',
  '9007199254740993',
  '0'.repeat(32),
  'A'.repeat(64),
  '0192E8A4-7C4E-7D1A-9B1E-3F2A5C6D7E8F',
  'YQ=',
  'Y Q==',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-13-01',
  'é'.normalize('NFD'),
  '💥'.repeat(300),
  'x'.repeat(70_000),
]

/** A value that is almost always invalid. */
export function oddValue(random: Random): unknown {
  return random.pick<unknown>([
    null,
    true,
    -1,
    0,
    0.5,
    -0,
    1e300,
    2 ** 53,
    Number.MAX_SAFE_INTEGER,
    [],
    [null],
    {},
    { toString: 1, length: -1 },
    [[[[[]]]]],
    ...ODD_TEXTS,
  ])
}
