import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type ChainLink, checkChain } from '@blindkeep/protocol/chain'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  PublishedKeyResponse as PublishedKey,
} from '@blindkeep/protocol/schemas/discovery'
import { AuditError } from './auditError.ts'
import { nameChangesOf, requireContinuedChanges } from './keyChanges.ts'
import { MovedAway } from './movedAway.ts'
import type { PinnedKey, PinnedKeys } from './pinnedKeys.ts'

/**
 * Checks a published list by itself and against the pinned keys; returns the keys to pin from now on. Throws
 * `AuditError` (`wrong_server`, `key_malformed`, `key_vanished` or `key_changed`), and `MovedAway` for a tombstone.
 */
export function pinKeys(published: AttestationKeysResponse, serverId: string, pinned?: PinnedKeys): PinnedKeys {
  if (published.server_id !== serverId)
    throw new AuditError('wrong_server', 'the list of attestation keys names another server')
  if (pinned !== undefined && pinned.serverId !== serverId)
    throw new AuditError('wrong_server', 'the pinned keys belong to another server')
  refuseTombstone(pinned)
  const keys = published.keys.map(pinOf)
  const ids = requireContinued(serverId, pinned?.keys ?? [], keys)
  if (ids.size < keys.length) throw new AuditError('key_malformed', 'a key is published twice')
  for (const key of published.keys) {
    if (key.algorithm !== HYBRID_ALGORITHM || fingerprintOf(key.public) !== key.key_id)
      throw new AuditError('key_malformed', 'a published key does not match its key_id')
  }
  for (const [index, key] of keys.entries()) requireTimes(key, keys[index + 1])
  return { ...pinned, serverId, keys }
}

/**
 * Checks receipts, whose signatures are valid, against the newest one that this client has seen; returns what to
 * remember from now on. Throws `AuditError` (`chain_forked`) when they cannot be in one log: the server has forgotten
 * or replaced what it signed, as after a rollback of its disk.
 */
export function pinReceipts(pinned: PinnedKeys, receipts: readonly ChainLink[]): PinnedKeys {
  const { newestReceipt } = pinned
  const links = newestReceipt === undefined ? [] : [newestReceipt]
  for (const receipt of receipts) {
    const { receipt_seq: seq } = receipt.payload
    const same = links.find(({ payload }) => payload.receipt_seq === seq)
    if (same === undefined) links.push(placeOf(receipt))
    else if (same.hash !== receipt.hash) throw forked(`the server has signed two receipts with the number ${seq}`)
  }
  links.sort((a, b) => a.payload.receipt_seq - b.payload.receipt_seq)
  if (checkChain(links, { moves: nameChangesOf(pinned) }) !== undefined)
    throw forked('the receipts are not in one log with the newest one that this client has seen')
  return { ...pinned, newestReceipt: links.at(-1) }
}

function forked(finding: string): AuditError {
  return new AuditError('chain_forked', finding)
}

function placeOf({ hash, payload }: ChainLink): ChainLink {
  const { server_id, receipt_seq, received_at, prior_receipt_hash } = payload
  return { hash, payload: { server_id, receipt_seq, received_at, prior_receipt_hash } }
}

/**
 * Two checked lists of one server, of which neither was compared with the other: two requests at the same time may both
 * have found nothing pinned, and a server may have answered them differently. One must continue the other, and their
 * newest receipts must be in one log. Returns the longer list with the newer receipt. Throws `AuditError`
 * (`wrong_server`, `key_vanished`, `key_changed`, `moves_vanished` or `chain_forked`), and `MovedAway` for a tombstone.
 */
