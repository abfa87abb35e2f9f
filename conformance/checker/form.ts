/**
 * The outer form of a receipt or a statement (RFC 9052, COSE_Sign), read twice: a template says where in the bytes each
 * part must be, and the CBOR library must read the same parts. Of the 3.9 KiB of a receipt only payload, key ids and
 * signatures vary; everything else is fixed.
 */
import { Tag } from 'cbor2'
import { firstDifference, readCbor, writeCbor } from './cbor.ts'
import type { Fault } from './fault.ts'

/** Longer messages are refused unread. A usual one has about 3.9 KiB. */
const MAX_RECEIPT_BYTES = 16_384
const COSE_SIGN = 98
const RECEIPT = 'application/service-receipt+cbor'
const KEY_ID_BYTES = 32

export type Algorithm = 'Ed25519' | 'ML-DSA-65'

/** In the order of the receipt, with their COSE algorithm numbers. */
const SIGNERS = [
  { algorithm: 'Ed25519', number: -19, bytes: 64 },
  { algorithm: 'ML-DSA-65', number: -49, bytes: 3309 },
] as const

/** Bytes of a receipt, and where they start. */
export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}

export interface SignerPart {
  readonly algorithm: Algorithm
  readonly keyId: Piece
  readonly signature: Piece
  /** The Sig_structure of RFC 9052, section 4.4. */
  readonly toBeSigned: Uint8Array
}

export interface Form {
  readonly payload: Piece
  readonly signers: readonly SignerPart[]
}

/** A section of the template: `fixed` bytes, or `length` bytes of any content. */
interface Section {
  readonly name: string
  readonly fixed?: Uint8Array
  readonly length: number
}

export function readForm(cbor: Uint8Array, contentType = RECEIPT): Form | Fault {
  if (cbor.length > MAX_RECEIPT_BYTES)
    return fault(
      `byte ${MAX_RECEIPT_BYTES}`,
      `a receipt has at most ${MAX_RECEIPT_BYTES} bytes, this has ${cbor.length}`,
    )
  const pieces = walk(cbor, beforePayload(contentType))
  if ('what' in pieces) return pieces
  const form = formOf(pieces, contentType)
  return form === undefined || !isReadTheSame(cbor, form)
    ? fault('byte 0', 'the CBOR library reads other parts than the template')
    : form
}

const fault = (where: string, what: string): Fault => ({ kind: 'form', where, what })

function protectedHeader(algorithm: Algorithm, number: number): readonly Section[] {
  const whole = writeCbor(
    writeCbor(new Map<number, unknown>([[1, number] as const, [4, new Uint8Array(KEY_ID_BYTES)] as const])),
  )
  return [
    fixed(`the protected header of the ${algorithm} signature`, whole.subarray(0, -KEY_ID_BYTES)),
    free('a key id', KEY_ID_BYTES),
  ]
}

const beforePayload = (contentType: string): readonly Section[] => [
  fixed('the tag 98 of COSE_Sign around a list of four', Uint8Array.of(0xd8, COSE_SIGN, 0x84)),
  fixed('the protected header of the body', writeCbor(writeCbor(new Map([[3, contentType]])))),
  fixed('the empty unprotected header of the body', writeCbor(new Map())),
]
const AFTER_PAYLOAD: readonly Section[] = [
  fixed('a list of two signatures', Uint8Array.of(0x82)),
  ...SIGNERS.flatMap(({ algorithm, number, bytes }) => [
    fixed(`the ${algorithm} signature as a list of three`, Uint8Array.of(0x83)),
    ...protectedHeader(algorithm, number),
    fixed(`the empty unprotected header of the ${algorithm} signature`, writeCbor(new Map())),
    fixed(`the length of the ${algorithm} signature`, headOf(bytes)),
    free(`the ${algorithm} signature`, bytes),
  ]),
]
const sum = (sections: readonly Section[]) => sections.reduce((total, { length }) => total + length, 0)

function fixed(name: string, bytes: Uint8Array): Section {
  return { name, fixed: bytes, length: bytes.length }
}

function free(name: string, length: number): Section {
  return { name, length }
}

/** The initial bytes of a byte string of this length. */
function headOf(length: number): Uint8Array {
  const whole = writeCbor(new Uint8Array(length))
  return whole.subarray(0, whole.length - length)
}

/**
 * The length of the payload. Both its own head and the length of the receipt give it. When they differ, the one counts
 * with which the rest fits the template. So a fault is reported where it is: in the head, or behind the payload.
 */
