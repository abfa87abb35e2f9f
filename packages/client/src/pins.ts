import { fromBase64 } from '@blindkeep/protocol/bytes'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import type { AttestationKeysResponse } from '@blindkeep/protocol/schemas/discovery'
import { AuditError } from './auditError.ts'

/**
 * The attestation keys of one server as last seen. Plain JSON and no secret; keep it as long as you keep receipts.
 * The server's list is append-only (specification, Discovery), so a key that goes away or changes is an alarm.
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
}

/**
 * Checks a published list by itself and against what was seen before; gives what to pin from now on.
 * Throws `AuditError`: `wrong_server`, `key_malformed`, `key_vanished` or `key_changed`.
 */
export function pinKeys(published: AttestationKeysResponse, serverId: string, pinned?: PinnedKeys): PinnedKeys {
  if (published.server_id !== serverId)
    throw new AuditError('wrong_server', 'the list of attestation keys names another server')
  if (pinned !== undefined && pinned.serverId !== serverId)
    throw new AuditError('wrong_server', 'the keys remembered are another server’s')
  const keys = published.keys.map((key) => ({ keyId: key.key_id, public: key.public, activeFrom: key.active_from }))
  for (const [index, before] of (pinned?.keys ?? []).entries()) requireStill(before, keys, index)
  for (const key of published.keys) {
    if (key.algorithm !== HYBRID_ALGORITHM || fingerprintOf(key.public) !== key.key_id)
      throw new AuditError('key_malformed', 'a published key is not the one that its key_id names')
  }
  return { serverId, keys }
}

function requireStill(before: PinnedKey, keys: readonly PinnedKey[], index: number): void {
  const now = keys.find(({ keyId: id }) => id === before.keyId)
  if (now === undefined) throw new AuditError('key_vanished', 'an attestation key that was published before is gone')
  if (keys[index] !== now || now.public !== before.public || now.activeFrom !== before.activeFrom)
    throw new AuditError('key_changed', 'an attestation key that was published before is no longer what it was')
}

function fingerprintOf(publicKey: string): string | undefined {
  try {
    return keyId(fromBase64(publicKey))
  } catch {
    return undefined
  }
}
