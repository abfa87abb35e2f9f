/**
 * Every parser and every regular expression that meets what others send works in proportion to the length. Otherwise
 * one long header or body would stop the process for every client. A new parser gets a line in the table.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { base64Length, fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import { verifyCapability } from '@blindkeep/protocol/capability'
import { decodeCbor, encodeCbor } from '@blindkeep/protocol/cbor'
import { decodeCose } from '@blindkeep/protocol/cose'
import { type Instant, parseAssetId, parseInstant, parseProtocolVersion, parseSha256Hex } from '@blindkeep/protocol/ids'
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import { parse } from '@blindkeep/protocol/parse'
import { assertLinear } from '../../../../testing/linear.ts'
import type { Sessions } from '../domain/account/sessions.ts'
import { askedOf, type VerifyQuestion } from '../domain/custody/verdicts.ts'
import { parseDeclaration } from '../domain/drops/declaration.ts'
import type { HeldBlob, Link } from '../ports/store.ts'
import { authenticate, headerForms, mediaType, pathIds, queryOf } from './gates.ts'
import { endpointOf } from './names/addresses.ts'
import { createNaming } from './names/hosts.ts'
import { createSenderOf } from './names/source.ts'
import { accepts, pageMethodsAt } from './pages.ts'
import { queryAt, rowsAt } from './paths.ts'
import { holds } from './reply.ts'
import { parseJson } from './wire/json.ts'
import { rangeOf } from './wire/range.ts'

type Parser = (text: string) => unknown

/** Units of which a text is made, between a beginning and an end that spoils it. */
type Texts = readonly (readonly [begin: string, unit: string, end: string])[]

/** Texts on which a careless pattern tries every way to divide a run of equal characters. */
const RUNS: Texts = [
  'a',
  '0',
  ' ',
  '\t',
  '=',
  '.',
  ',',
  ';',
  ':',
  '/',
  '-',
  '"',
  '\\',
  '%',
  '\u200b',
  '💥',
  'e\u0301',
].flatMap(
  (unit): Texts => [
    ['', unit, '!'],
    ['a', unit, 'a'],
  ],
)

const noSession = { authenticate: async () => ({ refused: 'session_over' }) } as unknown as Sessions
const noKey = { 'idempotency-key': '' }
const row = (name: OperationName): Operation => operations[name]
const senderOf = createSenderOf(['10.0.0.0/8'])
const namingOf = createNaming('https://keep.example', ['https://old.example'])
const link = { protocolVersion: '2026-11-01' } as unknown as Link
const socket = { remoteAddress: '10.0.0.1' } as Parameters<typeof senderOf>[0]['socket']
const schemaOf = (name: OperationName) => {
  const { body } = row(name)
  assert.ok(body !== undefined && 'schema' in body)
  return body.schema
}

const declared = (over: object) => ({
  contentType: 'application/octet-stream',
  size: 1,
  ciphertextHash: '',
  kemCt: '',
  suggestedFilename: undefined,
  opener: undefined,
  ...over,
})

