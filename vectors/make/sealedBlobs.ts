import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, toHex } from '@blindkeep/protocol/bytes'
import type { CborValue } from '@blindkeep/protocol/cbor'
import { HEADER_BLOCK_BYTES, SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import { type Answers, answersText, parseAnswers } from '../../packages/client/src/seal/answers.ts'
import { NO_CONTEXT, type Purpose } from '../../packages/client/src/seal/derive.ts'
import type { Header } from '../../packages/client/src/seal/header.ts'
import { createSealer, segmentRange } from '../../packages/client/src/seal/seal.ts'
import { forgeBlob, paddedHeader } from './forgeBlob.ts'
import { BLOB_KEY, FILE_ID, OPAQUE_ID, patternBytes, SALT } from './inputs.ts'
import { sealedBlobRefusals } from './sealedBlobRefusals.ts'

/** Sealed bytes longer than this are given as their hash. */
const MAX_HEX_BYTES = 8192

interface Case {
  readonly name: string
  readonly purpose?: Purpose
  readonly contextId?: Uint8Array
  readonly header: Header
  readonly plaintextSize?: number
  readonly kemCt?: Uint8Array
}

const ANSWERS = answersText([
  ['Matter number', '2026/17'],
  ['Topic', 'Grüße – 文'],
])

const full = SEGMENT_PLAINTEXT_BYTES

const cases: readonly Case[] = [
  { name: 'an empty file', header: { size: 0 } },
  {
    name: 'one byte, every header field',
    header: {
      size: 1,
      name: 'Grüße – 文.txt',
      type: 'text/plain',
      modified_at: '2026-03-01T10:20:30.456Z',
      note: 'for you',
      sender: 'Ada',
    },
  },
  { name: 'an account key, which has no context', purpose: 'account-key', contextId: NO_CONTEXT, header: { size: 32 } },
  { name: 'a drop', contextId: OPAQUE_ID, header: { size: 300, name: 'drop.bin' }, kemCt: patternBytes(1120) },
  {
    name: 'a drop of a batch',
    contextId: OPAQUE_ID,
    header: {
      size: 5,
      name: 'photos/one.jpg',
      sender: 'Ada',
      batch: toHex(patternBytes(16)),
      batch_index: 2,
      batch_count: 7,
    },
    kemCt: patternBytes(1120),
  },
  {
    name: 'a drop with answers',
    contextId: OPAQUE_ID,
    header: { size: 5, name: 'scan.pdf', sender: 'Ada', fields: ANSWERS },
    kemCt: patternBytes(1120),
  },
  { name: 'a header of two blocks', header: { size: 5, note: 'n'.repeat(1100) } },
  { name: 'a size hidden behind zeros', header: { size: 5 }, plaintextSize: 64 },
  { name: 'one byte less than a full segment', header: { size: full - 1 } },
  { name: 'exactly one full segment, which has the flag', header: { size: full } },
  { name: 'one byte more than a full segment', header: { size: full + 1 } },
  { name: 'two full segments', header: { size: 2 * full } },
  {
    name: 'a drop of two full segments',
    contextId: OPAQUE_ID,
    header: { size: 2 * full, name: 'drop.bin' },
    kemCt: patternBytes(1120),
  },
]

async function validVector({ name, purpose = 'original', contextId = FILE_ID, header, plaintextSize, kemCt }: Case) {
  const sealer = await createSealer({ key: BLOB_KEY, purpose, contextId, header, plaintextSize, kemCt, salt: SALT })
  const plaintext = concatBytes(patternBytes(header.size), new Uint8Array(sealer.plaintextSize - header.size))
  const parts: Uint8Array[] = [sealer.prefix]
  for (let index = 0; index < sealer.segmentCount; index++) {
    const { from, to } = segmentRange(sealer, index)
    parts.push(await sealer.sealSegment(index, plaintext.subarray(from, to)))
  }
  const sealed = concatBytes(...parts)
  return {
    name,
    key: toHex(BLOB_KEY),
    purpose,
    context_id: toHex(contextId),
    salt: toHex(SALT),
    ...(kemCt === undefined ? {} : { kem_ct: toHex(kemCt) }),
    header,
    plaintext_size: sealer.plaintextSize,
    sealed_size: sealed.length,
    sealed_sha256: createHash('sha256').update(sealed).digest('hex'),
    ...(sealed.length <= MAX_HEX_BYTES ? { sealed: toHex(sealed) } : {}),
  }
}

/** No honest client makes them, and every reader opens them: `header` is what it reads. */
async function toleratedBlobs() {
  const batch = toHex(patternBytes(16))
  const forged = async (name: string, header: Header, padded: Bytes) => {
    const sealed = await forgeBlob({ header: padded, segments: [{ plaintext: patternBytes(5), last: true }] })
    return { name, header, sealed: toHex(sealed) }
  }
  const blob = (name: string, header: Header, ...fields: readonly [string, CborValue][]) =>
    forged(name, header, paddedHeader(new Map<string, CborValue>([['size', 5], ...fields])))
  const [plain, ofBatch] = [{ size: 5 }, { size: 5, batch }]
  return {
    key: toHex(BLOB_KEY),
    purpose: 'original',
    context_id: toHex(FILE_ID),
    blobs: [
      await forged(
        'more header blocks than it needs',
        plain,
        concatBytes(paddedHeader(new Map([['size', 5]])), new Uint8Array(HEADER_BLOCK_BYTES)),
      ),
      await blob('a field of a later version', plain, ['later', 'x']),
      await blob('a field of a later version: an empty text', plain, ['later', '']),
      await blob('a field of a later version: true', plain, ['later', true]),
      await blob('a field of a later version: false', plain, ['later', false]),
      await blob('a field of a later version: 2^53 - 1', plain, ['later', Number.MAX_SAFE_INTEGER]),
      await blob('a field of a later version: -(2^53 - 1)', plain, ['later', Number.MIN_SAFE_INTEGER]),
      await blob('a field of a later version: a fraction', plain, ['later', 1.5]),
      await blob('a field of a later version: a float of 2^60', plain, ['later', 2 ** 60]),
      await blob('a batch in upper case', plain, ['batch', batch.toUpperCase()], ['batch_index', 0]),
      await blob('a batch that is a number', plain, ['batch', 7]),
      await blob('a batch of 31 characters', plain, ['batch', batch.slice(1)], ['batch_count', 7]),
      await blob('a position without a batch', plain, ['batch_index', 2]),
      await blob('a position that is text', ofBatch, ['batch', batch], ['batch_index', '2']),
      await blob('a negative position', ofBatch, ['batch', batch], ['batch_index', -1]),
      await blob('a position of a million', ofBatch, ['batch', batch], ['batch_index', 1_000_000]),
      await blob('a count of 0', ofBatch, ['batch', batch], ['batch_count', 0]),
      await blob('a count of 10^9', ofBatch, ['batch', batch], ['batch_count', 1_000_000_000]),
      await blob('answers that are a number', plain, ['fields', 7]),
      await blob('answers of 8001 bytes', plain, ['fields', `[]${' '.repeat(7999)}`]),
      await blob('a count with a fraction', ofBatch, ['batch', batch], ['batch_count', 1.5]),
    ],
  }
}

/** `fields` of a header. A reader shows what it reads, and passes over the others, and opens the file. */
const fields = {
  read: [
    { name: 'answers', text: ANSWERS, answers: [...answersIn(ANSWERS)] },
    { name: 'no answers', text: '[]', answers: [] },
    {
      name: 'not one line, or nothing to read',
      text: '[["a"," one\\ntwo "],["b","x\\u202efdp"],["c"," "],["\\u200e","y"],["d","\\u200b\\u3164"]]',
      answers: [
        ['a', 'one two'],
        ['b', 'xfdp'],
      ],
    },
    {
      name: 'a label twice',
      text: '[["a","1"],["a","2"]]',
      answers: [
        ['a', '1'],
        ['a', '2'],
      ],
    },
  ],
  passed_over: Object.entries({
    'no JSON': '[[',
    'an object': '{"a":"b"}',
    'a pair of three': '[["a","b","c"]]',
    'a number': '[["a",1]]',
    'a pair that is an object': '[{"0":"a","1":"b"}]',
    'a label of 201 bytes': JSON.stringify([['x'.repeat(201), 'b']]),
    'an answer of 2001 bytes': JSON.stringify([['a', 'x'.repeat(2001)]]),
    'eleven answers': JSON.stringify(Array.from({ length: 11 }, (_, index) => [`${index}`, 'b'])),
    'of 8001 bytes': `[]${' '.repeat(7999)}`,
  }).map(([name, text]) => ({ name, text })),
}

function answersIn(text: string): Answers {
  const answers = parseAnswers(text)
  if (answers === undefined) throw new Error('a reader passes over the answers of the vectors')
  return answers
}

export async function sealedBlobVectors() {
  const valid = []
  for (const one of cases) valid.push(await validVector(one))
  return {
    plaintext: 'byte i is i mod 251, up to header.size; zeros after it',
    valid,
    fields,
    tolerated: await toleratedBlobs(),
    invalid: await sealedBlobRefusals(),
  }
}
