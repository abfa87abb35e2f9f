/**
 * Why an attestation key follows another: the server moved to another origin, or only the key was replaced. Each such
 * change is one payload in deterministic CBOR, which the key that ends and the key that begins both sign, each in a
 * COSE_Sign message like that of a receipt. So a list of keys goes on only with the key before.
 */
import { type Bytes, equalBytes } from './bytes.ts'
import { type CoseFault, type CoseMessage, type CoseToBeSigned, coseToBeSigned, type HybridVerifiers } from './cose.ts'
import type { KeyId, Sha256Hex } from './ids.ts'
import { ReasonedError } from './reasonedError.ts'
import { sha256Hex } from './sha256Hex.ts'
import {
  decodeFields,
  encodeFields,
  exactly,
  type FieldFault,
  fieldsOf,
  fingerprint,
  hash,
  positiveInteger,
  serverId,
  time,
} from './signed/fields.ts'
import { decodeSigned, verifySigned } from './signed/message.ts'
import { SERVICE } from './wire.ts'

/** A server moves only so often, and replaces its key without a move only so often: the answer holds both lists. */
export const MAX_MOVES = 64
export const MAX_ROTATIONS = 700

/** About 3.8 KB is usual. Longer messages are refused before they are decoded. */
const MAX_KEY_CHANGE_BYTES = 16_384

export type KeyChangeFault =
  | CoseFault
  | FieldFault
  | 'too_large'
  | 'payloads_differ'
  | 'wrong_signer'
  | 'too_many'
  | 'key_repeated'
  | 'statement_missing'
  | 'statement_surplus'
  | 'times_differ'
  | 'head_differs'
  | 'names_differ'
  | 'number_differs'
  | 'prior_move_differs'

/** Not a signed change of a key, or not one that belongs there. `reason` is for programs, the message for people. */
export class KeyChangeError extends ReasonedError<KeyChangeFault> {
  override readonly name = 'KeyChangeError'
}

/** The newest receipt at that instant; both members are absent if the server had issued none. */
interface Head {
  readonly last_receipt_seq?: number | undefined
  readonly last_receipt_hash?: Sha256Hex | undefined
}

/** Key ids and hashes are lowercase hex here and byte strings in the signed bytes. Times are UTC with milliseconds. */
export interface MovePayload extends Head {
  /** 1 for the first move of a server, then one more each. */
  readonly number: number
  /** SHA-256 of the payload of the move before; absent in the first. */
  readonly prior_move_hash?: Sha256Hex | undefined
  /** Canonical origins, different ones. */
  readonly from: string
  readonly to: string
  readonly old_key: KeyId
  readonly new_key: KeyId
  /** `active_to` of the old key and `active_from` of the new one. */
  readonly moved_at: string
}

export interface RotationPayload extends Head {
  readonly server_id: string
  readonly old_key: KeyId
  readonly new_key: KeyId
  /** `active_to` of the old key and `active_from` of the new one. */
  readonly rotated_at: string
}

export type KeyChange = ({ readonly kind: 'move' } & MovePayload) | ({ readonly kind: 'rotation' } & RotationPayload)

/** Two messages about the same payload. */
export interface SignedKeyChange {
  /** Signed by the old key. */
  readonly leave: Uint8Array
  /** Signed by the new key. */
  readonly arrive: Uint8Array
}

export interface DecodedKeyChange {
  readonly change: KeyChange
  /** SHA-256 of the payload: the `prior_move_hash` of the next move. */
  readonly hash: Sha256Hex
}

const CONTENT_TYPES = {
  move: `application/${SERVICE}-move+cbor`,
  rotation: `application/${SERVICE}-rotation+cbor`,
} as const
const VERSIONS = { move: `${SERVICE}/move/1`, rotation: `${SERVICE}/rotation/1` } as const
const HASHES = ['prior_move_hash', 'old_key', 'new_key', 'last_receipt_hash']

/**
 * What the old key (`leave`) and the new one (`arrive`) sign; assemble each with its signatures. Throws
 * `KeyChangeError` for a change that a reader would refuse.
 */
export function keyChangeToBeSigned(change: KeyChange): { leave: CoseToBeSigned; arrive: CoseToBeSigned } {
  const contentType = CONTENT_TYPES[change.kind]
  const payload = encodeChange(change)
  return {
    leave: coseToBeSigned({ contentType, payload, keyId: change.old_key }),
    arrive: coseToBeSigned({ contentType, payload, keyId: change.new_key }),
  }
}

function encodeChange({ kind, ...members }: KeyChange): Bytes {
  return encodeFields({ version: VERSIONS[kind], members, hashes: HASHES }, READERS[kind], KeyChangeError)
}

/**
 * Reads both messages without verifying their signatures. Throws `KeyChangeError` unless they have the one accepted
 * form and the same payload, and name the old and the new key of it.
 */
export function decodeKeyChange(signed: SignedKeyChange): DecodedKeyChange {
  return read(signed)
}

