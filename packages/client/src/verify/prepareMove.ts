/**
 * Whether the server at a new address is the one that a client knows from an old one. A client follows only then, and
 * only if a person agrees. No request of this carries a token.
 */
import type { ChainLink } from '@blindkeep/protocol/chain'
import { type Era, eraFault } from '@blindkeep/protocol/eras'
import type { AttestationKeysResponse, MovesResponse } from '@blindkeep/protocol/schemas/discovery'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { type Calls, createCalls } from '../http/call.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { isTransient } from '../http/retry.ts'
import { AuditError } from './auditError.ts'
import {
  erasOf,
  isSameChange,
  ListsMisfit,
  type Move,
  movesOf,
  requireContinuedChanges,
  verifiedEras,
} from './keyChanges.ts'
import { MovedAway } from './movedAway.ts'
import { MoveError, type MoveFault } from './moveError.ts'
import type { PinnedKeyChanges, PinnedKeys } from './pinnedKeys.ts'
import { joinPins, pinKeys, refuseTombstone } from './pins.ts'

export interface MoveOptions {
  /** The address that the server had, with its path. */
  readonly from: string
  /** The address that a person has typed. */
  readonly to: string
  /** What is remembered of the server at `from`. */
  readonly pinned: PinnedKeys
  readonly environment?: Pick<Environment, 'fetch'> | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * What answers at the old address: it says the same, or leads to the new one, or there is no answer, or none that
 * proves anything.
 */
export type OldAddress =
  | { readonly is: 'agrees' }
  | { readonly is: 'redirects' }
  | { readonly is: 'without_tls' }
  | { readonly is: 'silent'; readonly failure: Error }

/** For the question to the person. Nothing is followed before both pins are stored. */
export interface PreparedMove {
  /** Origins. */
  readonly from: string
  readonly to: string
  /** RFC 3339: when the server gave up the old name. */
  readonly movedAt: string
  /** The names between the two, if the server has moved more than once. */
  readonly between: readonly string[]
  readonly old: OldAddress
  /** What to remember of the server at `to`. */
  readonly pins: PinnedKeys
  /** What to remember of `from`, in place of `pinned`. */
  readonly tombstone: PinnedKeys
}

/**
 * Resolves if all of this holds: the new address names itself; its keys, its moves and its receipts continue those that
 * are pinned; signed statements lead from the old name to the new one; and the old address, if it answers, says the
 * same of them. Throws `MoveError` otherwise, `MovedAway` if `pinned` is a tombstone, and what a call to the
 * new address throws.
 */
export async function prepareMove(options: MoveOptions): Promise<PreparedMove> {
  const { pinned, signal } = options
  const { fetch } = options.environment ?? systemEnvironment
  const [before, after] = [options.from, options.to].map((baseUrl) => createCalls({ baseUrl, fetch }))
  if (before === undefined || after === undefined) throw new Error('a move has two addresses')
  const [from, to] = [originOf(before), originOf(after)]
  requireKnown(pinned, from)
  if (from === to) throw new MoveError('never_moved', `${to} is the address at which the server is known already`)
  const { pins, eras } = await readNew(after, pinned, { to, signal }).catch((error: unknown) => {
    if (!(error instanceof ListsMisfit)) throw error
    // A key may have begun between the two questions.
    return readNew(after, pinned, { to, signal })
  })
  const first = firstMove(pins, pinned)
  requireReceiptKept(pinned.newestReceipt, eras)
  const old = await askOld(before, { moves: pins.keyChanges?.moves ?? [], to, signal })
  const later = movesOf(pins).slice(first.number)
  return {
    from,
    to,
    movedAt: first.moved_at,
    between: later.map((move) => move.from),
    old,
    pins,
    tombstone: { ...pinned, movedTo: after.serverUrl },
  }
}

/** What to remember of a name between the two. */
interface AlsoLeft {
  /** At `to`, in place of `pins`. */
  readonly pins: PinnedKeys
  readonly tombstone: PinnedKeys
}

/**
 * For a client that knows the server also at a name between: `known`. Undefined if that is another server, one that was
 * left already, or one whose receipts are not in the log that moved; then it stays what it is.
 */
export async function alsoLeft(known: PinnedKeys, { pins, tombstone }: PreparedMove): Promise<AlsoLeft | undefined> {
  try {
    requireReceiptKept(known.newestReceipt, (await erasOf(pins)) ?? [])
    firstMove(pins, known)
    return {
      pins: joinPins({ ...known, serverId: pins.serverId }, pins),
      tombstone: { ...known, movedTo: tombstone.movedTo },
    }
  } catch (error) {
    if (error instanceof AuditError || error instanceof MoveError || error instanceof MovedAway) return undefined
    throw error
  }
}

const originOf = ({ serverUrl }: Calls) => new URL(serverUrl).origin

/**
 * The names that the server at `to` says it had, newest first; unverified. Throws `MoveError` (`never_moved`,
 * `other_server`), and what a call throws.
 */
export async function formerNames({
  to,
  environment,
  signal,
}: Pick<MoveOptions, 'to' | 'environment' | 'signal'>): Promise<readonly string[]> {
  const { fetch } = environment ?? systemEnvironment
  const { moves, rotations } = await askMoves(createCalls({ baseUrl: to, fetch }).call, new URL(to).origin, signal)
  const claims = { serverId: new URL(to).origin, keys: [], keyChanges: { moves, rotations } }
  const names = orRefuse('statement_invalid', () => movesOf(claims)).map(({ from }) => from)
  return names.reverse()
}

/** 1. There is something that the new address can continue. */
function requireKnown(pinned: PinnedKeys, from: string): void {
  refuseTombstone(pinned)
  if (pinned.serverId !== from || pinned.keys.length === 0)
    throw new MoveError('not_known', `no key of ${from} is remembered, so nothing can prove that it has moved`)
}

interface Asking {
  readonly to: string
  readonly signal: AbortSignal | undefined
}

/** 2 and 4. */
async function readNew(calls: Calls, pinned: PinnedKeys, { to, signal }: Asking) {
  const pins = continued(pinned, { ...(await askNew(calls, to, signal)), to })
  try {
    return { pins, eras: await verifiedEras(pins, pinned) }
  } catch (cause) {
    throw refusalOf('statement_invalid', cause)
  }
}

/** 2. The new address names itself. */
async function askNew({ call }: Calls, to: string, signal: AbortSignal | undefined) {
  const { body: info } = await call('serverInfo', { signal })
  if (info.server_id !== to) throw new MoveError('other_server', `the server at ${to} calls itself ${info.server_id}`)
  const { body: published } = await call('attestationKeys', { signal })
  const { server_id: named, moves, rotations } = await askMoves(call, to, signal)
  if (named !== to) throw new MoveError('other_server', `the statements that ${to} shows end at the name ${named}`)
  return { published, moves, rotations }
}

async function askMoves(call: Calls['call'], to: string, signal: AbortSignal | undefined): Promise<MovesResponse> {
  try {
    const { body } = await call('moves', { signal })
    if (body.moves.length > 0) return body
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
  }
  throw new MoveError('never_moved', `the server at ${to} does not say that it ever had another address`)
}

interface Published extends Pick<MovesResponse, 'moves' | 'rotations'> {
  readonly published: AttestationKeysResponse
  readonly to: string
}

/** 2. Its lists are well-formed and begin with the pinned ones. */
function continued(pinned: PinnedKeys, { published, to, moves, rotations }: Published) {
  const { keyChanges, ...known } = pinned
  const pins = orRefuse('keys_differ', () => pinKeys(published, to, { ...known, serverId: to }))
  orRefuse('moves_differ', () => requireContinuedChanges(to, keyChanges, { moves, rotations }))
  return { ...pins, keyChanges: { moves, rotations } }
}

/**
 * 3. The move by which the server left the name at which it is known. The newest pinned key, or a later one, signed it:
 * an earlier one may have been stolen since. That the statements lead on without a gap, `readEras` has checked.
 */
function firstMove(pins: PinnedKeys, { keys, serverId: from }: PinnedKeys): Move {
  const later = new Set(pins.keys.slice(keys.length - 1).map(({ keyId }) => keyId))
  const move = movesOf(pins).find(({ old_key: oldKey }) => later.has(oldKey))
  if (move?.from === from) return move
  throw new MoveError('not_from_there', `no statement leads on from the newest key that is remembered of ${from}`)
}

/** 4. What the server has signed before is in the log that goes on. */
function requireReceiptKept(newest: ChainLink | undefined, eras: readonly Era[]): void {
  if (newest === undefined) return
  const { receipt_seq: seq, server_id: name } = newest.payload
  const era = eras.find(({ after, upTo = Number.POSITIVE_INFINITY }) => after < seq && seq <= upTo)
  const isKept = era !== undefined && eraFault({ ...newest, keyId: era.keyId }, eras) === undefined
  if (!isKept)
    throw new MoveError('receipt_lost', `receipt ${seq}, which ${name} has signed, is not in the log that moved`)
}

interface Said extends Asking {
  readonly moves: PinnedKeyChanges['moves']
}

/**
 * 5. The old address is asked below its path. If it answers, it must say the same, and nothing more: it is known by its
 * certificate. A later move of it that leads elsewhere is signed as well, if a key in between was stolen.
 */
async function askOld({ call, serverUrl }: Calls, { moves, to, signal }: Said): Promise<OldAddress> {
  if (new URL(serverUrl).protocol === 'http:') return { is: 'without_tls' }
  const denies = (what: string, cause?: unknown) =>
    new MoveError('old_contradicts', `${new URL(serverUrl).origin} still answers, and ${what}`, { cause })
  try {
    const { server_id: named, moves: said } = (await call('moves', { signal })).body
    const isSame = moves.length === said.length && moves.every((one, index) => isSameChange(one, said[index]))
    if (named === to && isSame) return { is: 'agrees' }
  } catch (error) {
    if (error instanceof NetworkError && error.failure === 'redirected') {
      if (error.found === to) return { is: 'redirects' }
      throw denies(`leads to ${error.found ?? 'another address'}`, error)
    }
    if (error instanceof Error && isTransient(error)) return { is: 'silent', failure: error }
    if (error instanceof ProblemError || error instanceof AnswerError)
      throw denies('does not say that it has moved', error)
    throw error
  }
  throw denies('says something else about its moves')
}

function orRefuse<Result>(fault: MoveFault, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw refusalOf(fault, cause)
  }
}

function refusalOf(fault: MoveFault, cause: unknown): unknown {
  return cause instanceof AuditError ? new MoveError(fault, cause.message, { cause }) : cause
}