function payloadLengthOf(cbor: Uint8Array, payloadAt: number): number {
  const left = cbor.length - payloadAt - sum(AFTER_PAYLOAD)
  const remaining = [1, 2, 3]
    .map((bytes) => left - bytes)
    .find((length) => length >= 0 && headOf(length).length === left - length)
  const stated = statedLength(cbor.subarray(payloadAt))
  if (remaining === undefined) return stated ?? 0
  if (stated === undefined || stated === remaining) return remaining
  const deviation = deviationIn(cbor.subarray(cbor.length - sum(AFTER_PAYLOAD)), AFTER_PAYLOAD)
  return deviation === undefined ? remaining : stated
}

/** The length in the head of a byte string, when it has the size of a payload. */
function statedLength([head = 0, high = 0, low = 0]: Uint8Array): number | undefined {
  if (head >= 0x40 && head <= 0x57) return head - 0x40
  if (head === 0x58) return high
  return head === 0x59 ? high * 256 + low : undefined
}

type Pieces = readonly (Piece & { readonly name: string })[]

function walk(cbor: Uint8Array, before: readonly Section[]): Pieces | Fault {
  const payloadLength = payloadLengthOf(cbor, sum(before))
  const payload = [fixed('the length of the payload', headOf(payloadLength)), free('the payload', payloadLength)]
  const sections = [...before, ...payload, ...AFTER_PAYLOAD]
  const deviation = deviationIn(cbor, sections)
  if (deviation !== undefined) return fault(`byte ${deviation.offset}`, deviation.what)
  const pieces: { name: string; offset: number; bytes: Uint8Array }[] = []
  let offset = 0
  for (const { name, fixed: isFixed, length } of sections) {
    if (isFixed === undefined)
      pieces.push({ name, offset, bytes: Uint8Array.from(cbor.subarray(offset, offset + length)) })
    offset += length
  }
  return pieces
}

interface Deviation {
  readonly offset: number
  readonly what: string
}

/** The first byte that differs from the template, is missing, or is too much. */
function deviationIn(cbor: Uint8Array, sections: readonly Section[]): Deviation | undefined {
  let offset = 0
  for (const { name, fixed: wanted, length } of sections) {
    const found = cbor.subarray(offset, offset + length)
    const at = wanted === undefined ? undefined : firstDifference(found, wanted)
    if (found.length < length && at === found.length)
      return { offset: cbor.length, what: `the receipt ends before ${name}` }
    if (at !== undefined) return { offset: offset + at, what: `expected ${name}` }
    if (found.length < length) return { offset: cbor.length, what: `the receipt ends inside ${name}` }
    offset += length
  }
  return cbor.length > offset ? { offset, what: 'more bytes follow the end of the receipt' } : undefined
}

function formOf(pieces: Pieces, contentType: string): Form | undefined {
  const [payload, ...rest] = pieces
  if (payload === undefined) return undefined
  const signers = SIGNERS.flatMap(({ algorithm, number }, index): readonly SignerPart[] => {
    const [keyId, signature] = [rest[2 * index], rest[2 * index + 1]]
    if (keyId === undefined || signature === undefined) return []
    return [
      {
        algorithm,
        keyId,
        signature,
        toBeSigned: toBeSigned({ contentType, number, keyId: keyId.bytes, payload: payload.bytes }),
      },
    ]
  })
  return signers.length === SIGNERS.length ? { payload, signers } : undefined
}

interface Signed {
  readonly contentType: string
  readonly number: number
  readonly keyId: Uint8Array
  readonly payload: Uint8Array
}

function toBeSigned({ contentType, number, keyId, payload }: Signed): Uint8Array {
  const body = writeCbor(new Map([[3, contentType]]))
  const head = writeCbor(new Map<number, unknown>([[1, number] as const, [4, keyId] as const]))
  return writeCbor(['Signature', body, head, new Uint8Array(0), payload])
}

/** The library decodes the receipt, re-encodes it to the same bytes, and finds the same parts as the template. */
function isReadTheSame(cbor: Uint8Array, { payload, signers }: Form): boolean {
  const read = readCbor(cbor)
  if (!('value' in read) || !(read.value instanceof Tag) || read.value.tag !== COSE_SIGN) return false
  const [, , content, signatures]: readonly unknown[] = Array.isArray(read.value.contents) ? read.value.contents : []
  if (!isBytes(content, payload.bytes) || !Array.isArray(signatures) || signatures.length !== signers.length)
    return false
  return signers.every(({ signature }, index) => isBytes(signatures[index]?.[2], signature.bytes))
}

function isBytes(value: unknown, wanted: Uint8Array): boolean {
  return value instanceof Uint8Array && firstDifference(value, wanted) === undefined
}
