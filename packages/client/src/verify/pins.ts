import { fromBase64 } from '@blindkeep/protocol/bytes'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  PublishedKeyResponse as PublishedKey,
} from '@blindkeep/protocol/schemas/discovery'
import { AuditError } from './auditError.ts'

/**
 * The attestation keys of one server, as last seen. Plain JSON, not secret; store it as long as you store receipts.
 * The server's list is append-only (specification, Discovery): a rotation appends a key and sets the end of the one before; nothing else changes. So
 * a key that disappears or changes is an alarm, and so is a changed end.
 */
export interface PinnedKeys {
  readonly serverId: string
  /** Oldest first, as published. */
  readonly keys: readonly PinnedKey[]
}

export interface PinnedKey {
  /** SHA-256 of the published bytes, lowercase hex. */
  readonly keyId: string
  /** Ed25519 ‖ ML-DSA-65, base64 of 1984 bytes. */
  readonly public: string
  /** RFC 3339. */
  readonly activeFrom: string
  /** RFC 3339; absent for the active key, and in pins of earlier releases of this client. */
  readonly activeTo?: string | undefined
}

/**
 * Checks a published list by itself and against the pinned keys; returns the keys to pin from now on. Throws `AuditError`: `wrong_server`,
 * `key_malformed`, `key_vanished` or `key_changed`.
 */
export function pinKeys(published: AttestationKeysResponse, serverId: string, pinned?: PinnedKeys): PinnedKeys {
  if (published.server_id !== serverId)
    throw new AuditError('wrong_server', 'the list of attestation keys names another server')
  if (pinned !== undefined && pinned.serverId !== serverId)
    throw new AuditError('wrong_server', 'the pinned keys belong to another server')
  const keys = published.keys.map(pinOf)
  for (const [index, before] of (pinned?.keys ?? []).entries()) requireStill(before, keys, index)
  for (const key of published.keys) {
    if (key.algorithm !== HYBRID_ALGORITHM || fingerprintOf(key.public) !== key.key_id)
      throw new AuditError('key_malformed', 'a published key does not match its key_id')
  }
  for (const [index, key] of keys.entries()) requireTimes(key, keys[index + 1])
  return { serverId, keys }
}

/**
 * Two checked lists of one server, of which neither was compared with the other: two requests at the same time may both have found nothing pinned, and
 * a server may have answered them differently. One must continue the other. Returns the longer one. Throws `AuditError`: `wrong_server`, `key_vanished`
 * or `key_changed`.
 */
export function joinPins(before: PinnedKeys | undefined, now: PinnedKeys): PinnedKeys {
  if (before === undefined) return now
  if (before.serverId !== now.serverId) throw new AuditError('wrong_server', 'the pinned keys belong to another server')
  const [shorter, longer] = before.keys.length > now.keys.length ? [now, before] : [before, now]
  for (const [index, key] of shorter.keys.entries()) requireStill(key, longer.keys, index)
  return longer
}

/** Throws `AuditError` (`key_not_active`) unless the key was active at that time (specification, PublishedKeyResponse). */
export function requireActiveAt({ activeFrom, activeTo }: PinnedKey, receivedAt: string): void {
  const at = Date.parse(receivedAt)
  if (at < Date.parse(activeFrom))
    throw new AuditError('key_not_active', 'the receipt is dated before its key began to sign')
  if (activeTo !== undefined && at > Date.parse(activeTo))
    throw new AuditError('key_not_active', 'the receipt is dated after its key stopped signing')
}

function pinOf({ key_id, public: bytes, active_from, active_to }: PublishedKey): PinnedKey {
  const pin = { keyId: key_id, public: bytes, activeFrom: active_from }
  return active_to === undefined || active_to === null ? pin : { ...pin, activeTo: active_to }
}

/**
 * Only the active key, the last one, has no end, and no two keys are active at the same time (specification, AttestationKeysResponse, keys and
 * active_to). Otherwise a new key could date receipts into the time of a rotated one.
 */
function requireTimes({ activeFrom, activeTo }: PinnedKey, next: PinnedKey | undefined): void {
  const refuse = (finding: string) => new AuditError('key_malformed', finding)
  const times = [activeFrom, activeTo ?? activeFrom].map((time) => Date.parse(time))
  if (times.some(Number.isNaN)) throw refuse('a published key has an invalid time')
  if ((activeTo === undefined) !== (next === undefined))
    throw refuse('the active key is not the last one, or none is active')
  if (Date.parse(activeTo ?? activeFrom) < Date.parse(activeFrom))
    throw refuse('a published key stopped before it began')
  if (next !== undefined && Date.parse(next.activeFrom) < Date.parse(activeTo ?? activeFrom))
    throw refuse('a published key began before the one before it stopped')
}

function requireStill(before: PinnedKey, keys: readonly PinnedKey[], index: number): void {
  const now = keys.find(({ keyId: id }) => id === before.keyId)
  if (now === undefined) throw new AuditError('key_vanished', 'an attestation key that was published before is missing')
  const isSame = keys[index] === now && now.public === before.public && now.activeFrom === before.activeFrom
  if (!isSame || (before.activeTo !== undefined && now.activeTo !== before.activeTo))
    throw new AuditError('key_changed', 'an attestation key that was published before has changed')
}

function fingerprintOf(publicKey: string): string | undefined {
  try {
    return keyId(fromBase64(publicKey))
  } catch {
    return undefined
  }
}
