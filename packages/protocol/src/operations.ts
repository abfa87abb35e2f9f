import {
  parseAlbumId,
  parseAssetId,
  parseBinId,
  parseChannelId,
  parseDeviceId,
  parseDropId,
  parseJti,
  parseOpaqueId,
  parsePasskeyId,
  parseSessionId,
  parseSha256Hex,
  parseUploadId,
} from './ids.ts'
import { accountOperations } from './operations/accounts.ts'
import { albumOperations } from './operations/albums.ts'
import { assetOperations } from './operations/assets.ts'
import { binOperations } from './operations/bin.ts'
import { blobOperations } from './operations/blobs.ts'
import { capabilityOperations } from './operations/capabilities.ts'
import { channelOperations } from './operations/channels.ts'
import { deviceOperations } from './operations/devices.ts'
import { discoveryOperations } from './operations/discovery.ts'
import { guestOperations } from './operations/guest.ts'
import { inboxOperations } from './operations/inbox.ts'
import { linkOperations } from './operations/links.ts'
import type { Operation, Operations } from './operations/operation.ts'
import { ownAccountOperations } from './operations/ownAccount.ts'
import { passkeyOperations } from './operations/passkeys.ts'
import { quotaOperations } from './operations/quota.ts'
import { recoveryOperations } from './operations/recovery.ts'
import { secondFactorOperations } from './operations/secondFactor.ts'
import { serviceOperations } from './operations/service.ts'
import { sessionOperations } from './operations/sessions.ts'
import { shareOperations } from './operations/shares.ts'
import { syncOperations } from './operations/sync.ts'
import { uploadOperations } from './operations/uploads.ts'
import { verifyOperations } from './operations/verify.ts'
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from './problems.ts'
import { AlbumResponse } from './schemas/albums.ts'
import { AssetBlobResponse, AssetResponse } from './schemas/assets.ts'
import { BinEntryResponse } from './schemas/bin.ts'
import { CapabilityResponse } from './schemas/capabilities.ts'
import { ChannelResponse } from './schemas/channels.ts'
import { DeviceResponse } from './schemas/devices.ts'
import { CreateDropResponse, InboxResponse } from './schemas/drops.ts'
import { ProvisionLinkResponse } from './schemas/links.ts'
import { PasskeyResponse } from './schemas/passkeys.ts'
import { CodedProblem } from './schemas/problem.ts'
import { SessionResponse } from './schemas/sessions.ts'
import { isNegotiatedPath } from './window.ts'

export * from './operations/operation.ts'

/**
 * The table of all operations, in the order of the document; each noun has its file. Routes, the client's calls and
 * /openapi.json come from these rows. A row without a route does not compile, nor does a refusal that its row does
 * not declare.
 */
export const operations = {
  ...discoveryOperations,
  ...serviceOperations,
  ...accountOperations,
  ...secondFactorOperations,
  ...recoveryOperations,
  ...sessionOperations,
  ...ownAccountOperations,
  ...passkeyOperations,
  ...deviceOperations,
  ...albumOperations,
  ...capabilityOperations,
  ...uploadOperations,
  ...assetOperations,
  ...syncOperations,
  ...verifyOperations,
  ...blobOperations,
  ...quotaOperations,
  ...linkOperations,
  ...inboxOperations,
  ...binOperations,
  ...channelOperations,
  ...guestOperations,
  ...shareOperations,
} as const satisfies Operations

export type OperationName = keyof typeof operations
export type OperationOf<Name extends OperationName> = (typeof operations)[Name]

/** Whether the operation checks the protocol header. */
export function judgesProtocol(operation: Operation): boolean {
  return isNegotiatedPath(operation.path) && operation.neverFails !== true
}

