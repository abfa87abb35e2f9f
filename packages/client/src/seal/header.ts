/**
 * The header of a sealed blob: a deterministic CBOR map of text keys to scalars, padded with zeros to blocks of 1024
 * bytes, so that the length of the ciphertext does not show the length of a file name.
 */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { CborError, type CborValue, decodeCborPrefix, encodeCbor } from '@blindkeep/protocol/cbor'
import { formatInstant, parseInstant } from '@blindkeep/protocol/ids'
import { isCount } from '@blindkeep/protocol/json'
import { HEADER_BLOCK_BYTES, MAX_HEADER_BLOCKS, type MAX_HEADER_TEXT_BYTES } from '@blindkeep/protocol/suites'
import { type BatchHeader, batchHeaderIn } from './batch.ts'
import { fitsHeader, MAX_FIELD_BYTES } from './headerText.ts'
import { SealError } from './sealError.ts'

/** What the sender says. Only `size` is verified: show plain text, and make names safe before they touch a disk. */
export interface Header extends BatchHeader {
  /** Plaintext bytes of the file. The data segments may be longer: zeros after the file hide its size. */
  readonly size: number
  readonly name?: string | undefined
  /** Media type. */
  readonly type?: string | undefined
  /** RFC 3339; a decoded header has UTC with milliseconds. */
  readonly modified_at?: string | undefined
  readonly note?: string | undefined
  readonly sender?: string | undefined
  /** Of a file: what a guest has answered (`answers.ts`). */
  readonly fields?: string | undefined
  /** Of a link's title (`drops/questions.ts`). */
  readonly questions?: string | undefined
  readonly file_kinds?: string | undefined
}

const TEXT_FIELDS = ['name', 'type', 'note', 'sender'] as const
const LIST_FIELDS = ['fields', 'questions', 'file_kinds'] as const
const BATCH_FIELDS = ['batch', 'batch_index', 'batch_count'] as const

/**
 * Zero-padded CBOR of 1 to 64 blocks. Throws `RangeError` for texts that are too long, and for a size, a time or a
 * batch that a reader would refuse or pass over.
 */
export function encodeHeader(header: Header): Bytes {
  const fields = new Map<string, CborValue>([['size', header.size]])
  for (const name of [...TEXT_FIELDS, ...LIST_FIELDS]) {
    const text = header[name]
    if (text !== undefined) fields.set(name, fitting(name, portable(text)))
  }
  if (header.modified_at !== undefined) fields.set('modified_at', instant(header.modified_at))
  const batch = knownBatch(header)
  for (const name of BATCH_FIELDS) {
    const value = batch[name]
    if (value !== undefined) fields.set(name, value)
  }
  if (!isCount(header.size)) throw new RangeError('a size is an integer from 0 to 2^53-1')
  const encoded = encodeCbor(fields)
  const blocks = Math.ceil(encoded.length / HEADER_BLOCK_BYTES)
  if (blocks > MAX_HEADER_BLOCKS) throw new RangeError('the texts of a header are too long together')
  return concatBytes(encoded, new Uint8Array(blocks * HEADER_BLOCK_BYTES - encoded.length))
}

function knownBatch(header: Header): BatchHeader {
  const read = batchHeaderIn((name) => header[name])
  if (BATCH_FIELDS.some((name) => header[name] !== read[name]))
    throw new RangeError('a batch is 32 lowercase hex characters, and its position and count are small integers')
  return read
}

/** CBOR text is UTF-8, which has no lone surrogates; decoders drop a leading byte order mark. */
function portable(text: string): string {
  return text.toWellFormed().replace(/^\uFEFF+/u, '')
}

function fitting(field: keyof typeof MAX_FIELD_BYTES, text: string): string {
  if (fitsHeader(field, text)) return text
  throw new RangeError(`the ${field} of a header has at most ${MAX_FIELD_BYTES[field]} bytes`)
}

function instant(text: string): string {
  const at = parseInstant(text)
  if (at === undefined) throw new RangeError('modified_at is an RFC 3339 time')
  return formatInstant(at)
}

/** Throws `SealError` for anything but a flat map with a size, texts beyond their bounds, and other padding. */
export function decodeHeader(padded: Uint8Array): Header {
  const { fields, rest } = decodeFields(padded)
  if (rest.some((byte) => byte !== 0))
    throw new SealError('padding_not_zero', 'the padding after the header is not zero')
  for (const [name, value] of fields) {
    // Unknown fields of later versions are ignored, but only scalars: nothing that makes a reader recurse or allocate.
    if (typeof name !== 'string' || typeof value === 'object')
      throw new SealError('header_invalid', 'the header is not a flat map of names to texts and numbers')
  }
  const size: unknown = fields.get('size')
  if (!isCount(size)) throw new SealError('header_invalid', 'the header has no valid size')
  const header: Record<string, string> = {}
  for (const name of TEXT_FIELDS) if (fields.has(name)) header[name] = textField(fields, name)
  if (fields.has('modified_at')) header.modified_at = timeField(fields)
  for (const name of LIST_FIELDS) {
    const value = fields.get(name)
    if (typeof value === 'string' && fitsHeader(name, value)) header[name] = value
  }
  return { size, ...header, ...batchHeaderIn((name) => fields.get(name)) }
}

function decodeFields(padded: Uint8Array): { fields: Map<unknown, unknown>; rest: Uint8Array } {
  try {
    const { value, rest } = decodeCborPrefix(padded)
    if (value instanceof Map) return { fields: value, rest }
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new SealError('header_invalid', `the header is not readable: ${cause.message}`, { cause })
  }
  throw new SealError('header_invalid', 'the header is not a map')
}

function textField(fields: ReadonlyMap<unknown, unknown>, name: keyof typeof MAX_HEADER_TEXT_BYTES): string {
  const value = fields.get(name)
  if (typeof value !== 'string') throw new SealError('header_invalid', `the header’s ${name} is not text`)
  if (!fitsHeader(name, value)) throw new SealError('header_invalid', `the header’s ${name} is too long`)
  return value
}

function timeField(fields: ReadonlyMap<unknown, unknown>): string {
  const at = parseInstant(textField(fields, 'modified_at'))
  if (at === undefined) throw new SealError('header_invalid', 'the header’s modified_at is not an RFC 3339 time')
  return formatInstant(at)
}
