/**
 * The answer of `moves`: the signed statements by which a server changed its name and its attestation key, and the name
 * under which each key has signed.
 */
import { createHash } from 'node:crypto'
import type { Fault } from './fault.ts'
import { type Form, readForm } from './form.ts'
import { fromBase64, isObject, type PublishedKey, type PublishedKeys } from './keys.ts'
import {
  broken,
  count,
  type Disagreement,
  exactly,
  type Fields,
  hash,
  instant,
  origin,
  type Rule,
  type Rules,
  readFields,
} from './payload.ts'
import { keyIdOf, signatureFaults } from './receipt.ts'
import type { Verify } from './signatures.ts'

/** What one key may have signed. */
export interface Era {
  readonly serverId: string
  /** The statement that begins it: the newest receipt before it. */
  readonly after: Head
  /** The statement that ends it; absent for the active key. */
  readonly upTo?: Head
  /** When the server gave up this name; absent while it has it. */
  readonly until?: string
}

/** Number 0 without a hash when there was no receipt. */
interface Head {
  readonly receiptSeq: number
  readonly hash: string | undefined
}

export interface Moves {
  /** By key id; empty when there are faults. */
  readonly eras: ReadonlyMap<string, Era>
  readonly faults: readonly Fault[]
}

type Kind = 'move' | 'rotation'

const head = [
  ['last_receipt_seq', { ...count, isOptional: true }],
  ['last_receipt_hash', { ...hash, isOptional: true }],
] as const
const keys = [
  ['old_key', hash],
  ['new_key', hash],
] as const
const FORMS: Readonly<Record<Kind, { readonly contentType: string; readonly rules: Rules }>> = {
  move: {
    contentType: 'application/service-move+cbor',
    rules: new Map<string, Rule>([
      ['version', exactly('service/move/1')],
      ['number', count],
      ['prior_move_hash', { ...hash, isOptional: true }],
      ['from', origin],
      ['to', origin],
      ...keys,
      ...head,
      ['moved_at', instant],
    ]),
  },
  rotation: {
    contentType: 'application/service-rotation+cbor',
    rules: new Map<string, Rule>([
      ['version', exactly('service/rotation/1')],
      ['server_id', origin],
      ...keys,
      ...head,
      ['rotated_at', instant],
    ]),
  },
}

interface Statement {
  readonly kind: Kind
  readonly where: string
  readonly fields: Fields
  /** SHA-256 of the payload. */
  readonly hash: string
}

/** Undefined when the document is no answer of `moves`. */
export function readMoves(document: unknown, published: PublishedKeys, verify: Verify): Moves | undefined {
  if (!isObject(document) || typeof document.server_id !== 'string') return undefined
  if (!Array.isArray(document.moves) || !Array.isArray(document.rotations)) return undefined
  const faults: Fault[] = []
  const refuse = (where: string, what: string) => void faults.push({ kind: 'keys', where, what })
  if (document.server_id !== published.serverId) refuse('moves, server_id', `it is not ${published.serverId}`)
  const read = (entries: readonly unknown[], kind: Kind) =>
    entries.flatMap((entry, index) => {
      const where = `${kind} ${index + 1}`
      const statement = readStatement(entry, { kind, where, published, verify })
      if (!Array.isArray(statement)) return [statement]
      for (const fault of statement) refuse(where, `${fault.where}: ${fault.what}`)
      return []
    })
  const statements = { move: read(document.moves, 'move'), rotation: read(document.rotations, 'rotation') }
  if (faults.length > 0) return { eras: new Map(), faults }
  refuseNumbers(statements.move, refuse)
  const eras = erasOf(published, [...statements.move, ...statements.rotation], refuse)
  return { eras: faults.length > 0 ? new Map() : eras, faults }
}

interface Against {
  readonly kind: Kind
  readonly where: string
  readonly published: PublishedKeys
  readonly verify: Verify
}

