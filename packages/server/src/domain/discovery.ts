import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant, type KeyId, type ProtocolVersion } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  DeprecationResponse,
  DeprecationsResponse,
  PublishedKeyResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
} from '@blindkeep/protocol/schemas/discovery'
import type { Clock } from '../ports/clock.ts'
import type { AttestationKey, Deprecation, Store } from '../ports/store.ts'
import { keptFor } from './keptFor.ts'
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
/**
 * What is read of the store is read once in this time, however many ask: the documents are for everybody, and accounts can lengthen one of them. All are
 * let be cached for longer than that.
 */
const KEPT_MS = 1000

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
  const publishedKeys = keptFor(clock, KEPT_MS, () => store.read((tx) => tx.keys.attestationKeys()))
  let signedWith: KeyId | undefined

  const serverInfoOf = remembering(
    (min: ProtocolVersion, announced: readonly Deprecation[], signingKey: Uint8Array): ServerInfoResponse => {
      const auth = `${publicUrl}/v1/auth`
      return {
        server_id: serverId,
        api_base_url: `${publicUrl}/v1`,
        auth: { login: `${auth}/login`, refresh: `${auth}/refresh`, logout: `${auth}/logout` },
        ...(federationUrl !== undefined && { federation_url: federationUrl }),
        protocol_version: { min, max: protocolWindow.current().max },
        signing_key: toBase64(signingKey),
        signing_algorithm: 'ed25519',
        deprecations: announced.map(announcementOf),
      }
    },
  )
  const deprecationsOf = remembering(
    (announced: readonly Deprecation[]): DeprecationsResponse => ({ announcements: announced.map(announcementOf) }),
  )
  const attestationKeysOf = remembering(
    (keys: readonly AttestationKey[]): AttestationKeysResponse => ({
      server_id: serverId,
      keys: keys.map(publishedKeyOf),
    }),
  )

  return {
    async serverInfo(): Promise<ServerInfoResponse> {
      return serverInfoOf(protocolWindow.current().min, protocolWindow.announced(), await tokens.publicKey())
    },

    async deprecations(): Promise<DeprecationsResponse> {
      return deprecationsOf(protocolWindow.announced())
    },

    /** Throws when the list cannot be read: an empty one would claim that nothing is revoked (specification, Discovery). */
    revokedJti: keptFor(clock, KEPT_MS, async (): Promise<RevokedJtiResponse> => {
      // Before the list is read, so that it is never younger than what it tells.
      const now = clock.now()
      const revoked = await store.read((tx) => tx.capabilities.revoked(now))
      return {
        generated_at: formatInstant(now),
        max_staleness_seconds: REVOCATIONS_STALE_SECONDS,
        revoked: revoked.map(({ jti, expiresAt }) => ({ jti, expires_at: formatInstant(expiresAt) })),
      }
    }),

    async attestationKeys(): Promise<AttestationKeysResponse> {
      return attestationKeysOf(await publishedKeys())
    },

    /** To be told before a receipt is signed with a key: whoever has the receipt finds the key in the list. */
    signsWith({ keyId }: AttestationKey): void {
      if (keyId !== signedWith) publishedKeys.forget()
      signedWith = keyId
    },
  }
}

/** What was made last, the same object, for as long as it is made of the same: so its bytes are written once too (`http/reply.ts`). */
function remembering<Given extends readonly unknown[], Made>(
  make: (...given: Given) => Made,
): (...given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined
  return (...given) => {
    const before = last
    if (before !== undefined && given.every((each, at) => each === before.given[at])) return before.made
    last = { given, made: make(...given) }
    return last.made
  }
}

function publishedKeyOf({ keyId, publicKey, activeFrom, activeTo }: AttestationKey): PublishedKeyResponse {
  return {
    key_id: keyId as string as PublishedKeyResponse['key_id'],
    public: toBase64(publicKey),
    algorithm: HYBRID_ALGORITHM,
    active_from: formatInstant(activeFrom),
    ...(activeTo !== undefined && { active_to: formatInstant(activeTo) }),
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
