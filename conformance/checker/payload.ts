/** Fields of a receipt's signed payload and their forms (specification, AssetReceipt; vectors/README.md). */
import { readCbor } from './cbor.ts'
import type { Fault } from './fault.ts'
import type { Piece } from './form.ts'

const VERSION = 'service/receipt/1'
const ROLES = ['original', 'derivative', 'metadata', 'provenance']
const HASH_BYTES = 32
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every field by its name, hashes as lowercase hex. */
export type Fields = ReadonlyMap<string, string | number>

/** A payload in which every field has its form. */
export interface Statement {
  readonly fields: Fields
  readonly receiptSeq: number
  readonly serverId: string
  readonly receivedAt: string
  readonly priorReceiptHash: string | undefined
}

export interface ReadPayload {
  /** Absent when there is a fault. */
  readonly statement?: Statement
  /** The fields that could be read. */
  readonly fields: Fields
  readonly faults: readonly Fault[]
}

export interface Rule {
  readonly form: string
  readonly isOptional?: true
  readonly isOfForm: (value: string | number) => boolean
  readonly isHash?: true
}

export const count = { form: 'a whole number from 1 to 2^53 - 1', isOfForm: isCount } as const
const uuid = { form: 'a UUID in lowercase', isOfForm: (value: unknown) => UUID.test(String(value)) } as const
export const hash = { form: `a byte string of ${HASH_BYTES}`, isOfForm: () => true, isHash: true } as const

export const origin = { form: 'an origin', isOfForm: isOrigin } as const
export const instant = { form: 'a time in UTC with milliseconds', isOfForm: isInstant } as const
export const exactly = (text: string): Rule => ({
  form: `the text ${text}`,
  isOfForm: (value) => value === text,
})

export type Rules = ReadonlyMap<string, Rule>

const RULES: Rules = new Map<string, Rule>([
  ['version', exactly(VERSION)],
  ['server_id', origin],
  ['receipt_seq', count],
  ['prior_receipt_hash', { ...hash, isOptional: true }],
  ['upload_id', uuid],
  ['asset_id', { ...uuid, isOptional: true }],
  ['drop_id', { ...uuid, isOptional: true }],
  ['blob_role', { form: `one of ${ROLES.join(', ')}`, isOfForm: (value) => ROLES.includes(String(value)) }],
  ['ciphertext_hash', hash],
  ['size', count],
  ['envelope_hash', { ...hash, isOptional: true }],
  ['received_at', instant],
])

export function readPayload(piece: Piece): ReadPayload {
  const { fields, faults } = readFields(piece, RULES, disagreements)
  const statement = statementOf(fields)
  return faults.length > 0 || statement === undefined ? { fields, faults } : { fields, faults, statement }
}

type Payload = ReadonlyMap<unknown, unknown>
/** A field, and what is wrong with it. */
export type Disagreement = readonly [field: string, what: string]

/** Every field must be known and of its form; `disagreements` finds the fields that contradict each other. */
export function readFields(
  { offset, bytes }: Piece,
  rules: Rules,
  disagreements: (payload: Payload) => readonly Disagreement[],
): Pick<ReadPayload, 'fields' | 'faults'> {
  const fields = new Map<string, string | number>()
  const read = readCbor(bytes)
  if (!('value' in read)) {
    const what = `the payload is ${read.what}`
    return { fields, faults: [{ kind: 'payload', where: `byte ${offset + read.offset}`, what }] }
  }
  const payload = read.value
  if (!(payload instanceof Map))
    return { fields, faults: [{ kind: 'payload', where: `byte ${offset}`, what: 'the payload is no map' }] }
  const faults: Fault[] = []
  const refuse = (field: string, what: string) => void faults.push({ kind: 'payload', where: placeOf(field), what })
  for (const name of payload.keys())
    if (typeof name !== 'string' || !rules.has(name)) refuse(String(name), 'there is no such field')
  for (const [name, rule] of rules) {
    const value = plain(payload.get(name), rule)
    if (!payload.has(name)) {
      if (rule.isOptional !== true) refuse(name, 'it is missing')
    } else if (value === undefined || !rule.isOfForm(value)) refuse(name, `it must be ${rule.form}`)
    else fields.set(name, value)
  }
  for (const [field, what] of disagreements(payload))
    if (faults.every(({ where }) => where !== placeOf(field))) refuse(field, what)
  return { fields, faults }
}

const placeOf = (field: string) => `field ${field}`

/** Fields that contradict each other. */
function disagreements(payload: Payload): readonly Disagreement[] {
  const role = payload.get('blob_role')
  const isProvenance = role === 'provenance'
  const hasEnvelope = payload.has('envelope_hash')
  const rules: readonly (readonly [boolean, string, string])[] = [
    [payload.has('asset_id') && payload.has('drop_id'), 'drop_id', 'a receipt names an asset or a drop, not both'],
    [!payload.has('asset_id') && !payload.has('drop_id'), 'asset_id', 'a receipt names an asset or a drop'],
    [payload.has('drop_id') && role !== 'original', 'blob_role', 'a drop is always an original'],
    [hasEnvelope && !isProvenance, 'envelope_hash', 'only the receipt of a provenance blob has it'],
    [!hasEnvelope && isProvenance, 'envelope_hash', 'the receipt of a provenance blob has it'],
    // The provenance blob is the signed manifest, so both members hash the same bytes.
    [
      hasEnvelope && isProvenance && hex(payload.get('envelope_hash')) !== hex(payload.get('ciphertext_hash')),
      'envelope_hash',
      'it must equal the ciphertext_hash, because the provenance blob is the signed manifest',
    ],
  ]
  return broken(rules)
}

/** The rules that do not hold. */
export const broken = (rules: readonly (readonly [isBroken: boolean, ...Disagreement])[]): readonly Disagreement[] =>
  rules.filter(([isBroken]) => isBroken).map(([, field, what]) => [field, what])

function statementOf(fields: Fields): Statement | undefined {
  const text = (name: string) => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : undefined
  }
  const [receiptSeq, serverId, receivedAt] = [fields.get('receipt_seq'), text('server_id'), text('received_at')]
  if (typeof receiptSeq !== 'number' || serverId === undefined || receivedAt === undefined) return undefined
  return { fields, receiptSeq, serverId, receivedAt, priorReceiptHash: text('prior_receipt_hash') }
}

/** In the signed bytes exactly the hashes are byte strings. */
function plain(value: unknown, { isHash }: Rule): string | number | undefined {
  if (isHash === true) return value instanceof Uint8Array && value.length === HASH_BYTES ? hex(value) : undefined
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

function hex(value: unknown): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

/** The canonical form of an origin: no path, no default port, lower case (RFC 6454, section 6.2). */
export function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value
}

/** Each instant has exactly one text, so that a receipt has exactly one form. */
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false
  const instant = new Date(value)
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value
}
