import type { PinnedKeys } from '@blindkeep/client/receipts'

const ALGORITHM = 'hybrid-ed25519-mldsa65'

/**
 * What a checker of receipts needs besides them, in the server's own form: an AttestationKeysResponse, and a
 * MovesResponse if the server publishes one.
 */
export function publishedKeys({ serverId, keys, keyChanges }: PinnedKeys) {
  return {
    server_id: serverId,
    keys: keys.map(({ keyId, public: bytes, activeFrom, activeTo }) => ({
      key_id: keyId,
      algorithm: ALGORITHM,
      public: bytes,
      active_from: activeFrom,
      ...(activeTo === undefined ? {} : { active_to: activeTo }),
    })),
    ...keyChanges,
  }
}
