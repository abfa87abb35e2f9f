import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  DeprecationsResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
} from '@blindkeep/protocol/schemas/discovery'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

/** Public facts about the server; nothing here has to do with any user. */
export interface ServerFacts {
  readonly serverId: string
  /** Without a slash at its end. */
  readonly publicUrl: string
  readonly federationUrl: string | undefined
  readonly window: ProtocolWindow
  /** Raw Ed25519 key that access and capability tokens verify under. */
  readonly signingKey: Uint8Array
}

const REVOCATIONS_STALE_SECONDS = 900

export type Discovery = ReturnType<typeof createDiscovery>

export function createDiscovery(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  facts: ServerFacts,
) {
  const { serverId, publicUrl, federationUrl, window, signingKey } = facts
  return {
    serverInfo(): ServerInfoResponse {
      const auth = `${publicUrl}/v1/auth`
      return {
        server_id: serverId,
        api_base_url: `${publicUrl}/v1`,
        auth: { login: `${auth}/login`, refresh: `${auth}/refresh`, logout: `${auth}/logout` },
        ...(federationUrl !== undefined && { federation_url: federationUrl }),
        protocol_version: { min: window.min, max: window.max },
        signing_key: toBase64(signingKey),
        signing_algorithm: 'ed25519',
        deprecations: [],
      }
    },

    /** No cutoff can be announced yet; the list is empty because there is none. */
    deprecations(): DeprecationsResponse {
      return { announcements: [] }
    },

    /** No capability token can be minted yet, so none can have been revoked. */
    revokedJti(): RevokedJtiResponse {
      return { generated_at: formatInstant(clock.now()), max_staleness_seconds: REVOCATIONS_STALE_SECONDS, revoked: [] }
    },

    async attestationKeys(): Promise<AttestationKeysResponse> {
      const keys = await store.read((tx) => tx.keys.attestationKeys())
      return {
        server_id: serverId,
        keys: keys.map(({ keyId, publicKey, activeFrom, activeTo }) => ({
          key_id: keyId as string as AttestationKeysResponse['keys'][number]['key_id'],
          public: toBase64(publicKey),
          algorithm: HYBRID_ALGORITHM,
          active_from: formatInstant(activeFrom),
          ...(activeTo !== undefined && { active_to: formatInstant(activeTo) }),
        })),
      }
    },
  }
}
