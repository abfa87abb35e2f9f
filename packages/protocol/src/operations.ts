import { type TSchema, Type } from 'typebox'
import {
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseDropId,
  parseJti,
  parseOpaqueId,
  parseSessionId,
  parseSha256Hex,
  parseUploadId,
} from './ids.ts'
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from './problems.ts'
import {
  AccountResponse,
  ChallengeResponse,
  ChangePasswordRequest,
  ConfirmTotpRequest,
  ConfirmTotpResponse,
  DeleteAccountRequest,
  DisableTotpRequest,
  EnrollTotpRequest,
  EnrollTotpResponse,
  FinishRecoveryRequest,
  KdfRequest,
  KdfResponse,
  LoginRequest,
  RefreshRequest,
  RegisterRequest,
  StartRecoveryRequest,
  StartRecoveryResponse,
  TokenResponse,
  VerifyTotpRequest,
} from './schemas/accounts.ts'
import { AlbumResponse, AlbumsResponse, CreateAlbumRequest } from './schemas/albums.ts'
import {
  AdoptRequest,
  AdoptResponse,
  AssetBlobResponse,
  AssetReceiptsResponse,
  AssetResponse,
} from './schemas/assets.ts'
import {
  CapabilitiesResponse,
  CapabilityResponse,
  MintCapabilityRequest,
  MintCapabilityResponse,
} from './schemas/capabilities.ts'
import { AddDeviceRequest, DeviceResponse, DevicesResponse } from './schemas/devices.ts'
import {
  AttestationKeysResponse,
  DeprecationsResponse,
  HealthResponse,
  ReadinessResponse,
  RevokedJtiResponse,
  ServerInfoResponse,
  VersionResponse,
} from './schemas/discovery.ts'
import { CreateDropRequest, CreateDropResponse, InboxResponse } from './schemas/drops.ts'
import { GuestLinkResponse, LinksResponse, ProvisionLinkRequest, ProvisionLinkResponse } from './schemas/links.ts'
import { CodedProblem } from './schemas/problem.ts'
import { QuotaResponse } from './schemas/quota.ts'
import { AssetReceipt } from './schemas/receipts.ts'
import { SessionResponse, SessionsResponse } from './schemas/sessions.ts'
import { CreateShareRequest, CreateShareResponse, ShareResponse, SharesResponse } from './schemas/shares.ts'
import { SYNC_ENTRIES_DEFAULT, SYNC_ENTRIES_MAX, SyncResponse } from './schemas/sync.ts'
import { CreateUploadRequest, CreateUploadResponse, UploadsResponse } from './schemas/uploads.ts'
import { StorageVerifyRequest, StorageVerifyResponse } from './schemas/verify.ts'
import { isNegotiatedPath } from './window.ts'
import { SERVICE } from './wire.ts'

/**
 * The one table of what the server answers. Routes, the client's calls and /openapi.json come from these rows;
 * a row without a route, or a refusal that its row does not declare, does not compile.
 */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the server's base URL; parameters in braces are path segments. */
  readonly path: string
  readonly tag:
    | 'discovery'
    | 'accounts'
    | 'devices'
    | 'albums'
    | 'federation'
    | 'uploads'
    | 'assets'
    | 'sync'
    | 'links'
    | 'guest'
    | 'inbox'
    | 'shares'
    | 'quota'
    | 'service'
  /** `link`: possession of the opaque id in the path is the credential. */
  readonly auth: 'none' | 'bearer' | 'link'
  readonly summary: string
  /** What a client's author has to know beyond the shapes. */
  readonly description: string
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly requestHeaders?: readonly HeaderName[]
  readonly body?: JsonBody | ChunkBody
  /** A probe: nothing that a client sends makes it fail, a malformed protocol header neither. */
  readonly neverFails?: true
  /** A write that creates: refused outside the protocol window (specification, Versioning, 3). */
  readonly creates?: true
  /** A GET that answers HEAD too: the same without the body. */
  readonly answersHead?: true
  /** A suspended account may not do it. */
  readonly writes?: true
  readonly answers: Readonly<Record<number, Answer>>
  /** What it says beyond the gates that every operation of its kind has (`gateProblems`). */
  readonly problems: readonly ProblemCode[]
  /** Codes that have another status here than in the catalog. */
  readonly statuses?: Readonly<Partial<Record<ProblemCode, number>>>
}

export interface JsonBody {
  readonly type: 'application/json'
  readonly schema: TSchema
  /** Members whose values the operation itself judges, in an order of its own. Unknown members and JSON types are judged before it all the same. */
  readonly judgedLater?: readonly string[]
}

export interface ChunkBody {
  readonly type: 'application/octet-stream'
}

export interface Answer {
  readonly description: string
  /** A JSON shape; or sealed bytes, a JSON document of another standard's shape, a page for people, or server-sent events without an end. */
  readonly body?: TSchema | 'bytes' | 'json' | 'html' | 'events'
  readonly headers?: readonly HeaderName[]
}

export interface QueryParameter {
  readonly description: string
  readonly required: boolean
  /** Of a string, or of an integer in decimal digits. */
  readonly schema: TSchema
}

export type HeaderName = keyof typeof HEADER_DOCS