const PARSERS: readonly (readonly [what: string, parse: Parser, more?: Texts])[] = [
  [
    'Authorization',
    (text) => authenticate(noSession, text),
    [
      ['Bearer ', 'a', '!'],
      ['Bearer ', '=', 'a'],
      ['Bearer', ' ', ''],
    ],
  ],
  ['Idempotency-Key', (text) => headerForms(row('createDrop'), { ...noKey, 'idempotency-key': text })],
  ['Content-Type', (text) => mediaType('application/json', () => text), [['application/json', ';a=b', '']]],
  [
    'Accept-Encoding',
    (text) => accepts(text, 'br'),
    [
      ['', 'br;q=0.0,', ''],
      ['br;q=0.', '0', '1'],
      ['br', ';q=1', ''],
    ],
  ],
  [
    'If-None-Match',
    (text) => holds(text, '"x"'),
    [
      ['', 'W/', ''],
      ['', '"a", ', ''],
    ],
  ],
  [
    'Range',
    (text) => rangeOf(text, 10),
    [
      ['bytes=', '0-0,', ''],
      ['bytes=', '9', '-!'],
      ['bytes=-', '0', 'x'],
    ],
  ],
  [
    'Host',
    (text) => namingOf({ url: '/', httpVersion: '1.1', rawHeaders: ['Host', text], socket: {} }),
    [['[', ':', ']']],
  ],
  [
    'absolute target',
    (text) => namingOf({ url: text, httpVersion: '1.1', rawHeaders: [], socket: {} }),
    [['http://', 'a', '/']],
  ],
  [
    'X-Forwarded-For',
    (text) => senderOf({ headers: { 'x-forwarded-for': text }, socket }),
    [
      ['', '10.0.0.1:80, ', ''],
      ['', '[::ffff:a00:1], ', ''],
    ],
  ],
  [
    'address',
    endpointOf,
    [
      ['[', ':', ']'],
      ['', ':1', ''],
      ['', '1.', ''],
      ['::', '%', ''],
    ],
  ],
  ['path', (text) => [rowsAt(`/${text}`), pageMethodsAt(`/u/${text}`)], [['/d/', 'a/', '']]],
  ['path ids', (text) => pathIds(row('asset'), { asset_id: text })],
  [
    'query',
    (text) => queryOf(row('sync').query ?? {}, queryAt(`/v1/sync?${text}`)),
    [
      ['', 'cursor=1&', ''],
      ['cursor=', '0', ''],
    ],
  ],
  [
    'times',
    parseInstant,
    [
      ['2026-01-01T00:00:00.', '0', 'Z'],
      ['2026-01-01T00:00:00.', '0', '!'],
    ],
  ],
  ['dates', parseProtocolVersion, [['2026', '-01', '']]],
  ['ids', (text) => [parseAssetId(text), parseSha256Hex(text)]],
  [
    'file names',
    (text) =>
      parseDeclaration(declared({ suggestedFilename: text, ciphertextHash: '0'.repeat(64), kemCt: 'AAAA' }), link),
  ],
  [
    'base64',
    (text) => [base64Length(text), refused(() => fromBase64(text))],
    [
      ['', 'AAAA', ''],
      ['', 'AAAA', 'AB=='],
      ['', 'AA==', ''],
    ],
  ],
  [
    'hex',
    (text) => refused(() => fromHex(text)),
    [
      ['', '0a', ''],
      ['', '0a', 'G'],
    ],
  ],
  [
    'capability tokens',
    (text) => capability(text),
    [
      ['a', '.a', ''],
      ['', 'eyJ9.', ''],
    ],
  ],
  [
    'JSON',
    (text) => refused(() => parseJson(Buffer.from(text))),
    [
      ['', '[', ''],
      ['', '{"a":', ''],
      ['"', 'a', '"'],
      ['"', '\\\\', '"'],
      ['"', '\\\\', ''],
      ['"', '\\"', ''],
      ['"', '\\u0061', '"'],
      ['"', '\\ud83d\\ude00', '"'],
      ['[', '1,', '1]'],
      ['["a"', ' ', ']'],
      ['{"a"', ' ', ':1}'],
      ['[', '"a"                                ,', '1]'],
      ['[', '{"a":1},', '1]'],
      ['', '9', ''],
      ['1e', '9', ''],
    ],
  ],
  ...(['register', 'createShare', 'mintCapability', 'createDrop'] as const).map(
    (name) =>
      [
        `the schema of ${name}`,
        (text: string) =>
          parse(schemaOf(name), Object.fromEntries(Object.keys(propertiesOf(name)).map((member) => [member, text]))),
        [
          ['https://', 'a.', '!'],
          ['', 'AAAA', 'A'],
          ['2026-01-01T00:00:00.', '0', ''],
        ],
      ] as const,
  ),
]