/** The problems that the gates of an operation of this kind may answer. */
export function gateProblems(operation: Operation): readonly ProblemCode[] {
  const bearer = operation.auth === 'bearer'
  return [
    ...(judgesProtocol(operation) ? (['error.request.malformed'] as const) : []),
    ...(bearer ? (['error.request.unauthenticated', 'error.auth.session_expired'] as const) : []),
    ...(bearer ? (['error.account.suspended'] as const) : []),
    ...(operation.proves === true ? (['error.auth.proof_invalid'] as const) : []),
    ...(operation.creates === true ? (['error.protocol.version_unsupported'] as const) : []),
    ...(isRated(operation) || answersList(operation) ? (['error.request.rate_limited'] as const) : []),
    ...(operation.body !== undefined ? (['error.request.unsupported_media_type'] as const) : []),
    ...(operation.body?.type === 'application/json' ? (['error.request.unprocessable'] as const) : []),
    'error.request.payload_too_large',
    'error.request.overloaded',
    'error.request.failed',
    ...(asksStore(operation) ? (['error.storage.unavailable'] as const) : []),
    ...(asksStore(operation) && operation.method !== 'GET' && operation.method !== 'HEAD'
      ? (['error.storage.full'] as const)
      : []),
  ]
}

/** Whether a session and an account may call it only so often. */
export function isRated({ leaves }: Operation): boolean {
  return leaves === 'rows' || leaves === 'uploads'
}

/** Whether its JSON has a list of the account's rows. Of such answers only a few are made for an account at once. */
export function answersList({ method, auth, answers }: Operation): boolean {
  const body = answers[200]?.body
  if (auth !== 'bearer' || method !== 'GET' || typeof body !== 'object') return false
  const { properties = {} } = body as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
  return Object.values(properties).some(({ type }) => type === 'array')
}

/**
 * Whether it reads or writes rows. The list of revoked tokens has one answer to failures (specification, Discovery).
 */
function asksStore({ tag, problems }: Operation): boolean {
  return tag !== 'service' && !problems.includes('error.federation.revocations_unavailable')
}

/** All problem codes that an operation may answer, without repeats. */
export function problemsOf(operation: Operation): readonly ProblemCode[] {
  return [...new Set([...gateProblems(operation), ...operation.problems])]
}

/** The status of a code as the operation answers it. */
export function statusOf(operation: Operation, code: ProblemCode): number {
  return operation.statuses?.[code] ?? PROBLEMS[code].status
}

/** The path parameters, each with its parser. */
export const PATH_PARAMETERS = {
  code: {
    parse: (text: string): ProblemCode | undefined => PROBLEM_CODES.find((code) => code === text),
    schema: CodedProblem.properties.code,
    description: 'A problem code.',
  },
  opaque_id: {
    parse: parseOpaqueId,
    schema: ProvisionLinkResponse.properties.opaque_id,
    description: 'The link or the share.',
  },
  upload_id: {
    parse: parseUploadId,
    schema: CreateDropResponse.properties.upload_id,
    description: 'The upload session.',
  },
  session_id: {
    parse: parseSessionId,
    schema: SessionResponse.properties.session_id,
    description: 'The session.',
  },
  device_id: { parse: parseDeviceId, schema: DeviceResponse.properties.device_id, description: 'The device.' },
  passkey_id: { parse: parsePasskeyId, schema: PasskeyResponse.properties.passkey_id, description: 'The passkey.' },
  album_id: { parse: parseAlbumId, schema: AlbumResponse.properties.album_id, description: 'The album.' },
  channel_id: { parse: parseChannelId, schema: ChannelResponse.properties.channel_id, description: 'The channel.' },
  jti: { parse: parseJti, schema: CapabilityResponse.properties.jti, description: 'The token.' },
  bin_id: {
    parse: parseBinId,
    schema: BinEntryResponse.properties.bin_id,
    description: 'The drop or the asset in the bin.',
  },
  asset_id: { parse: parseAssetId, schema: AssetResponse.properties.asset_id, description: 'The asset.' },
  hash: { parse: parseSha256Hex, schema: AssetBlobResponse.properties.hash, description: 'SHA-256 of the ciphertext.' },
  drop_id: {
    parse: parseDropId,
    schema: InboxResponse.properties.drops.items.properties.drop_id,
    description: 'The drop.',
  },
} as const