export const HEADER_DOCS = {
  'X-Service-Offset': 'Requests: the byte of the blob at which the chunk starts. Answers: the byte at which to go on.',
  'X-Service-Checksum': 'SHA-256 of the chunk, 64 lowercase hex characters.',
  'X-Service-Length': 'Declared size of the blob in bytes.',
  'X-Service-State': 'open, finishing, landed or failed.',
  'Idempotency-Key':
    'Any text of the client’s, 1 to 255 printable ASCII characters: the same key again answers with the same session.',
  Range: 'One range of bytes (RFC 9110, section 14); several are answered whole.',
  'If-Range': 'The ETag that the range belongs to.',
  'If-None-Match': 'ETags that the client holds.',
  'Last-Event-ID': 'The id of the last event that the client has heard: the stream goes on after it.',
  'X-Accel-Buffering': 'no: what stands in front of the server passes each event on at once.',
  Location: 'Path of what was created.',
  ETag: 'The ciphertext hash, or the version of the document.',
  'Accept-Ranges': 'bytes',
  'Content-Range': 'Which bytes of how many.',
  'Cache-Control': 'How long the answer may be kept.',
  'Retry-After': 'Seconds to wait.',
  'WWW-Authenticate': 'Bearer realm="service", with the errors of RFC 6750.',
  Allow: 'Methods that the path has.',
  Upgrade: 'service/ and the newest protocol version.',
  Warning:
    'There when the protocol version of the request is below an announced cutoff: 299, and the path of the deprecation document.',
  'X-Request-Id': 'Names this answer; a problem’s instance carries it too.',
  'X-Service-Protocol-Min': 'Oldest protocol version accepted for writes.',
  'X-Service-Protocol-Max': 'Newest protocol version.',
} as const

const chunkHeaders = ['X-Service-Offset', 'X-Service-Checksum'] as const
const cachedDocument = <Body extends TSchema>(description: string, body: Body) =>
  ({
    200: { description, body, headers: ['ETag', 'Cache-Control'] },
    304: { description: 'The client’s copy is current.', headers: ['ETag', 'Cache-Control'] },
  }) as const

const content = {
  200: { description: 'The sealed bytes.', body: 'bytes', headers: ['ETag', 'Accept-Ranges'] },
  206: { description: 'The range asked for.', body: 'bytes', headers: ['ETag', 'Content-Range'] },
  304: { description: 'The client’s copy is current.', headers: ['ETag'] },
} as const

/** Under its own hash a content never changes. */
const immutableContent = {
  200: { ...content[200], headers: ['ETag', 'Accept-Ranges', 'Cache-Control'] },
  206: { ...content[206], headers: ['ETag', 'Content-Range', 'Cache-Control'] },
  304: { ...content[304], headers: ['ETag', 'Cache-Control'] },
} as const

/** What every chunk may meet, whatever it is sent through. */
const chunkProblems = [
  'error.upload.session_not_found',
  'error.upload.missing_offset',
  'error.upload.missing_checksum',
  'error.upload.empty_chunk',
  'error.upload.checksum_mismatch',
  'error.upload.offset_mismatch',
  'error.upload.chunk_conflict',
  'error.upload.size_exceeded',
  'error.upload.too_many_chunks',
  'error.upload.session_closed',
  'error.upload.content_hash_mismatch',
  'error.storage.unavailable',
] as const

/** What a manifest may be refused for, by an upload and an adoption alike. */
const manifestProblems = [
  'error.upload.unsupported_content_type',
  'error.manifest.suite_unknown',
  'error.manifest.invalid',
  'error.manifest.mismatch',
  'error.manifest.timestamp_out_of_range',
  'error.manifest.stale',
  'error.device.not_authorized',
  'error.album.not_available',
  'error.asset.id_taken',
] as const

const sessionState = {
  200: {
    description: 'Where the session stands. A landed one answers so for 30 days.',
    headers: ['X-Service-Offset', 'X-Service-Length', 'X-Service-State'],
  },
} as const

