import { type Bytes, concatBytes, fromHex, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { SEGMENT_PLAINTEXT_BYTES, SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import type { SealFault } from '../../packages/client/src/seal/sealError.ts'
import { type Forgery, forgeBlob, padded, paddedHeader } from './forgeBlob.ts'
import { BLOB_KEY, FILE_ID, patternBytes } from './inputs.ts'

interface Refusal {
  readonly name: string
  readonly reason: SealFault
  readonly sealed: Uint8Array
}

const map = (...entries: readonly [string | number, CborValue][]) => new Map(entries)
const sized = (size: CborValue, ...more: readonly [string | number, CborValue][]) =>
  paddedHeader(map(['size', size], ...more))
/** `value`: hex of the CBOR under a key that no reader knows. */
const later = (value: string) => padded(fromHex(`a26473697a6505656c61746572${value}`))
const letters = (count: number, last = true): { plaintext: Bytes; last: boolean } => ({
  plaintext: patternBytes(count),
  last,
})

function flip(bytes: Uint8Array, at: number): Bytes {
  const altered = Uint8Array.from(bytes)
  altered[at] = (altered[at] ?? 0) ^ 1
  return altered
}

const PREAMBLE = 1 + 16 + 32 + 1
const PREFIX = PREAMBLE + 1024 + TAG_BYTES

async function formRefusals(): Promise<Refusal[]> {
  const good = await forgeBlob({ header: sized(5), segments: [letters(5)] })
  const forged = (forgery: Forgery) => forgeBlob({ segments: [letters(5)], ...forgery })
  return [
    { name: 'nothing', reason: 'truncated', sealed: new Uint8Array(0) },
    { name: 'format 0', reason: 'unknown_format', sealed: await forged({ format: 0 }) },
    { name: 'format 3', reason: 'unknown_format', sealed: await forged({ format: 3 }) },
    { name: 'another salt', reason: 'wrong_key', sealed: flip(good, 1) },
    { name: 'another commitment', reason: 'wrong_key', sealed: flip(good, 17) },
    { name: 'another purpose', reason: 'wrong_key', sealed: await forged({ purpose: 'metadata', header: sized(5) }) },
    { name: 'no header blocks', reason: 'header_blocks', sealed: await forged({ headerBlocks: 0, header: sized(5) }) },
    { name: '65 header blocks', reason: 'header_blocks', sealed: await forged({ headerBlocks: 65, header: sized(5) }) },
    { name: 'the number of header blocks altered', reason: 'truncated', sealed: replaceAt(good, PREAMBLE - 1, 2) },
    { name: 'the header altered', reason: 'header_altered', sealed: flip(good, PREAMBLE + 7) },
    { name: 'the header’s tag altered', reason: 'header_altered', sealed: flip(good, PREFIX - 1) },
    { name: 'cut inside the commitment', reason: 'truncated', sealed: good.subarray(0, 30) },
    { name: 'cut inside the header', reason: 'truncated', sealed: good.subarray(0, PREFIX - 1) },
    { name: 'cut before the first segment', reason: 'truncated', sealed: good.subarray(0, PREFIX) },
    { name: 'cut inside the first tag', reason: 'truncated', sealed: good.subarray(0, PREFIX + TAG_BYTES - 1) },
    { name: 'cut inside the only segment', reason: 'altered', sealed: good.subarray(0, good.length - 1) },
    { name: 'the content altered', reason: 'altered', sealed: flip(good, PREFIX + 2) },
    { name: 'the content’s tag altered', reason: 'altered', sealed: flip(good, good.length - 1) },
    { name: 'a byte after a short last segment', reason: 'altered', sealed: concatBytes(good, Uint8Array.of(0)) },
    {
      name: 'no last flag',
      reason: 'truncated',
      sealed: await forged({ header: sized(5), segments: [letters(5, false)] }),
    },
    {
      name: 'the counter does not start at 1',
      reason: 'altered',
      sealed: await forged({ header: sized(5), segments: [{ ...letters(5), counter: 2 }] }),
    },
    {
      name: 'a size beyond the plaintext',
      reason: 'size_beyond_plaintext',
      sealed: await forged({ header: sized(6) }),
    },
    {
      name: 'a size beyond an empty plaintext',
      reason: 'size_beyond_plaintext',
      sealed: await forged({ header: sized(1), segments: [letters(0)] }),
    },
    {
      name: 'something after the size that is not zero',
      reason: 'padding_not_zero',
      sealed: await forged({ header: sized(3) }),
    },
  ]
}

function replaceAt(bytes: Uint8Array, at: number, value: number): Bytes {
  const altered = Uint8Array.from(bytes)
  altered[at] = value
  return altered
}

async function headerRefusals(): Promise<Refusal[]> {
  const invalid = async (name: string, header: Uint8Array, reason: SealFault = 'header_invalid'): Promise<Refusal> => ({
    name: `header: ${name}`,
    reason,
    sealed: await forgeBlob({ header, segments: [letters(5)] }),
  })
  const hidden = padded(encodeCbor(map(['size', 5])))
  hidden[1023] = 1
  return [
    await invalid('padding that is not zero', hidden, 'padding_not_zero'),
    await invalid(
      'a second value behind the map',
      padded(concatBytes(encodeCbor(map(['size', 5])), encodeCbor('more'))),
      'padding_not_zero',
    ),
    await invalid('no size', paddedHeader(map(['name', 'x']))),
    await invalid('only zeros', new Uint8Array(1024)),
    await invalid('no map', paddedHeader([5])),
    await invalid('a nested map', sized(5, ['extra', map(['a', 1])])),
    await invalid('a nested list', sized(5, ['extra', [1]])),
    await invalid('bytes', sized(5, ['extra', Uint8Array.of(1)])),
    await invalid('null', sized(5, ['name', null])),
    await invalid('null under an unknown key', sized(5, ['later', null])),
    await invalid('undefined', later('f7')),
    await invalid('a simple value', later('f0')),
    await invalid('an integer of 2^53', later('1b0020000000000000')),
    await invalid('an integer of -2^53', later('3b001fffffffffffff')),
    await invalid('a float of 1', later('f93c00')),
    await invalid('a float of -0', later('f98000')),
    await invalid('a float in more bytes than it needs', later('fb3ff8000000000000')),
    await invalid('a float that is infinite', later('f97c00')),
    await invalid('a float that is no number', later('f97e00')),
    await invalid('a key that is a number', sized(5, [1, 'x'])),
    await invalid('a name that is a number', sized(5, ['name', 7])),
    await invalid('a type of more than 255 bytes', sized(5, ['type', 't'.repeat(256)])),
    await invalid('a size that is text', sized('5')),
    await invalid('a negative size', sized(-5)),
    await invalid('a size with a fraction', sized(4.5)),
    await invalid('a size of 2^53', padded(fromHex('a16473697a651b0020000000000000'))),
    await invalid('a size in more bytes than it needs', padded(fromHex('a16473697a651805'))),
    await invalid('a key twice', padded(fromHex('a26473697a65056473697a6505'))),
    await invalid('keys out of order', padded(concatBytes(fromHex('a26473697a6505'), fromHex('646e616d656178')))),
    await invalid('an indefinite map', padded(fromHex('bf6473697a6505ff'))),
    await invalid('a tag', padded(fromHex('c1a16473697a6505'))),
    await invalid('text that is not UTF-8', padded(fromHex('a2646e616d6562c3286473697a6505'))),
    await invalid('a modified_at that is no time', sized(5, ['modified_at', 'yesterday'])),
    await invalid('a modified_at of a day that does not exist', sized(5, ['modified_at', '2026-02-30T00:00:00Z'])),
    await invalid(
      'a text that goes on beyond the blocks',
      padded(concatBytes(fromHex('a26473697a650564'), utf8('note'), fromHex('7a00100000'))),
    ),
    await invalid('nesting without end', new Uint8Array(8 * 1024).fill(0x81)),
  ]
}

/** These blobs are long, so each is given as the beginning of a valid blob and the bytes behind it. */
async function segmentRefusals() {
  const header = sized(2 * SEGMENT_PLAINTEXT_BYTES)
  const segment = async (plaintext: Uint8Array, counter: number) => {
    const sealed = await forgeBlob({ header, segments: [{ plaintext, last: true, counter }] })
    return toHex(sealed.subarray(PREFIX))
  }
  const from = 'two full segments'
  const edge = PREFIX + SEGMENT_SEALED_BYTES
  const whole = edge + SEGMENT_SEALED_BYTES
  const one = Uint8Array.of(1)
  return [
    { name: 'cut at a segment’s edge', reason: 'truncated', from, keep: edge, append: '' },
    { name: 'cut inside the last segment', reason: 'altered', from, keep: whole - 1, append: '' },
    { name: 'a byte after the last segment', reason: 'trailing_data', from, keep: whole, append: '00' },
    { name: 'a segment after the last one', reason: 'trailing_data', from, keep: whole, append: await segment(one, 3) },
    {
      name: 'an empty segment after a full one',
      reason: 'empty_segment',
      from,
      keep: edge,
      append: await segment(new Uint8Array(0), 2),
    },
    { name: 'a segment out of its place', reason: 'altered', from, keep: edge, append: await segment(one, 3) },
    {
      name: 'fewer bytes than the size, with the flag',
      reason: 'size_beyond_plaintext',
      from,
      keep: edge,
      append: await segment(one, 2),
    },
  ] as const
}

export async function sealedBlobRefusals() {
  const small = [...(await formRefusals()), ...(await headerRefusals())]
  return {
    key: toHex(BLOB_KEY),
    purpose: 'original',
    context_id: toHex(FILE_ID),
    blobs: small.map(({ name, reason, sealed }) => ({ name, reason, sealed: toHex(sealed) })),
    edits: await segmentRefusals(),
  }
}
