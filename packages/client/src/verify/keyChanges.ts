/** The signed statements about a server's names and keys: asked for, checked, remembered. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { NameChange } from '@blindkeep/protocol/chain'
import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { type Era, type EraKey, readEras } from '@blindkeep/protocol/eras'
import { parseKeyId } from '@blindkeep/protocol/ids'
import { decodeKeyChange, type KeyChange, KeyChangeError, type SignedKeyChange } from '@blindkeep/protocol/keyChange'
import type { KeyChangeResponse } from '@blindkeep/protocol/schemas/discovery'
import { systemEnvironment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { verifiers } from '../seal/signatures.ts'
import { AuditError } from './auditError.ts'
import type { PinnedKey, PinnedKeyChanges, PinnedKeys } from './pinnedKeys.ts'

/** Each takes some milliseconds. */
const VERIFIED_AT_ONCE = 8

/** Of keys and statements that a server published at different times, as a cache in between may keep them. */
export class ListsMisfit extends AnswerError {
  constructor() {
    super('moves', 'its keys and its statements do not fit: a cache may keep an older list. Ask again in an hour')
  }
}

/**
 * The pins with the server's statements, asked for if they are not known or lack those of newer keys: once they are
 * known, no key counts that does not follow from the one before it. Without them if the server publishes none (the
 * specification does not know them), and then other names are of other servers. Throws `AuditError` (`wrong_server`,
 * `moves_malformed`, `moves_vanished`), `ListsMisfit`, and what a call throws.
 */
export async function withKeyChanges({ call }: Pick<Calls, 'call'>, pins: PinnedKeys): Promise<PinnedKeys> {
  if (isComplete(pins)) return pins
  const published = await askMoves(call)
  if (published === undefined && pins.keyChanges === undefined) return pins
  if (published === undefined) throw changed(pins.serverId)
  if (published.server_id !== pins.serverId)
    throw new AuditError('wrong_server', 'the statements about its keys name another server')
  const { moves, rotations } = published
  requireContinuedChanges(pins.serverId, pins.keyChanges, { moves, rotations })
  const known = { ...pins, keyChanges: { moves, rotations } }
  await verifiedEras(known, pins)
  return known
}

function isComplete({ keys, keyChanges }: PinnedKeys): boolean {
  return keyChanges !== undefined && keysCovered(keyChanges) === keys.length
}

/** Each key but the first has a statement. */
const keysCovered = ({ moves, rotations }: PinnedKeyChanges) => 1 + moves.length + rotations.length

/** Undefined for a server that does not know the question. */
async function askMoves(call: Calls['call']) {
  try {
    return (await call('moves')).body
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined
    throw error
  }
}

/** The later lists of a server must begin with the earlier ones. Throws `AuditError` (`moves_vanished`). */
export function requireContinuedChanges(
  serverId: string,
  before: PinnedKeyChanges | undefined,
  now: PinnedKeyChanges | undefined,
): void {
  if (before === undefined) return
  for (const kind of ['moves', 'rotations'] as const)
    if (now === undefined || before[kind].some((one, index) => !isSameChange(one, now[kind][index])))
      throw changed(serverId)
}

export function isSameChange(one: KeyChangeResponse, other: KeyChangeResponse | undefined): boolean {
  return one.leave === other?.leave && one.arrive === other.arrive
}

function changed(serverId: string): AuditError {
  const finding = 'a statement about its keys that was published before is missing or changed, or a new key has none'
  return new AuditError('moves_vanished', finding, { serverId })
}

const read = new WeakMap<PinnedKeyChanges, Promise<readonly Era[]>>()

/**
 * One era for each key; undefined if the pins have no statements. These were verified before they were pinned, and are
 * read once in a process. Throws `AuditError` (`moves_malformed`) if they do not hold, and `ListsMisfit` if they are
 * not those of these keys.
 */
export async function erasOf(pins: PinnedKeys): Promise<readonly Era[] | undefined> {
  const { keyChanges } = pins
  if (keyChanges === undefined) return undefined
  const reading = read.get(keyChanges) ?? readEras({ ...successionOf(pins, keyChanges), verify: BELIEVING })
  read.set(keyChanges, reading)
  try {
    return await reading
  } catch (cause) {
    read.delete(keyChanges)
    throw refusalOf(cause)
  }
}

const BELIEVING: HybridVerifiers = { ed25519: () => true, mlDsa65: () => true }

/**
 * The same for statements that are not pinned yet. They begin with those of `pinned`, which are not verified again: a
 * server may have hundreds.
 */
export async function verifiedEras(
  pins: PinnedKeys & { readonly keyChanges: PinnedKeyChanges },
  pinned: PinnedKeys,
): Promise<readonly Era[]> {
  const { keys, keyChanges: before } = pinned
  const known = before && (await erasOf({ ...pinned, keys: keys.slice(0, keysCovered(before)) }))
  try {
    return await readEras({ ...successionOf(pins, pins.keyChanges), verify: pausing(), known })
  } catch (cause) {
    throw refusalOf(cause)
  }
}

function refusalOf(cause: unknown): unknown {
  if (!(cause instanceof KeyChangeError)) return cause
  const isMisfit = cause.reason === 'statement_missing' || cause.reason === 'statement_surplus'
  return isMisfit ? new ListsMisfit() : malformed(cause)
}

function malformed(cause: KeyChangeError): AuditError {
  return new AuditError('moves_malformed', `the server’s statements about its keys do not hold: ${cause.message}`, {
    cause,
  })
}

function successionOf({ serverId, keys }: PinnedKeys, { moves, rotations }: PinnedKeyChanges) {
  return {
    serverId,
    keys: keys.map(eraKeyOf),
    moves: moves.map(signedOf),
    rotations: rotations.map(signedOf),
  }
}

/** The server decides how many statements there are: in between, a page can react. */
function pausing(): HybridVerifiers {
  let verified = 0
  return {
    ed25519: verifiers.ed25519,
    async mlDsa65(publicKey, message, signature) {
      verified += 1
      if (verified % VERIFIED_AT_ONCE === 0) await systemEnvironment.wait(0)
      return verifiers.mlDsa65(publicKey, message, signature)
    },
  }
}

function eraKeyOf({ keyId: id, public: bytes, activeFrom, activeTo }: PinnedKey): EraKey {
  const keyId = parseKeyId(id)
  if (keyId === undefined) throw new AuditError('key_malformed', 'a published key does not match its key_id')
  return { keyId, publicKey: fromBase64(bytes), activeFrom, activeTo }
}

function signedOf({ leave, arrive }: KeyChangeResponse): SignedKeyChange {
  return { leave: fromBase64(leave), arrive: fromBase64(arrive) }
}

export type Move = Extract<KeyChange, { readonly kind: 'move' }>

/** What the moves of pins say, oldest first. They were verified before they were pinned. */
export function movesOf({ keyChanges }: PinnedKeys): readonly Move[] {
  return (keyChanges?.moves ?? []).map((one) => {
    const { change } = decodedOrRefuse(one)
    if (change.kind === 'move') return change
    throw new AuditError('moves_malformed', 'a statement in the list of moves is about no move')
  })
}

function decodedOrRefuse(one: KeyChangeResponse) {
  try {
    return decodeKeyChange(signedOf(one))
  } catch (error) {
    throw error instanceof KeyChangeError ? malformed(error) : error
  }
}

/** The places in the log at which the name changes. */
export function nameChangesOf(pins: PinnedKeys): readonly NameChange[] {
  return movesOf(pins).map(({ from, to, last_receipt_seq }) => ({ from, to, lastReceiptSeq: last_receipt_seq ?? 0 }))
}