export const operations = {
  attestationKeys: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/attestation-keys`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Keys that receipts verify under',
    description:
      'Append-only, oldest first, the active key last. Pin what you saw: a key that vanishes or changes is an alarm.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Every key the server has signed receipts with.', AttestationKeysResponse),
    problems: [],
  },
  deprecation: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/deprecation`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Announced cutoffs of protocol versions',
    description: 'The same announcements as in server-info; a Warning header on an answer points here.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('The announcements.', DeprecationsResponse),
    problems: [],
  },
  revokedJti: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/revoked-jti`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Revoked capability tokens',
    description: 'Judge its age by generated_at. When the list cannot be read the answer is 503, never an empty list.',
    answers: { 200: { description: 'The list.', body: RevokedJtiResponse, headers: ['Cache-Control'] } },
    problems: ['error.federation.revocations_unavailable'],
  },
  serverInfo: {
    method: 'GET',
    path: `/.well-known/${SERVICE}/server-info`,
    tag: 'discovery',
    answersHead: true,
    auth: 'none',
    summary: 'Where things are and what the server speaks',
    description: 'The first call of every client. Its addresses follow the whole path of the public URL.',
    requestHeaders: ['If-None-Match'],
    answers: cachedDocument('Public facts; nothing about any user.', ServerInfoResponse),
    problems: [],
  },
  version: {
    method: 'GET',
    path: '/v1/version',
    tag: 'service',
    neverFails: true,
    auth: 'none',
    summary: 'Name and release of the software',
    description: 'A probe; it has no failure of its own.',
    answers: { 200: { description: 'Name and release.', body: VersionResponse } },
    problems: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    auth: 'none',
    summary: 'This document',
    description: 'OpenAPI 3.2, made from the same table as the routes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'The document.', body: 'json', headers: ['ETag', 'Cache-Control'] },
      304: { description: 'The client’s copy is current.', headers: ['ETag', 'Cache-Control'] },
    },
    problems: [],
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    auth: 'none',
    summary: 'Is the process alive?',
    description: 'Answers as long as the process turns; asks nothing of the disk.',
    answers: { 200: { description: 'It is.', body: HealthResponse } },
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    auth: 'none',
    summary: 'Can it serve?',
    description: 'Asks the database and the blob store.',
    answers: {
      200: { description: 'Both answer.', body: ReadinessResponse },
      503: { description: 'One of them does not.', body: ReadinessResponse },
    },
    problems: [],
  },
  problemPage: {
    method: 'GET',
    path: '/problems/{code}',
    tag: 'service',
    auth: 'none',
    summary: 'What a problem code means and what to do',
    description: 'The page that the member `type` of every problem names.',
    answers: { 200: { description: 'A page for people.', body: 'html', headers: ['Cache-Control'] } },
    problems: ['error.request.not_found'],
  },
  register: {
    method: 'POST',
    path: '/v1/auth/register',
    tag: 'accounts',
    auth: 'none',
    summary: 'Register an account',
    description:
      'password is the authentication secret that the client derives from the password and the salt; neither the password nor the key derived beside it leaves the client. A repeat with identical values is the same success.',
    body: { type: 'application/json', schema: RegisterRequest },
    answers: { 201: { description: 'Registered and signed in.', body: TokenResponse } },
    problems: [
      'error.auth.registration_invalid',
      'error.auth.registration_closed',
      'error.auth.user_already_exists',
      'error.auth.rate_limited',
    ],
  },
  kdf: {
    method: 'POST',
    path: '/v1/auth/kdf',
    tag: 'accounts',
    auth: 'none',
    summary: 'Salt and version of an account’s key derivation',
    description: 'An unknown e-mail gets a made-up salt that stays the same.',
    body: { type: 'application/json', schema: KdfRequest },
    answers: { 200: { description: 'What the client derives with.', body: KdfResponse } },
    problems: ['error.auth.rate_limited'],
  },
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    tag: 'accounts',
    auth: 'none',
    summary: 'Open a session',
    description:
      'Unknown e-mail and wrong secret are one answer. 202 is a continuation, not a failure: the account has a second factor, and no session before its code is given.',
    body: { type: 'application/json', schema: LoginRequest },
    answers: {
      200: { description: 'Signed in.', body: TokenResponse },
      202: { description: 'The second factor is asked for.', body: ChallengeResponse },
    },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited'],
  },
  verifyTotp: {
    method: 'POST',
    path: '/v1/auth/login/verify-totp',
    tag: 'accounts',
    auth: 'none',
    summary: 'Complete a sign-in or a recovery that answered 202',
    description:
      'Takes a code of the authenticator (RFC 6238, one step of 30 s to either side) or a backup code. Each is good once, and the challenge for one answer. An unknown, expired or used-up challenge is one answer. Wrong codes are counted for the account too, so that new challenges give no more tries.',
    body: { type: 'application/json', schema: VerifyTotpRequest },
    answers: { 200: { description: 'Signed in.', body: TokenResponse } },
    problems: ['error.auth.totp_challenge_invalid', 'error.auth.totp_invalid_code', 'error.auth.rate_limited'],
  },
  enrollTotp: {
    method: 'POST',
    path: '/v1/auth/totp/enroll',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Begin with a second factor',
    description:
      'Asks for the present secret. Nothing is asked for at a sign-in before the factor is confirmed. Enrolling again replaces what was not confirmed.',
    body: { type: 'application/json', schema: EnrollTotpRequest },
    writes: true,
    answers: { 200: { description: 'What an authenticator reads, often from a QR code.', body: EnrollTotpResponse } },
    problems: ['error.auth.invalid_credentials', 'error.auth.totp_already_active', 'error.auth.rate_limited'],
  },
  confirmTotp: {
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor on',
    description:
      'With a code of the authenticator, which is used up by it. The answer is the only one that ever carries the backup codes. Sessions that are open stay open: end them where they are listed.',
    body: { type: 'application/json', schema: ConfirmTotpRequest },
    writes: true,
    answers: { 200: { description: 'It is on.', body: ConfirmTotpResponse } },
    problems: ['error.auth.totp_invalid_code', 'error.auth.totp_not_pending', 'error.auth.rate_limited'],
  },
  disableTotp: {
    method: 'POST',
    path: '/v1/auth/totp/disable',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Turn the second factor off',
    description:
      'Asks for the present secret and for a code of the authenticator or a backup code. All backup codes go with it.',
    body: { type: 'application/json', schema: DisableTotpRequest },
    writes: true,
    answers: { 204: { description: 'It is off.' } },
    problems: [
      'error.auth.invalid_credentials',
      'error.auth.totp_invalid_code',
      'error.auth.totp_not_enrolled',
      'error.auth.rate_limited',
    ],
  },
  startRecovery: {
    method: 'POST',
    path: '/v1/auth/recover/start',
    tag: 'accounts',
    auth: 'none',
    summary: 'The account key, sealed under the recovery words',
    description:
      'Whoever has the words opens it. An unknown e-mail, or an account without recovery words, gets a made-up one that stays the same: it opens with no words.',
    body: { type: 'application/json', schema: StartRecoveryRequest },
    answers: { 200: { description: 'What the words open.', body: StartRecoveryResponse } },
    problems: ['error.auth.rate_limited'],
  },
  finishRecovery: {
    method: 'POST',
    path: '/v1/auth/recover/finish',
    tag: 'accounts',
    auth: 'none',
    summary: 'Set a new secret by the recovery words',
    description:
      'Ends all sessions and opens a new one. password is the new authentication secret, sealed_account_key the account key sealed anew; what is left out stays as it is. A wrong proof and an unknown e-mail are one answer, and are counted as wrong secrets are. 202 is a continuation: with a second factor on, nothing is set before its code is given. The recovery words stay good.',
    body: { type: 'application/json', schema: FinishRecoveryRequest },
    answers: {
      200: { description: 'The secret is set, and the caller signed in.', body: TokenResponse },
      202: { description: 'The second factor is asked for.', body: ChallengeResponse },
    },
    problems: ['error.auth.recovery_invalid', 'error.auth.rate_limited'],
  },
  refresh: {
    method: 'POST',
    path: '/v1/auth/refresh',
    tag: 'accounts',
    auth: 'none',
    summary: 'Rotate the token pair',
    description:
      'A refresh token is used once. An honest repeat within 60 s gets the same successor; a later reuse ends the session.',
    body: { type: 'application/json', schema: RefreshRequest },
    answers: { 200: { description: 'The new pair.', body: TokenResponse } },
    problems: ['error.auth.session_expired'],
  },
  logout: {
    method: 'POST',
    path: '/v1/auth/logout',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'End this session',
    description: 'Its tokens end at once.',
    answers: { 204: { description: 'Ended.' } },
    problems: [],
  },
  listSessions: {
    method: 'GET',
    path: '/v1/auth/sessions',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Where the account is signed in',
    description:
      'Sessions that have not ended, oldest first. There are 100 at most: when one more opens, the one that has gone unused for longest ends.',
    answers: { 200: { description: 'The sessions.', body: SessionsResponse } },
    problems: [],
  },
  endSession: {
    method: 'DELETE',
    path: '/v1/auth/sessions/{session_id}',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'End one of the caller’s sessions',
    description:
      'Its tokens end at once, and its event streams within seconds. The caller’s own is ended as by logging out. One that is over, unknown or somebody else’s is the same 204.',
    answers: { 204: { description: 'The caller has no such session any more.' } },
    problems: [],
  },
  changePassword: {
    method: 'POST',
    path: '/v1/auth/password',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Change the password',
    description:
      'Asks for the present secret, and ends all other sessions; the caller’s goes on. Give the account key sealed anew: salt and sealed_account_key that are left out stay as they are. The recovery words stay good. Of two changes at once one wins, the other is told that its current_password is wrong. The same values again, salt and sealed_account_key among them, are the same success.',
    body: { type: 'application/json', schema: ChangePasswordRequest },
    writes: true,
    answers: { 204: { description: 'Changed.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited'],
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Delete the account',
    description:
      'For good, with all that it keeps. Asks for the present secret. Its sessions and links end with the answer and its e-mail is free; what it kept is let go of right afterwards, and its bytes are removed when they have waited out the grace window. Guests can still fetch the receipts of what landed, for their 30 days. An asset whose retention_until lies ahead keeps the account: nothing is deleted then.',
    body: { type: 'application/json', schema: DeleteAccountRequest },
    answers: { 204: { description: 'The account is gone.' } },
    problems: ['error.auth.invalid_credentials', 'error.auth.rate_limited', 'error.asset.retained'],
  },
  account: {
    method: 'GET',
    path: '/v1/account',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'The caller’s own account',
    description: 'Carries the sealed account key, which the client opens with the key derived from the password.',
    answers: { 200: { description: 'The account.', body: AccountResponse } },
    problems: [],
  },
  addDevice: {
    method: 'POST',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Add a device',
    description:
      'The client makes device_id and the keys. The same caller with the same values again: 200. Any other use of a taken id is refused, a revoked device’s too.',
    body: { type: 'application/json', schema: AddDeviceRequest },
    writes: true,
    answers: {
      200: { description: 'It had been added before.', body: DeviceResponse },
      201: { description: 'The device is added.', body: DeviceResponse },
    },
    problems: ['error.device.invalid', 'error.request.limit_reached'],
  },
  listDevices: {
    method: 'GET',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'The caller’s devices',
    description:
      'All of them, revoked ones too, oldest first. Check each mac: a device without the right one was not added by the account’s owner.',
    answers: { 200: { description: 'The devices.', body: DevicesResponse } },
    problems: [],
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/v1/devices/{device_id}',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Revoke one of the caller’s devices',
    description:
      'For good. It stays in the list, with the time at which it was first revoked. Sessions that were signed in with its device_id end at once.',
    answers: { 204: { description: 'The device is revoked, now or before.' } },
    problems: ['error.device.not_found'],
  },
  createAlbum: {
    method: 'POST',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'Create an album',
    description:
      'The client makes album_id. One of the caller’s own again: 200 with the album as it was made, whatever sealed_name says now, so that a client whose answer was lost may seal the name anew.',
    body: { type: 'application/json', schema: CreateAlbumRequest },
    creates: true,
    writes: true,
    answers: {
      200: { description: 'It had been made before.', body: AlbumResponse },
      201: { description: 'The album is made.', body: AlbumResponse },
    },
    problems: ['error.album.not_available', 'error.request.limit_reached'],
  },
  listAlbums: {
    method: 'GET',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'The caller’s albums',
    description: 'All of them, oldest first.',
    answers: { 200: { description: 'The albums.', body: AlbumsResponse } },
    problems: [],
  },
  mintCapability: {
    method: 'POST',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Mint a capability token',
    description:
      'A JWT by which one peer may read the album, for 24 hours at most; it verifies under the signing_key of server-info. Each request makes another one. So far nothing is read with it on this server.',
    body: { type: 'application/json', schema: MintCapabilityRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The token, this once.', body: MintCapabilityResponse } },
    problems: ['error.federation.lifetime_too_long', 'error.album.not_available', 'error.request.limit_reached'],
  },
  listCapabilities: {
    method: 'GET',
    path: '/v1/albums/{album_id}/capabilities',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Live capability tokens of an album',
    description: 'Those that have neither ended nor been revoked, oldest first. The tokens themselves are not kept.',
    answers: { 200: { description: 'The tokens.', body: CapabilitiesResponse } },
    problems: ['error.album.not_available'],
  },
  revokeCapability: {
    method: 'DELETE',
    path: '/v1/albums/{album_id}/capabilities/{jti}',
    tag: 'federation',
    auth: 'bearer',
    summary: 'Revoke a capability token',
    description:
      'It is on the list of revoked tokens within a second, until its own end. The answer is the same whether or not the album had such a token.',
    answers: { 204: { description: 'No such token of the album is live now.' } },
    problems: ['error.album.not_available'],
  },
  createUpload: {
    method: 'POST',
    path: '/v1/upload',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Create an upload session',
    description:
      'One blob of an asset, which manifest_envelope.file_id names. The same asset, role and hash again: 200 with the session that is open, or that landed. The id of an asset is reserved by its first session and given up if nothing lands.',
    body: { type: 'application/json', schema: CreateUploadRequest },
    creates: true,
    writes: true,
    answers: {
      200: {
        description: 'The session that there is; X-Service-Offset says where to go on.',
        body: CreateUploadResponse,
        headers: ['Location', 'X-Service-Offset'],
      },
      201: { description: 'Send the chunks.', body: CreateUploadResponse, headers: ['Location'] },
    },
    problems: [
      ...manifestProblems,
      'error.upload.file_too_large',
      'error.request.limit_reached',
      'error.quota.exceeded',
      'error.storage.unavailable',
    ],
  },
  listUploads: {
    method: 'GET',
    path: '/v1/upload/sessions',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'The caller’s open sessions',
    description: 'All that the caller is charged for, guests’ included, oldest first.',
    answers: { 200: { description: 'The sessions.', body: UploadsResponse } },
    problems: [],
  },
  appendUpload: {
    method: 'PATCH',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Append one chunk to an upload session',
    description:
      'As for a drop session. The chunk that ends at the declared size is answered 204 only when the blob has landed in its asset, with a signed receipt. A provenance blob is checked then: signatures of the creating device, and every field against the envelope.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    writes: true,
    answers: { 204: { description: 'Kept.', headers: ['X-Service-Offset'] } },
    problems: [...chunkProblems, 'error.manifest.mismatch', 'error.manifest.stale', 'error.asset.id_taken'],
    statuses: { 'error.manifest.mismatch': 409 },
  },
  uploadSession: {
    method: 'HEAD',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Where an upload session stands',
    description: 'Ask it before resuming.',
    answers: sessionState,
    problems: ['error.upload.session_not_found'],
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Cancel an open session',
    description:
      'One’s own, or a guest’s through one of the caller’s links. Gives quota and caps back. What has landed, or is about to, cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
  asset: {
    method: 'GET',
    path: '/v1/assets/{asset_id}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'One of the caller’s assets',
    description:
      'There from its first blob on. Complete with original, metadata and provenance; a client that finds an asset incomplete uploads what is missing.',
    answers: { 200: { description: 'The asset.', body: AssetResponse } },
    problems: ['error.asset.not_found'],
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/v1/assets/{asset_id}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Delete an asset',
    description:
      'Gives the quota back at once and ends its open sessions. Its id stays taken. Refused before the retention_until of its manifest.',
    answers: { 204: { description: 'Deleted.' } },
    problems: ['error.asset.not_found', 'error.asset.retained'],
  },
  assetReceipts: {
    method: 'GET',
    path: '/v1/assets/{asset_id}/receipts',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Receipts covering an asset',
    description:
      'In receipt_seq order, the landing of an adopted drop included. receipt_cbor is the receipt: check its two signatures under the key that server_key_id names.',
    answers: { 200: { description: 'The receipts.', body: AssetReceiptsResponse } },
    problems: ['error.storage.asset_not_found'],
  },
  sync: {
    method: 'GET',
    path: '/v1/sync',
    tag: 'sync',
    auth: 'bearer',
    summary: 'What has changed since',
    description:
      'The caller’s assets in the order of their last change. An asset appears once, as it is now, at the place of its latest change, and a deleted one as its tombstone: whoever reads on to the end, whatever changes meanwhile, has the last state of each. Begin without a cursor, keep next_cursor once its page is worked in, and go on after it for years. A cursor that is not of this numbering (after a restore of the server, say) is error.sync.cursor_invalid: begin again without one.',
    query: {
      cursor: {
        description: 'next_cursor of the page before; from the very beginning without it.',
        required: false,
        schema: Type.String(),
      },
      limit: {
        description: `Entries at most; ${SYNC_ENTRIES_DEFAULT} without it.`,
        required: false,
        schema: Type.Integer({ minimum: 1, maximum: SYNC_ENTRIES_MAX }),
      },
    },
    answers: { 200: { description: 'A page of the feed.', body: SyncResponse } },
    problems: ['error.sync.cursor_invalid'],
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    tag: 'sync',
    auth: 'bearer',
    summary: 'What changes, as it happens',
    description:
      'Server-sent events (WHATWG HTML, section 9.2), to be read by fetch, as an EventSource sends no token. Each event says that something has changed and which, so that the client reads that again; what is said several times in one moment may be said once. The stream begins with now and first gives the id of now; with Last-Event-ID it goes on after that event, each exactly once, for 7 days. When that cannot be done it gives the event reset: read the lists anew. A comment comes at least every 15 s. The stream ends when the access token expires, the session or the server ends, or the client reads too slowly: connect again with the last id. At most 16 streams of an account at a time.',
    requestHeaders: ['Last-Event-ID'],
    answers: {
      200: {
        description: 'Events, for as long as the client stays.',
        body: 'events',
        headers: ['Cache-Control', 'X-Accel-Buffering'],
      },
    },
    problems: ['error.request.limit_reached'],
  },
  verifyStorage: {
    method: 'POST',
    path: '/v1/storage/verify',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Does the server really hold these blobs?',
    description:
      'A pure read. One verdict for each asset and one entry for each hash, in the order of the request; durable is the conjunction over exactly the hashes declared. With deep the bytes are read and hashed again, within a budget of the account: past it deep reads rate_limited.',
    body: { type: 'application/json', schema: StorageVerifyRequest },
    answers: { 200: { description: 'The verdicts.', body: StorageVerifyResponse } },
    problems: ['error.storage.unavailable'],
  },
  blob: {
    method: 'GET',
    path: '/v1/blob/{hash}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Ciphertext of a blob',
    description: 'Any copy that a live asset of the caller’s holds. Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: immutableContent,
    problems: [
      'error.blob.not_found',
      'error.blob.withheld',
      'error.request.range_not_satisfiable',
      'error.storage.unavailable',
    ],
  },
  blobHead: {
    method: 'HEAD',
    path: '/v1/blob/{hash}',
    tag: 'assets',
    auth: 'bearer',
    summary: 'Size of a blob’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges', 'Cache-Control'] },
      304: immutableContent[304],
    },
    problems: ['error.blob.not_found', 'error.blob.withheld', 'error.storage.unavailable'],
  },
  quota: {
    method: 'GET',
    path: '/v1/quota',
    tag: 'quota',
    auth: 'bearer',
    summary: 'The caller’s storage use',
    description: 'used counts open uploads, pending drops and stored copies, each with its declared size.',
    answers: { 200: { description: 'Use and limits.', body: QuotaResponse } },
    problems: [],
  },
  provisionLink: {
    method: 'POST',
    path: '/v1/drops/links',
    tag: 'links',
    auth: 'bearer',
    summary: 'Provision an upload link',
    description:
      'The client makes opaque_id and the Drop Key. The same caller with the same values again: 201. Any other use of a taken id is refused, dead links included.',
    body: { type: 'application/json', schema: ProvisionLinkRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The link is live.', body: ProvisionLinkResponse } },
    problems: ['error.drop.opaque_id_taken', 'error.drop.links_exhausted'],
  },
  listLinks: {
    method: 'GET',
    path: '/v1/drops/links',
    tag: 'links',
    auth: 'bearer',
    summary: 'The caller’s links',
    description: 'All of them, dead ones too, oldest first.',
    answers: { 200: { description: 'The links.', body: LinksResponse } },
    problems: [],
  },
  revokeLink: {
    method: 'DELETE',
    path: '/v1/drops/links/{opaque_id}',
    tag: 'links',
    auth: 'bearer',
    summary: 'Revoke one of the caller’s links',
    description:
      'Ends its open sessions at once; drops that landed stay. The answer is the same whether or not there was such a link.',
    answers: { 204: { description: 'No such link of the caller’s is live now.' } },
    problems: [],
  },
  inbox: {
    method: 'GET',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'The caller’s pending drops',
    description:
      'Everything that waits, oldest first. True names are sealed: read them from the first bytes of each content.',
    answers: { 200: { description: 'The drops.', body: InboxResponse } },
    problems: [],
  },
  dropContent: {
    method: 'GET',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Ciphertext of a pending drop',
    description: 'Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: content,
    problems: [
      'error.drop.not_found',
      'error.blob.withheld',
      'error.request.range_not_satisfiable',
      'error.storage.unavailable',
    ],
  },
  dropContentHead: {
    method: 'HEAD',
    path: '/v1/drops/{drop_id}/content',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Size and hash of a pending drop’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: ['error.drop.not_found', 'error.blob.withheld', 'error.storage.unavailable'],
  },
  discardDrop: {
    method: 'DELETE',
    path: '/v1/drops/{drop_id}',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard a pending drop',
    description: 'Gives the quota back at once. The link’s cap is not refunded.',
    answers: { 204: { description: 'Discarded.' } },
    problems: ['error.drop.not_found'],
  },
  discardDrops: {
    method: 'DELETE',
    path: '/v1/drops',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Discard all pending drops of one link',
    description: 'Drops that an adoption holds stay. The answer is the same whether or not there was such a link.',
    query: {
      opaque_id: {
        description: 'The link whose pile is discarded.',
        required: true,
        schema: ProvisionLinkResponse.properties.opaque_id,
      },
    },
    answers: { 204: { description: 'Discarded.' } },
    problems: ['error.request.unprocessable'],
  },
  adoptDrop: {
    method: 'POST',
    path: '/v1/drops/{drop_id}/adopt',
    tag: 'inbox',
    auth: 'bearer',
    summary: 'Adopt a pending drop into an album',
    description:
      'The drop becomes the original of an asset, which the client then completes with metadata and provenance. The row is claimed, the asset written with its receipt, then the claim settled; an exact repeat meanwhile joins it. Unknown, foreign, adopted before, or claimed by another request: one 404. A client whose answer was lost finds drop.drop_id in the asset.',
    body: { type: 'application/json', schema: AdoptRequest },
    creates: true,
    writes: true,
    answers: { 200: { description: 'Adopted.', body: AdoptResponse } },
    problems: [
      'error.drop.not_found',
      ...manifestProblems,
      'error.drop.adoption_mismatch',
      'error.request.limit_reached',
      'error.storage.unavailable',
    ],
    statuses: { 'error.asset.id_taken': 422, 'error.manifest.stale': 422 },
  },
  guestLink: {
    method: 'GET',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'The link as its guest sees it',
    description:
      'Limits before a byte is sent. Compare drop_pubkey with the link’s fragment and refuse to seal if they disagree. Every dead, foreign or mistyped link is the same 404.',
    answers: { 200: { description: 'The link takes files.', body: GuestLinkResponse } },
    problems: ['error.drop.link_not_found'],
  },
  createDrop: {
    method: 'POST',
    path: '/d/{opaque_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Create a drop session',
    description:
      'In order: the link admits the file and reserves its caps, the owner’s quota is charged, the declaration is checked. A refusal leaves nothing reserved or charged. The same Idempotency-Key again answers with the same session.',
    requestHeaders: ['Idempotency-Key'],
    body: {
      type: 'application/json',
      schema: CreateDropRequest,
      judgedLater: ['content_type', 'ciphertext_hash', 'kem_ct', 'passphrase_proof', 'suggested_filename'],
    },
    creates: true,
    answers: { 201: { description: 'Send the chunks.', body: CreateDropResponse } },
    problems: [
      'error.drop.link_not_found',
      'error.drop.rate_limited',
      'error.drop.passphrase_required',
      'error.drop.malformed',
      'error.drop.file_too_large',
      'error.drop.cap_exhausted',
      'error.quota.exceeded',
      'error.storage.unavailable',
    ],
  },
  appendChunk: {
    method: 'PATCH',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Append one chunk to a drop session',
    description:
      'The chunk that ends at the declared size is answered 204 only when the drop has landed: hashed as a whole, durable and with a signed receipt. Repeat any chunk freely: the same offset and checksum get the same answer. A refusal’s X-Service-Offset says where to go on.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    answers: { 204: { description: 'Kept.', headers: ['X-Service-Offset'] } },
    problems: chunkProblems,
  },
  dropSession: {
    method: 'HEAD',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Where a drop session stands',
    description:
      'Ask it before resuming; it answers for open sessions and, for 30 days, for those that landed, whatever became of the link.',
    answers: sessionState,
    problems: ['error.upload.session_not_found'],
  },
  cancelDrop: {
    method: 'DELETE',
    path: '/d/{opaque_id}/{upload_id}',
    tag: 'guest',
    auth: 'link',
    summary: 'Cancel a drop session',
    description:
      'Gives the link’s caps and the owner’s quota back. What has landed, or is about to, cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
  guestReceipt: {
    method: 'GET',
    path: '/d/{opaque_id}/{upload_id}/receipt',
    tag: 'guest',
    auth: 'link',
    summary: 'The receipt of a landed drop',
    description:
      'For 30 days. receipt_cbor is the receipt; check its two signatures under the key that server_key_id names.',
    answers: { 200: { description: 'The receipt.', body: AssetReceipt } },
    problems: ['error.upload.session_not_found'],
  },
  createShare: {
    method: 'POST',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Make a share',
    description:
      'Whoever has its address reads sealed_index, and those of blob_hashes that live assets of the caller’s hold. The client makes opaque_id. The same caller with the same values again: 201. Any other use of a taken id is refused, ended shares included: an address never shows something else.',
    body: { type: 'application/json', schema: CreateShareRequest },
    creates: true,
    writes: true,
    answers: { 201: { description: 'The share is there.', body: CreateShareResponse } },
    problems: ['error.request.limit_reached'],
  },
  listShares: {
    method: 'GET',
    path: '/v1/shares',
    tag: 'shares',
    auth: 'bearer',
    summary: 'The caller’s shares',
    description:
      'Those that were not deleted, oldest first, expired ones for 30 days. What they show is sealed: the caller’s own addresses are nowhere here.',
    answers: { 200: { description: 'The shares.', body: SharesResponse } },
    problems: [],
  },
  deleteShare: {
    method: 'DELETE',
    path: '/v1/shares/{opaque_id}',
    tag: 'shares',
    auth: 'bearer',
    summary: 'Delete a share',
    description:
      'It shows nothing from now on. The assets stay as they are. The answer is the same whether or not there was such a share.',
    answers: { 204: { description: 'There is no such share of the caller’s.' } },
    problems: [],
  },
  share: {
    method: 'GET',
    path: '/s/{opaque_id}',
    tag: 'shares',
    auth: 'link',
    summary: 'A share as whoever has its address sees it',
    description:
      'The index opens with the key in the address, which never reaches the server. Every expired, deleted, foreign or mistyped share is the same 404.',
    answers: { 200: { description: 'The share.', body: ShareResponse } },
    problems: ['error.share.not_found'],
  },
  shareBlob: {
    method: 'GET',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Ciphertext of a shared blob',
    description:
      'If the share names it and a live asset of its owner’s holds it. Sealed bytes, with ranges. What is not there, is withheld, or belongs to no share that shows anything is the same 404.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: content,
    problems: ['error.share.not_found', 'error.request.range_not_satisfiable', 'error.storage.unavailable'],
  },
  shareBlobHead: {
    method: 'HEAD',
    path: '/s/{opaque_id}/blob/{hash}',
    tag: 'shares',
    auth: 'link',
    summary: 'Size of a shared blob’s ciphertext',
    description: 'As GET, without the bytes.',
    requestHeaders: ['If-None-Match'],
    answers: {
      200: { description: 'Content-Length and ETag.', headers: ['ETag', 'Accept-Ranges'] },
      304: content[304],
    },
    problems: ['error.share.not_found', 'error.storage.unavailable'],
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
export type OperationOf<Name extends OperationName> = (typeof operations)[Name]

/** Whether the protocol header of a request is looked at. */
export function judgesProtocol(operation: Operation): boolean {
  return isNegotiatedPath(operation.path) && operation.neverFails !== true
}

/** Problems that the gates before an operation may answer, by its kind. */
export function gateProblems(operation: Operation): readonly ProblemCode[] {
  const bearer = operation.auth === 'bearer'
  return [
    ...(judgesProtocol(operation) ? (['error.request.malformed'] as const) : []),
    ...(bearer ? (['error.request.unauthenticated', 'error.auth.session_expired'] as const) : []),
    ...(bearer ? (['error.account.suspended'] as const) : []),
    ...(operation.creates === true ? (['error.protocol.version_unsupported'] as const) : []),
    ...(operation.body !== undefined ? (['error.request.unsupported_media_type'] as const) : []),
    ...(operation.body?.type === 'application/json' ? (['error.request.unprocessable'] as const) : []),
    'error.request.payload_too_large',
    'error.request.failed',
  ]
}

/** All problem codes that an operation may answer, without repeats. */
export function problemsOf(operation: Operation): readonly ProblemCode[] {
  return [...new Set([...gateProblems(operation), ...operation.problems])]
}

/** The status of a code as the operation answers it. */
export function statusOf(operation: Operation, code: ProblemCode): number {
  return operation.statuses?.[code] ?? PROBLEMS[code].status
}

/** Path parameters and what checks each. */
export const PATH_PARAMETERS = {
  code: {
    parse: (text: string): ProblemCode | undefined => PROBLEM_CODES.find((code) => code === text),
    schema: CodedProblem.properties.code,
    description: 'A code of the catalog.',
  },
  opaque_id: {
    parse: parseOpaqueId,
    schema: ProvisionLinkResponse.properties.opaque_id,
    description: 'The link, or the share.',
  },
  upload_id: {
    parse: parseUploadId,
    schema: CreateDropResponse.properties.upload_id,
    description: 'The upload session.',
  },
  session_id: {
    parse: parseSessionId,
    schema: SessionResponse.properties.session_id,
    description: 'The session of somebody signed in.',
  },
  device_id: { parse: parseDeviceId, schema: DeviceResponse.properties.device_id, description: 'The device.' },
  album_id: { parse: parseAlbumId, schema: AlbumResponse.properties.album_id, description: 'The album.' },
  jti: { parse: parseJti, schema: CapabilityResponse.properties.jti, description: 'The token.' },
  asset_id: { parse: parseAssetId, schema: AssetResponse.properties.asset_id, description: 'The asset.' },
  hash: { parse: parseSha256Hex, schema: AssetBlobResponse.properties.hash, description: 'SHA-256 of the ciphertext.' },
  drop_id: {
    parse: parseDropId,
    schema: InboxResponse.properties.drops.items.properties.drop_id,
    description: 'The drop.',
  },
} as const
