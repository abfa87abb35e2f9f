import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type {
  AttestationKeysResponse,
  DeprecationResponse,
  DeprecationsResponse,
  KeyChangeResponse,
  MovesResponse,
  PublishedKeyResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
} from '@blindkeep/protocol/schemas/discovery'
import type {
  Discovery,
  PublishedChanges,
  PublishedKey,
  PublishedKeys,
  Revocations,
  ServerInfo,
} from '../../domain/discovery/discovery.ts'
import type { Deprecation } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { mapInSlices } from '../wire/slices.ts'

type Row = 'attestationKeys' | 'deprecation' | 'moves' | 'revokedJti' | 'serverInfo'

const REVOCATIONS_STALE_SECONDS = 900

const publicFor = (seconds: number) => ({ 'Cache-Control': `public, max-age=${seconds}` })
/** Clients compare keys with receipts and with statements: an older list would look like a forgery to them. */
const ASKED_EACH_TIME = { 'Cache-Control': 'public, max-age=0, must-revalidate' }

/** What a client may send in one piece. Larger bodies are answered 413. */
export interface DiscoverySettings {
  readonly requestBytesMax: number
  readonly chunkBytesMax: number
  readonly chunkBytesSuggested: number
  readonly blobBytesMax: number
  readonly retentionDaysMax: number
}

export function discoveryRoutes(
  { discovery }: { readonly discovery: Discovery },
  settings: DiscoverySettings,
): Pick<Routes, Row> {
  const keysDocument = memoized(keysDocumentOf)
  const movesDocument = memoized(movesDocumentOf)
  const deprecationsDocument = memoized(deprecationsDocumentOf)
  const revocationsDocument = memoized(revocationsDocumentOf)
  const infoDocument = memoized((info: ServerInfo) => infoDocumentOf(info, settings))
  return {
    async attestationKeys() {
      return { status: 200, body: keysDocument(await discovery.attestationKeys()), headers: ASKED_EACH_TIME }
    },
    async deprecation() {
      return { status: 200, body: deprecationsDocument(discovery.deprecations()), headers: publicFor(300) }
    },
    async moves() {
      return { status: 200, body: movesDocument(await discovery.moves()), headers: ASKED_EACH_TIME }
    },
    async revokedJti() {
      return { status: 200, body: await revocationsDocument(await discovery.revocations()), headers: publicFor(60) }
    },
    async serverInfo() {
      return { status: 200, body: infoDocument(await discovery.serverInfo()), headers: publicFor(300) }
    },
  }
}

/** Returns the same object while its input has the same members, so that `http/reply.ts` serializes it once. */
function memoized<Input extends object, Output>(make: (input: Input) => Output): (input: Input) => Output {
  let last: { readonly members: readonly unknown[]; readonly output: Output } | undefined
  return (input) => {
    const members: readonly unknown[] = Object.values(input)
    const isSame = last?.members.length === members.length && members.every((each, at) => each === last?.members[at])
    if (last === undefined || !isSame) last = { members, output: make(input) }
    return last.output
  }
}

function infoDocumentOf(info: ServerInfo, settings: DiscoverySettings): ServerInfoResponse {
  const { serverId, publicUrl, federationUrl, min, max, signingKey, deprecations, movesTo, movedFrom } = info
  const auth = `${publicUrl}/v1/auth`
  return {
    server_id: serverId,
    public_url: publicUrl,
    api_base_url: `${publicUrl}/v1`,
    auth: { login: `${auth}/login`, refresh: `${auth}/refresh`, logout: `${auth}/logout` },
    ...(federationUrl !== undefined && { federation_url: federationUrl }),
    protocol_version: { min, max },
    signing_key: toBase64(signingKey),
    signing_algorithm: 'ed25519',
    deprecations: deprecations.map(announcementOf),
    ...(movesTo !== undefined && { moves_to: { server_id: movesTo.serverId, on: formatInstant(movesTo.on) } }),
    ...(movedFrom !== undefined && {
      moved_from: { server_id: movedFrom.serverId, moved_at: movedFrom.movedAt },
    }),
    limits: {
      request_bytes: settings.requestBytesMax,
      chunk_bytes: settings.chunkBytesMax,
      suggested_chunk_size: settings.chunkBytesSuggested,
      blob_bytes: settings.blobBytesMax,
      retention_days: settings.retentionDaysMax,
    },
  }
}

function deprecationsDocumentOf(deprecations: readonly Deprecation[]): DeprecationsResponse {
  return { announcements: deprecations.map(announcementOf) }
}

function announcementOf({ minProtocolVersion, announcedAt, cutoff, detailUrl }: Deprecation): DeprecationResponse {
  return {
    min_protocol_version: minProtocolVersion,
    announced_at: formatInstant(announcedAt),
    cutoff: formatInstant(cutoff),
    ...(detailUrl !== undefined && { detail_url: detailUrl }),
  }
}

async function revocationsDocumentOf({ at, revoked }: Revocations): Promise<RevokedJtiResponse> {
  return {
    generated_at: formatInstant(at),
    max_staleness_seconds: REVOCATIONS_STALE_SECONDS,
    revoked: await mapInSlices(revoked, ({ jti, expiresAt }) => ({ jti, expires_at: formatInstant(expiresAt) })),
  }
}

function keysDocumentOf({ serverId, keys }: PublishedKeys): AttestationKeysResponse {
  return { server_id: serverId, keys: keys.map(publishedKeyOf) }
}

function movesDocumentOf({ serverId, moves, rotations }: PublishedChanges): MovesResponse {
  return { server_id: serverId, moves: moves.map(keyChangeOf), rotations: rotations.map(keyChangeOf) }
}

function keyChangeOf({ leave, arrive }: PublishedChanges['moves'][number]): KeyChangeResponse {
  return { leave: toBase64(leave), arrive: toBase64(arrive) }
}

function publishedKeyOf({ keyId, publicKey, activeFrom, activeTo }: PublishedKey): PublishedKeyResponse {
  return {
    key_id: keyId as string as PublishedKeyResponse['key_id'],
    public: toBase64(publicKey),
    algorithm: HYBRID_ALGORITHM,
    active_from: formatInstant(activeFrom),
    ...(activeTo !== undefined && { active_to: formatInstant(activeTo) }),
  }
}