function readStatement(entry: unknown, { kind, where, published, verify }: Against): Statement | Fault[] {
  const { contentType, rules } = FORMS[kind]
  const refuse = (member: string, what: string): Fault[] => [{ kind: 'keys', where: member, what }]
  if (!isObject(entry)) return refuse('whole', 'it is no object')
  const forms: Form[] = []
  for (const member of ['leave', 'arrive'] as const) {
    const text = entry[member]
    const cbor = typeof text === 'string' ? fromBase64(text) : undefined
    if (cbor === undefined) return refuse(member, 'it is not padded base64 of the standard alphabet')
    const form = readForm(cbor, contentType)
    if ('what' in form) return [form]
    forms.push(form)
  }
  const [leave, arrive] = forms
  if (leave === undefined || arrive === undefined) return refuse('whole', 'it is not two messages')
  if (!Buffer.from(leave.payload.bytes).equals(arrive.payload.bytes))
    return refuse('arrive', 'its payload is not that of leave')
  const { fields, faults } = readFields(leave.payload, rules, (payload) => disagreements(kind, payload))
  if (faults.length > 0) return [...faults]
  const [old, next] = [fields.get('old_key'), fields.get('new_key')]
  const found = [...signedBy(leave, old, { published, verify }), ...signedBy(arrive, next, { published, verify })]
  const payloadHash = createHash('sha256').update(leave.payload.bytes).digest('hex')
  return found.length > 0 ? found : { kind, where, fields, hash: payloadHash }
}

function signedBy(form: Form, keyId: unknown, { published, verify }: Pick<Against, 'published' | 'verify'>): Fault[] {
  const isBoth = form.signers.every((signer) => Buffer.from(signer.keyId.bytes).toString('hex') === keyId)
  const key = published.keys.find((one) => one.keyId === keyIdOf(form))
  if (!isBoth) return [{ kind: 'keys', where: 'key id', what: `it is not ${String(keyId)}, which the statement names` }]
  return key === undefined
    ? [{ kind: 'keys', where: 'key id', what: `the key ${String(keyId)} is not published` }]
    : [...signatureFaults(form, key, verify)]
}

function disagreements(kind: Kind, payload: ReadonlyMap<unknown, unknown>): readonly Disagreement[] {
  const hex = (name: string) => {
    const bytes = payload.get(name)
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : undefined
  }
  const isFirst = payload.get('number') === 1
  const isMove = kind === 'move'
  return broken([
    [hex('old_key') === hex('new_key'), 'new_key', 'it is the old key'],
    [
      payload.has('last_receipt_seq') !== payload.has('last_receipt_hash'),
      'last_receipt_hash',
      'the newest receipt has a number and a hash',
    ],
    [isMove && payload.get('from') === payload.get('to'), 'to', 'it is the same as from'],
    [isMove && isFirst === payload.has('prior_move_hash'), 'prior_move_hash', 'all moves but the first have it'],
  ])
}

type Refuse = (where: string, what: string) => void

function refuseNumbers(moves: readonly Statement[], refuse: Refuse): void {
  for (const [index, { where, fields }] of moves.entries()) {
    if (fields.get('number') !== index + 1) refuse(where, `its number must be ${index + 1}`)
    if (fields.get('prior_move_hash') !== moves[index - 1]?.hash)
      refuse(where, 'its prior_move_hash is not the hash of the move before it')
  }
}

/** Each key but the first begins with exactly one statement. The lists are in the order of the keys. */
function erasOf(published: PublishedKeys, statements: readonly Statement[], refuse: Refuse): ReadonlyMap<string, Era> {
  const pairs = published.keys.slice(1).map((key, index) => {
    const before = published.keys[index]
    const about = statements.filter(({ fields }) => fields.get('new_key') === key.keyId)
    const where = `key ${index + 2}`
    if (about.length === 0) refuse(where, 'no statement says that it begins')
    for (const one of about) refuseBetween(one, { before, key, refuse })
    return about[0]
  })
  const order = statements.toSorted((one, other) => pairs.indexOf(one) - pairs.indexOf(other))
  for (const kind of ['move', 'rotation'] as const)
    if (!isSameList(ofKind(order, kind), ofKind(statements, kind))) refuse(`${kind}s`, 'the oldest must come first')
  for (const statement of statements)
    if (!pairs.includes(statement)) refuse(statement.where, 'it begins no published key, or one that has begun before')
  return namedEras(published, pairs, refuse)
}