export function joinPins(before: PinnedKeys | undefined, now: PinnedKeys): PinnedKeys {
  if (before === undefined) return now
  if (before.serverId !== now.serverId) throw new AuditError('wrong_server', 'the pinned keys belong to another server')
  for (const one of [before, now]) refuseTombstone(one)
  const [shorter, longer] = before.keys.length > now.keys.length ? [now, before] : [before, now]
  requireContinued(now.serverId, shorter.keys, longer.keys)
  const isSameList = shorter.keys.length === longer.keys.length
  const keyChanges = longer.keyChanges ?? (isSameList ? shorter.keyChanges : undefined)
  requireContinuedChanges(now.serverId, shorter.keyChanges, keyChanges)
  const { newestReceipt, keyChanges: _, knownSince: __, ...others } = longer
  const { knownSince = now.knownSince } = before
  const known = {
    ...others,
    ...(keyChanges === undefined ? {} : { keyChanges }),
    ...(knownSince === undefined ? {} : { knownSince }),
  }
  const receipts = [newestReceipt, shorter.newestReceipt].filter((receipt) => receipt !== undefined)
  return receipts.length === 0 ? known : pinReceipts(known, receipts)
}

/** Throws `MovedAway`. */
export function refuseTombstone(pinned: PinnedKeys | undefined): void {
  if (pinned?.movedTo !== undefined) throw new MovedAway({ from: pinned.serverId, to: pinned.movedTo })
}

/** Throws `AuditError` (`key_not_active`) unless the key was active then (specification, PublishedKeyResponse). */
export function requireActiveAt({ activeFrom, activeTo }: PinnedKey, receivedAt: string): void {
  const at = millisecondsOf(receivedAt)
  if (at < millisecondsOf(activeFrom))
    throw new AuditError('key_not_active', 'the receipt is dated before its key began to sign')
  if (activeTo !== undefined && at > millisecondsOf(activeTo))
    throw new AuditError('key_not_active', 'the receipt is dated after its key stopped signing')
}

function pinOf({ key_id, public: bytes, active_from, active_to }: PublishedKey): PinnedKey {
  const pin = { keyId: key_id, public: bytes, activeFrom: active_from }
  return active_to === undefined || active_to === null ? pin : { ...pin, activeTo: active_to }
}

/**
 * Only the active key, the last one, has no end, and no two keys are active at the same time (specification,
 * AttestationKeysResponse, keys and active_to). Otherwise a new key could date receipts into the time of a rotated one.
 */
function requireTimes({ activeFrom, activeTo }: PinnedKey, next: PinnedKey | undefined): void {
  const refuse = (finding: string) => new AuditError('key_malformed', finding)
  const times = [activeFrom, activeTo ?? activeFrom].map(millisecondsOf)
  if (times.some(Number.isNaN)) throw refuse('a published key has an invalid time')
  if ((activeTo === undefined) !== (next === undefined))
    throw refuse('the active key is not the last one, or none is active')
  if (millisecondsOf(activeTo ?? activeFrom) < millisecondsOf(activeFrom))
    throw refuse('a published key stopped before it began')
  if (next !== undefined && millisecondsOf(next.activeFrom) < millisecondsOf(activeTo ?? activeFrom))
    throw refuse('a published key began before the one before it stopped')
}

/** The later list of a server must begin with the earlier one. Returns the ids of the later list. */
function requireContinued(
  serverId: string,
  before: readonly PinnedKey[],
  now: readonly PinnedKey[],
): ReadonlySet<string> {
  const ids = new Set(now.map((key) => key.keyId))
  for (const [index, key] of before.entries()) {
    if (!ids.has(key.keyId))
      throw new AuditError('key_vanished', 'an attestation key that was published before is missing', { serverId })
    if (!isStill(key, now[index]))
      throw new AuditError('key_changed', 'an attestation key that was published before has changed', { serverId })
  }
  return ids
}

/** `now`: the published key at the same place. */
function isStill(before: PinnedKey, now: PinnedKey | undefined): boolean {
  const isSame = now?.keyId === before.keyId && now.public === before.public && now.activeFrom === before.activeFrom
  return isSame && (before.activeTo === undefined || now.activeTo === before.activeTo)
}

function fingerprintOf(publicKey: string): string | undefined {
  try {
    return keyId(fromBase64(publicKey))
  } catch {
    return undefined
  }
}
