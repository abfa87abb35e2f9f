import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  DeprecationResponse,
  DeprecationsResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
} from '@blindkeep/protocol/schemas/discovery'
import type { Clock } from '../ports/clock.ts'
import type { Deprecation, Store } from '../ports/store.ts'
import type { AcceptedVersions } from './protocolWindow.ts'
import type { SigningKey } from './signingKey.ts'

/** Public facts about the server; nothing here has to do with any user. */
export interface ServerFacts {
  readonly serverId: string
  /** Without a slash at its end. */
  readonly publicUrl: string
  readonly federationUrl: string | undefined
}

const REVOCATIONS_STALE_SECONDS = 900

interface DiscoveryPorts {
  readonly store: Store
  readonly clock: Clock
  readonly tokens: Pick<SigningKey, 'publicKey'>
  readonly protocolWindow: AcceptedVersions
}

export type Discovery = ReturnType<typeof createDiscovery>

export function createDiscovery(
  { store, clock, tokens, protocolWindow }: DiscoveryPorts,
  { serverId, publicUrl, federationUrl }: ServerFacts,
) {
  return {
    async serverInfo(): Promise<ServerInfoResponse> {
      const auth = `${publicUrl}/v1/auth`
      const announced = await protocolWindow.refresh()
      const window = protocolWindow.current()
      return {
        server_id: serverId,
        api_base_url: `${publicUrl}/v1`,
        auth: { login: `${auth}/login`, refresh: `${auth}/refresh`, logout: `${auth}/logout` },
        ...(federationUrl !== undefined && { federation_url: federationUrl }),
        protocol_version: { min: window.min, max: window.max },
        signing_key: toBase64(await tokens.publicKey()),
        signing_algorithm: 'ed25519',
        deprecations: announced.map(announcementOf),
      }
    },

    async deprecations(): Promise<DeprecationsResponse> {
      return { announcements: (await protocolWindow.refresh()).map(announcementOf) }
    },

    /** Throws when the list cannot be read: an empty one would claim that nothing is revoked (specification, Discovery). */
    async revokedJti(): Promise<RevokedJtiResponse> {
      // Before the list is read, so that it is never younger than what it tells.
      const now = clock.now()
      const revoked = await store.read((tx) => tx.capabilities.revoked(now))
      return {
        generated_at: formatInstant(now),
        max_staleness_seconds: REVOCATIONS_STALE_SECONDS,
        revoked: revoked.map(({ jti, expiresAt }) => ({ jti, expires_at: formatInstant(expiresAt) })),
      }
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

function announcementOf({ minProtocolVersion, announcedAt, cutoff, detailUrl }: Deprecation): DeprecationResponse {
  return {
    min_protocol_version: minProtocolVersion,
    announced_at: formatInstant(announcedAt),
    cutoff: formatInstant(cutoff),
    ...(detailUrl !== undefined && { detail_url: detailUrl }),
  }
}
