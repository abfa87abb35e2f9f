/** Checks one receipt by itself and with the published keys. */
import { createHash } from 'node:crypto'
import type { Link } from './chain.ts'
import type { Fault } from './fault.ts'
import { type Form, type Piece, readForm, type SignerPart } from './form.ts'
import type { Item } from './input.ts'
import { fromBase64, isObject, type Members, type PublishedKey, type PublishedKeys } from './keys.ts'
import { type ReadPayload, readPayload, type Statement } from './payload.ts'
import { readingFaults, statedSeq } from './reading.ts'
import type { Verify } from './signatures.ts'

export interface Judgement {
  readonly receiptSeq: number | undefined
  readonly serverId: string | undefined
  readonly faults: readonly Fault[]
  /** Its position in the chain; undefined when its receipt_seq is unknown. */
  readonly link: Omit<Link, 'position'> | undefined
}

interface Against {
  readonly keys: PublishedKeys | undefined
  readonly verify: Verify
}

export function judgeReceipt(item: Item, { keys, verify }: Against): Judgement {
  const reading = isObject(item.value) ? item.value : undefined
  const cbor = bytesOf(item, reading)
  const form = cbor instanceof Uint8Array ? readForm(cbor) : cbor
  if (!(cbor instanceof Uint8Array) || 'what' in form) {
    const fault = 'what' in form ? [form] : []
    return { receiptSeq: statedSeq(reading), serverId: undefined, faults: fault, link: positionOf(statedSeq(reading)) }
  }
  const payload = readPayload(form.payload)
  const key = keyFor(form, keys)
  const signatures = 'what' in key ? [key] : signatureFaults(form, key.key, verify)
  const { statement } = payload
  const faults = [
    ...payload.faults,
    ...signatures,
    ...jsonFaults(item, reading, { payload, form }),
    ...(statement === undefined ? [] : windowFaults(statement, 'what' in key ? undefined : key.key)),
  ]
  const isSigned = signatures.length === 0
  const seq = seqOf({ isSigned, payload, reading })
  const keyIndex = keys?.keys.findIndex(({ keyId }) => keyId === keyIdOf(form))
  const link = isSigned && statement !== undefined ? linkOf(statement, { cbor, keyIndex }) : positionOf(seq)
  return { receiptSeq: seq, serverId: statement?.serverId, faults, link }
}

function bytesOf({ value, unreadable }: Item, reading: Members | undefined): Uint8Array | Fault {
  const refuse = (where: string, what: string): Fault => ({ kind: 'unreadable', where, what })
  if (unreadable !== undefined) return refuse('whole', unreadable)
  const text = reading === undefined ? value : reading.receipt_cbor
  const where = reading === undefined ? 'whole' : 'field receipt_cbor'
  if (typeof text !== 'string') return refuse(where, 'expected a receipt: an AssetReceipt object, or its receipt_cbor')
  return fromBase64(text) ?? refuse(where, 'it is not padded base64 of the standard alphabet')
}

/** The key to verify with, undefined without published keys; or the fault of its key ids. */
function keyFor(
  { signers }: Form,
  keys: PublishedKeys | undefined,
): Fault | { readonly key: PublishedKey | undefined } {
  const [first, second] = signers.map(({ keyId }) => keyId)
  if (first === undefined || second === undefined || hex(first) !== hex(second))
    return {
      kind: 'form',
      where: signers.map(({ keyId }) => spanOf(keyId)).join(' and '),
      what: 'the two signatures name different keys',
    }
  if (keys === undefined) return { key: undefined }
  const key = keys.keys.find(({ keyId }) => keyId === hex(first))
  return key === undefined
    ? { kind: 'key', where: `key id, ${spanOf(first)}`, what: `the key ${hex(first)} is not published` }
    : { key }
}

export function signatureFaults({ signers }: Form, key: PublishedKey | undefined, verify: Verify): readonly Fault[] {
  if (key === undefined) return []
  const failed = ({ algorithm, signature, toBeSigned }: SignerPart) =>
    !verify(algorithm, {
      publicKey: algorithm === 'Ed25519' ? key.ed25519 : key.mlDsa65,
      message: toBeSigned,
      signature: signature.bytes,
    })
  return signers.filter(failed).map(({ algorithm, signature }) => ({
    kind: 'signature',
    where: `${algorithm} signature, ${spanOf(signature)}`,
    what: 'it does not verify: the signed bytes or the signature have changed',
  }))
}

interface Opened {
  readonly payload: ReadPayload
  readonly form: Form
}

/** Compares the JSON around the bytes with them: the other members, and the asset of the answer. */
function jsonFaults({ answer }: Item, reading: Members | undefined, { payload, form }: Opened): readonly Fault[] {
  const { fields, statement } = payload
  const signed = { fields, keyId: keyIdOf(form), isComplete: statement !== undefined }
  const assetId = fields.get('asset_id')
  const isForeign = answer !== undefined && assetId !== undefined && assetId !== answer.assetId
  return [
    ...(reading === undefined ? [] : readingFaults(reading, signed)),
    ...(isForeign
      ? [
          {
            kind: 'reading',
            where: 'field asset_id',
            what: `it is ${assetId}, but the answer is for ${answer.assetId}`,
          } as const,
        ]
      : []),
  ]
}

/** A key may sign from its active_from to its active_to (specification, PublishedKeyResponse). */
function windowFaults({ receivedAt }: Statement, key: PublishedKey | undefined): readonly Fault[] {
  const at = Date.parse(receivedAt)
  const isEarly = key !== undefined && at < key.activeFromMs
  const isLate = key?.activeToMs !== undefined && at > key.activeToMs
  if (!isEarly && !isLate) return []
  const what = `${receivedAt} is ${isEarly ? 'before the active_from' : 'after the active_to'} of its key`
  return [{ kind: 'key', where: 'field received_at', what }]
}

interface Known {
  readonly isSigned: boolean
  readonly payload: ReadPayload
  readonly reading: Members | undefined
}

/** The signed one when the signatures verify. Otherwise the bytes are in doubt, so the one of the JSON comes first. */
function seqOf({ isSigned, payload, reading }: Known): number | undefined {
  const field = payload.fields.get('receipt_seq')
  const signed = typeof field === 'number' ? field : undefined
  return isSigned ? (signed ?? statedSeq(reading)) : (statedSeq(reading) ?? signed)
}

const positionOf = (receiptSeq: number | undefined) => (receiptSeq === undefined ? undefined : { receiptSeq })

interface Made {
  readonly cbor: Uint8Array
  readonly keyIndex: number | undefined
}

function linkOf(
  { receiptSeq, receivedAt, priorReceiptHash }: Statement,
  { cbor, keyIndex }: Made,
): Omit<Link, 'position'> {
  const receiptHash = createHash('sha256').update(cbor).digest('hex')
  return { receiptSeq, sound: { receiptHash, priorReceiptHash, receivedAt, keyIndex } }
}

const hex = ({ bytes }: Piece) => Buffer.from(bytes).toString('hex')
export const keyIdOf = ({ signers: [signer] }: Form) => (signer === undefined ? '' : hex(signer.keyId))
const spanOf = ({ offset, bytes }: Piece) => `bytes ${offset} to ${offset + bytes.length - 1}`