interface ReadKeyChange extends DecodedKeyChange {
  readonly leave: CoseMessage
  readonly arrive: CoseMessage
}

function read(signed: SignedKeyChange): ReadKeyChange {
  const kind = isMove(signed.leave) ? 'move' : 'rotation'
  const [leave, arrive] = [decodeMessage(signed.leave, kind), decodeMessage(signed.arrive, kind)]
  if (!equalBytes(leave.payload, arrive.payload))
    throw new KeyChangeError('payloads_differ', 'the old and the new key have signed different statements')
  const change = READERS[kind](decodeFields(leave.payload, KeyChangeError))
  if (leave.keyId !== change.old_key || arrive.keyId !== change.new_key)
    throw new KeyChangeError('wrong_signer', 'the two messages are not by the old and the new key')
  return { change, hash: sha256Hex(leave.payload), leave, arrive }
}

interface KeyChangeVerification {
  /** The 1984 published bytes of the keys that the statement names. */
  readonly oldKey: Uint8Array
  readonly newKey: Uint8Array
  readonly verify: HybridVerifiers
}

/** The same, with the four signatures verified. Throws `KeyChangeError` unless all are valid. */
export async function verifyKeyChange(
  signed: SignedKeyChange,
  { oldKey, newKey, verify }: KeyChangeVerification,
): Promise<DecodedKeyChange> {
  const { change, hash: ownHash, leave, arrive } = read(signed)
  await verifySigned(leave, { publicKey: oldKey, verify, Refusal: KeyChangeError })
  await verifySigned(arrive, { publicKey: newKey, verify, Refusal: KeyChangeError })
  return { change, hash: ownHash }
}

/** False also for what is no message; the caller decodes it then. */
function isMove(message: Uint8Array): boolean {
  try {
    decodeMessage(message, 'move')
    return true
  } catch (error) {
    if (error instanceof KeyChangeError) return error.reason !== 'content_type'
    throw error
  }
}

function decodeMessage(message: Uint8Array, kind: KeyChange['kind']): CoseMessage {
  const [contentType, maxBytes] = [CONTENT_TYPES[kind], MAX_KEY_CHANGE_BYTES]
  return decodeSigned(message, { contentType, maxBytes, what: 'a change of a key', Refusal: KeyChangeError })
}

type FieldMap = ReadonlyMap<unknown, unknown>

const READERS: { readonly [Kind in KeyChange['kind']]: (fields: FieldMap) => KeyChange } = {
  move: readMove,
  rotation: readRotation,
}

const MOVE_FIELDS: Readonly<Record<keyof MovePayload | 'version', true>> = {
  version: true,
  number: true,
  prior_move_hash: true,
  from: true,
  to: true,
  old_key: true,
  new_key: true,
  last_receipt_seq: true,
  last_receipt_hash: true,
  moved_at: true,
}

function readMove(fields: FieldMap): KeyChange {
  const { required, optional } = fieldsOf(fields, MOVE_FIELDS, KeyChangeError)
  required('version', exactly(VERSIONS.move))
  const move: KeyChange = {
    kind: 'move',
    number: required('number', positiveInteger),
    ...optional('prior_move_hash', hash),
    from: required('from', serverId),
    to: required('to', serverId),
    old_key: required('old_key', fingerprint),
    new_key: required('new_key', fingerprint),
    ...optional('last_receipt_seq', positiveInteger),
    ...optional('last_receipt_hash', hash),
    moved_at: required('moved_at', time),
  }
  if (move.from === move.to) throw new KeyChangeError('field_invalid', 'a move leads to another origin')
  if ((move.number === 1) !== (move.prior_move_hash === undefined))
    throw new KeyChangeError('field_invalid', 'every move but the first names the one before it')
  requireChange(move)
  return move
}

const ROTATION_FIELDS: Readonly<Record<keyof RotationPayload | 'version', true>> = {
  version: true,
  server_id: true,
  old_key: true,
  new_key: true,
  last_receipt_seq: true,
  last_receipt_hash: true,
  rotated_at: true,
}

function readRotation(fields: FieldMap): KeyChange {
  const { required, optional } = fieldsOf(fields, ROTATION_FIELDS, KeyChangeError)
  required('version', exactly(VERSIONS.rotation))
  const rotation: KeyChange = {
    kind: 'rotation',
    server_id: required('server_id', serverId),
    old_key: required('old_key', fingerprint),
    new_key: required('new_key', fingerprint),
    ...optional('last_receipt_seq', positiveInteger),
    ...optional('last_receipt_hash', hash),
    rotated_at: required('rotated_at', time),
  }
  requireChange(rotation)
  return rotation
}

function requireChange(change: KeyChange): void {
  if (change.old_key === change.new_key) throw new KeyChangeError('field_invalid', 'a key does not follow itself')
  if ((change.last_receipt_seq === undefined) !== (change.last_receipt_hash === undefined))
    throw new KeyChangeError('field_invalid', 'the newest receipt has a number and a hash')
}
