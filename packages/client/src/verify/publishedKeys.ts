import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type { PinnedKeys } from './pinnedKeys.ts'

/**
 * What a checker of receipts needs besides them, in the server's own form: an AttestationKeysResponse, and a
 * MovesResponse if the server publishes one.
 */
export function publishedKeys({ serverId, keys, keyChanges }: PinnedKeys) {
  return {
    server_id: serverId,
    keys: keys.map(({ keyId, public: bytes, activeFrom, activeTo }) => ({
      key_id: keyId,
      algorithm: HYBRID_ALGORITHM,
      public: bytes,
      active_from: activeFrom,
      ...(activeTo === undefined ? {} : { active_to: activeTo }),
    })),
    ...keyChanges,
  }
}