/** Values whose size is a count. */
const COUNTED: readonly (readonly [
  what: string,
  make: (count: number) => unknown,
  parse: (value: never) => unknown,
])[] = [
  ...(['createShare', 'verifyStorage'] as const).flatMap((name) => listsFor(name)),
  ['a question of many hashes', hashesOf, (hashes: readonly string[]) => askedOf(question(hashes), hashes.map(held))],
  ['CBOR lists', (count) => encodeCbor(Array(count).fill(0)), decodeCbor],
  ['CBOR maps', (count) => encodeCbor(new Map(Array.from({ length: count }, (_, key) => [key, 0]))), decodeCbor],
  ['CBOR text', (count) => encodeCbor('a'.repeat(count * 8)), decodeCbor],
  ['deep CBOR', (count) => new Uint8Array(count).fill(0x81), (bytes: Uint8Array) => refused(() => decodeCbor(bytes))],
  ['CBOR of one key', (count) => cborOfOneKey(count), (bytes: Uint8Array) => refused(() => decodeCbor(bytes))],
  [
    'CBOR of a false length',
    (count) => Uint8Array.from([0x9a, 0xff, 0xff, 0xff, 0xff, ...Array(count).fill(0)]),
    (bytes: Uint8Array) => refused(() => decodeCbor(bytes)),
  ],
  [
    'COSE',
    (count) => new Uint8Array(count * 8).fill(0x61),
    (bytes: Uint8Array) => refused(() => decodeCose(bytes, 'x')),
  ],
]

describe('what a parser works', () => {
  for (const [what, run, more = []] of PARSERS)
    it(`grows with the length: ${what}`, async () => {
      for (const [begin, unit, end] of [...RUNS, ...more]) {
        const input = (size: number) => begin + unit.repeat(Math.ceil(size / unit.length)) + end
        await assertLinear({ input, run }, JSON.stringify([begin, unit, end]))
      }
    })

  for (const [what, input, run] of COUNTED)
    it(`grows with the count: ${what}`, () => assertLinear({ input: (count) => input(count) as never, run, size: 512 }))

  it('is measured so that squares are found', async () => {
    const input = (size: number) => `${' '.repeat(size)}a`
    await assert.rejects(
      assertLinear({ input, run: (text) => /\s+$/.test(text), size: 512, patienceMs: 0 }, 'a careless pattern'),
      /careless/,
    )
  })
})

/** What a parser throws is an answer too. */
function refused(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function capability(token: string): void {
  const revocations = { generated_at: '2026-01-01T00:00:00Z', max_staleness_seconds: 60, revoked: [] }
  const facts = { issuer: 'x', publicKey: new Uint8Array(32), peer: 'x', albumId: 'x', now: 0 as Instant, revocations }
  verifyCapability({ ...facts, token, verify: () => false } as never).catch(() => {})
}

function propertiesOf(name: OperationName): Readonly<Record<string, unknown>> {
  const { properties } = schemaOf(name) as { readonly properties?: Readonly<Record<string, unknown>> }
  return properties ?? {}
}

function hashesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, '0'))
}

const question = (hashes: readonly string[]) => ({ assetId: 'x', blobHashes: hashes }) as unknown as VerifyQuestion
const held = (ciphertextHash: string) => ({ ciphertextHash, location: ciphertextHash }) as unknown as HeldBlob

/** The operation's list, filled with items of several kinds. */
function listsFor(name: 'createShare' | 'verifyStorage') {
  const member = name === 'createShare' ? 'blob_hashes' : 'assets'
  const items: readonly (readonly [what: string, item: (index: number) => unknown])[] = [
    ['hashes', (index) => index.toString(16).padStart(64, '0')],
    ['the same text', () => 'x'],
    ['objects', () => ({})],
    ['unknown members', (index) => ({ [`m${index}`]: 1 })],
    ['nulls', () => null],
  ]
  return items.map(
    ([what, item]) =>
      [
        `${name} with a list of ${what}`,
        (count: number) => ({ [member]: Array.from({ length: count }, (_, index) => item(index)) }),
        (value: unknown) => parse(schemaOf(name), value),
      ] as const,
  )
}

/** A map of `count` equal keys. */
function cborOfOneKey(count: number): Uint8Array {
  const bytes = new Uint8Array(5 + 2 * count)
  bytes.set([0xba, count >>> 24, (count >>> 16) & 255, (count >>> 8) & 255, count & 255])
  return bytes
}