const ofKind = (statements: readonly Statement[], kind: Kind) => statements.filter((one) => one.kind === kind)
const isSameList = (one: readonly unknown[], other: readonly unknown[]) =>
  one.every((element, index) => element === other[index])

interface Between {
  readonly before: PublishedKey | undefined
  readonly key: PublishedKey
  readonly refuse: Refuse
}

function refuseBetween({ where, fields, kind }: Statement, { before, key, refuse }: Between): void {
  if (fields.get('old_key') !== before?.keyId) refuse(where, 'its old key is not the one before the new key')
  const at = Date.parse(String(fields.get(kind === 'move' ? 'moved_at' : 'rotated_at')))
  if (at !== before?.activeToMs || at !== key.activeFromMs) refuse(where, 'its time is not that of its keys')
}

function namedEras(
  published: PublishedKeys,
  pairs: readonly (Statement | undefined)[],
  refuse: Refuse,
): ReadonlyMap<string, Era> {
  const eras = new Map<string, Era>()
  const first = pairs.find((statement) => statement?.kind === 'move')
  let name = String(first?.fields.get('from') ?? published.serverId)
  let after: Head = { receiptSeq: 0, hash: undefined }
  for (const [index, { keyId }] of published.keys.entries()) {
    const end = pairs[index]
    const upTo = end === undefined ? undefined : headOf(end)
    const left = pairs
      .slice(index)
      .find((statement) => statement?.kind === 'move')
      ?.fields.get('moved_at')
    eras.set(keyId, {
      serverId: name,
      after,
      ...(upTo === undefined ? {} : { upTo }),
      ...(typeof left === 'string' ? { until: left } : {}),
    })
    if (end === undefined || upTo === undefined) continue
    if (end.fields.get(end.kind === 'move' ? 'from' : 'server_id') !== name)
      refuse(end.where, `the server was ${name} before it`)
    const falls = upTo.receiptSeq < after.receiptSeq
    if (falls || (upTo.receiptSeq === after.receiptSeq && upTo.hash !== after.hash))
      refuse(end.where, 'its newest receipt does not continue that of the statement before it')
    if (end.kind === 'move') name = String(end.fields.get('to'))
    after = upTo
  }
  if (name !== published.serverId) refuse('server_id', `the last statement leads to ${name}`)
  return eras
}

function headOf({ fields }: Statement): Head {
  const [receiptSeq, hashOfIt] = [fields.get('last_receipt_seq'), fields.get('last_receipt_hash')]
  return {
    receiptSeq: typeof receiptSeq === 'number' ? receiptSeq : 0,
    hash: typeof hashOfIt === 'string' ? hashOfIt : undefined,
  }
}

interface Placed {
  readonly receiptSeq: number
  readonly receiptHash: string
  readonly priorReceiptHash: string | undefined
}

/** What a statement of the server says against a receipt whose signatures verify. */
export function denials({ receiptSeq, receiptHash, priorReceiptHash }: Placed, era: Era): readonly Fault[] {
  const { after, upTo } = era
  const deny = (field: string, what: string): Fault[] => [
    {
      kind: 'denied',
      where: `field ${field}`,
      what: `${what}: the server has forgotten or denies what its key signed, or the key was stolen`,
    },
  ]
  if (receiptSeq <= after.receiptSeq)
    return deny('receipt_seq', `the server says that its key began after receipt ${after.receiptSeq}`)
  if (upTo !== undefined && receiptSeq > upTo.receiptSeq)
    return deny('receipt_seq', `the server says that receipt ${upTo.receiptSeq} was the last of its key`)
  if (receiptSeq === upTo?.receiptSeq && receiptHash !== upTo.hash)
    return deny('receipt_seq', 'the server says that another receipt has this number')
  if (receiptSeq === after.receiptSeq + 1 && priorReceiptHash !== after.hash)
    return deny('prior_receipt_hash', `the server says that another receipt ${after.receiptSeq} comes before it`)
  return []
}
