/**
 * Under which name each attestation key of a server has signed. A server has one name at a time, and a move changes the
 * key with the name, so each key has one era and each era one name.
 */
import type { ChainLink } from './chain.ts'
import type { HybridVerifiers } from './cose.ts'
import { type KeyId, parseInstant, type Sha256Hex } from './ids.ts'
import {
  type DecodedKeyChange,
  decodeKeyChange,
  type KeyChange,
  KeyChangeError,
  MAX_MOVES,
  MAX_ROTATIONS,
  type SignedKeyChange,
  verifyKeyChange,
} from './keyChange.ts'

/** What one key may have signed. */
export interface Era {
  readonly keyId: KeyId
  /** The origin that its receipts name. */
  readonly serverId: string
  /** SHA-256 of the payload of the statement that begins the era; absent for the first key. */
  readonly statement?: Sha256Hex | undefined
  /** Its receipts have greater numbers: 0 for the first key, and where there was no receipt before it. */
  readonly after: number
  /** The hash of receipt `after`, absent if that is 0: what the first receipt of the era continues. */
  readonly afterHash?: Sha256Hex | undefined
  /** The number of its last receipt, or of a receipt before it; absent for the active key. */
  readonly upTo?: number | undefined
  /** The hash of receipt `upTo`; absent for the active key and if `upTo` is 0. */
  readonly upToHash?: Sha256Hex | undefined
  /** When the server gave up this name: UTC with milliseconds; absent while it has it. */
  readonly until?: string | undefined
}

export interface EraKey {
  readonly keyId: KeyId
  /** The published 1984 bytes. */
  readonly publicKey: Uint8Array
  /** RFC 3339. */
  readonly activeFrom: string
  readonly activeTo?: string | undefined
}

/** What a server says about its keys and names. */
export interface Succession {
  /** Its present name. */
  readonly serverId: string
  /** The published list, oldest first, checked by itself. At least one. */
  readonly keys: readonly EraKey[]
  /** Oldest first. */
  readonly moves: readonly SignedKeyChange[]
  readonly rotations: readonly SignedKeyChange[]
}

interface EraReading extends Succession {
  readonly verify: HybridVerifiers
  /** Eras that were read from the beginning of the same list before: their statements are not verified again. */
  readonly known?: readonly Era[] | undefined
}

/**
 * One era for each key, in the order of the list. Throws `KeyChangeError` unless each key but the first begins with
 * exactly one statement about it and the key before it, at the times of the list and signed by both; the heads never
 * fall; and the moves are numbered without a gap, each from the name before it, up to `serverId`.
 */
export async function readEras(given: EraReading): Promise<readonly Era[]> {
  const decoded = await changesOf(given)
  requireMoveNumbers(decoded)
  const changes = decoded.map(({ change }) => change)
  for (const [index, change] of changes.entries()) requireHead(changes[index - 1], change)
  const names = namesOf(changes, given.serverId)
  return given.keys.map(({ keyId }, index) => {
    const [begin, end] = [changes[index - 1], changes[index]]
    return {
      keyId,
      serverId: names[index] ?? given.serverId,
      statement: decoded[index - 1]?.hash,
      after: begin?.last_receipt_seq ?? 0,
      afterHash: begin?.last_receipt_hash,
      upTo: end && (end.last_receipt_seq ?? 0),
      upToHash: end?.last_receipt_hash,
      until: changes.slice(index).find((change) => change.kind === 'move')?.moved_at,
    }
  })
}

/** The statement that begins each key but the first, verified. */
async function changesOf({
  keys,
  moves,
  rotations,
  verify,
  known = [],
}: EraReading): Promise<readonly DecodedKeyChange[]> {
  if (moves.length > MAX_MOVES || rotations.length > MAX_ROTATIONS)
    throw new KeyChangeError('too_many', `a server moves at most ${MAX_MOVES} times and rotates ${MAX_ROTATIONS} times`)
  if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length)
    throw new KeyChangeError('key_repeated', 'a key that has ended does not begin again')
  const waiting = { move: moves.map(decodeAs('move')), rotation: rotations.map(decodeAs('rotation')) }
  const found: DecodedKeyChange[] = []
  for (const [index, key] of keys.entries()) {
    const before = keys[index - 1]
    if (before === undefined) continue
    const list = [waiting.move, waiting.rotation].find(([next]) => isAbout(next?.change, before, key))
    const next = list?.shift()
    if (next === undefined)
      throw new KeyChangeError('statement_missing', 'a key follows another without a signed statement')
    requireTimes(next.change, before, key)
    const isKnown = known[index]?.keyId === key.keyId && known[index].statement === next.hash
    if (!isKnown) await verifyKeyChange(next.signed, { oldKey: before.publicKey, newKey: key.publicKey, verify })
    found.push(next)
  }
  if (waiting.move.length + waiting.rotation.length > 0)
    throw new KeyChangeError('statement_surplus', 'a signed statement is about keys that do not follow each other')
  return found
}

const decodeAs = (kind: KeyChange['kind']) => (signed: SignedKeyChange) => {
  const { change, hash } = decodeKeyChange(signed)
  if (change.kind !== kind) throw new KeyChangeError('content_type', `a statement in the list is not a ${kind}`)
  return { signed, change, hash }
}

function isAbout(change: KeyChange | undefined, before: EraKey, key: EraKey): boolean {
  return change?.old_key === before.keyId && change.new_key === key.keyId
}

function requireTimes(change: KeyChange, before: EraKey, key: EraKey): void {
  const at = parseInstant(change.kind === 'move' ? change.moved_at : change.rotated_at)
  if (parseInstant(before.activeTo ?? '') !== at || parseInstant(key.activeFrom) !== at)
    throw new KeyChangeError('times_differ', 'a statement is not of the instant at which its keys change')
}

/** The log goes on: its head stays or rises from one change to the next, and one number has one hash. */
function requireHead(before: KeyChange | undefined, change: KeyChange): void {
  const [seq, next] = [before?.last_receipt_seq ?? 0, change.last_receipt_seq ?? 0]
  if (next < seq || (next === seq && change.last_receipt_hash !== before?.last_receipt_hash))
    throw new KeyChangeError('head_differs', 'a statement does not continue the receipts of the one before it')
}

function requireMoveNumbers(changes: readonly DecodedKeyChange[]): void {
  let before: { number: number; hash?: Sha256Hex } = { number: 0 }
  for (const { change, hash } of changes) {
    if (change.kind !== 'move') continue
    if (change.number !== before.number + 1)
      throw new KeyChangeError('number_differs', 'the moves are not numbered one by one')
    if (change.prior_move_hash !== before.hash)
      throw new KeyChangeError('prior_move_differs', 'a move does not continue the one before it')
    before = { number: change.number, hash }
  }
}

/** The name of each key. */
function namesOf(changes: readonly KeyChange[], serverId: string): readonly string[] {
  const first = changes.find((change) => change.kind === 'move')
  const names = [first?.from ?? serverId]
  for (const [index, change] of changes.entries()) {
    const [from, to] = change.kind === 'move' ? [change.from, change.to] : [change.server_id, change.server_id]
    if (from !== names[index]) throw new KeyChangeError('names_differ', 'a statement is not by the name before it')
    names.push(to)
  }
  if (names.at(-1) !== serverId) throw new KeyChangeError('names_differ', 'the last name is not that of the server')
  return names
}

/** A receipt's place in the log, and the key that signed it: part of a `DecodedReceipt`. */
export interface KeyedLink extends ChainLink {
  readonly keyId: KeyId
}

export type EraFault = 'key_unknown' | 'other_server' | 'outside_era' | 'head_differs'

/**
 * Why a receipt, whose signatures are valid, does not count, or `undefined`. It has to name the server of its key's
 * era. It also has to lie in the era, and at its two ends to be, or to continue, the receipt that the statements name.
 * If not (`outside_era`, `head_differs`), the server contradicts itself: it has forgotten or denies what its key
 * signed, or the key was stolen. That is a finding against the server, never a receipt that was not valid.
 */
export function eraFault({ keyId, hash, payload }: KeyedLink, eras: readonly Era[]): EraFault | undefined {
  const era = eras.find((one) => one.keyId === keyId)
  if (era === undefined) return 'key_unknown'
  if (payload.server_id !== era.serverId) return 'other_server'
  const seq = payload.receipt_seq
  if (seq <= era.after || seq > (era.upTo ?? seq)) return 'outside_era'
  const isFirst = seq === era.after + 1
  if (seq === era.upTo && hash !== era.upToHash) return 'head_differs'
  return isFirst && payload.prior_receipt_hash !== era.afterHash ? 'head_differs' : undefined
}
