/**
 * Maps inner reasons to problem codes. Reasons that a client must not tell apart have the same code,
 * and such a problem's body differs only in the request id.
 */
import { type Operation, type OperationName, type OperationOf, statusOf } from '@blindkeep/protocol/operations'
import { PROBLEMS, type ProblemCode, problemType } from '@blindkeep/protocol/problems'
import { SERVICE } from '@blindkeep/protocol/wire'
import type { Reason, Refusal } from '../domain/ground/refusals.ts'

const CODES = {
  request_malformed: 'error.request.malformed',
  request_unprocessable: 'error.request.unprocessable',
  not_found: 'error.request.not_found',
  unauthenticated: 'error.request.unauthenticated',
  token_unreadable: 'error.request.unauthenticated',
  session_over: 'error.auth.session_expired',
  account_suspended: 'error.account.suspended',
  credentials_wrong: 'error.auth.invalid_credentials',
  proof_invalid: 'error.auth.proof_invalid',
  recovery_invalid: 'error.auth.recovery_invalid',
  registration_invalid: 'error.auth.registration_invalid',
  registration_closed: 'error.auth.registration_closed',
  email_taken: 'error.auth.user_already_exists',
  attempts_limited: 'error.auth.rate_limited',
  challenge_over: 'error.auth.totp_challenge_invalid',
  totp_code_wrong: 'error.auth.totp_invalid_code',
  totp_already_active: 'error.auth.totp_already_active',
  totp_not_pending: 'error.auth.totp_not_pending',
  totp_not_enrolled: 'error.auth.totp_not_enrolled',
  link_not_live: 'error.drop.link_not_found',
  link_limited: 'error.drop.rate_limited',
  source_limited: 'error.drop.rate_limited',
  links_exhausted: 'error.drop.links_exhausted',
  opaque_id_taken: 'error.drop.opaque_id_taken',
  passphrase_missing: 'error.drop.passphrase_required',
  passphrase_wrong: 'error.drop.passphrase_required',
  declaration_malformed: 'error.drop.malformed',
  file_too_large: 'error.drop.file_too_large',
  cap_below_use: 'error.drop.cap_below_use',
  caps_exhausted: 'error.drop.cap_exhausted',
  inbox_full: 'error.drop.inbox_full',
  quota_exceeded: 'error.quota.exceeded',
  upload_not_found: 'error.upload.session_not_found',
  offset_missing: 'error.upload.missing_offset',
  checksum_missing: 'error.upload.missing_checksum',
  chunk_empty: 'error.upload.empty_chunk',
  chunk_corrupt: 'error.upload.checksum_mismatch',
  chunk_misplaced: 'error.upload.offset_mismatch',
  chunk_conflict: 'error.upload.chunk_conflict',
  chunk_past_size: 'error.upload.size_exceeded',
  chunks_too_many: 'error.upload.too_many_chunks',
  upload_closed: 'error.upload.session_closed',
  content_hash_wrong: 'error.upload.content_hash_mismatch',
  drop_not_found: 'error.drop.not_found',
  adoption_mismatch: 'error.drop.adoption_mismatch',
  content_type_unsupported: 'error.upload.unsupported_content_type',
  suite_unknown: 'error.manifest.suite_unknown',
  manifest_invalid: 'error.manifest.invalid',
  manifest_mismatch: 'error.manifest.mismatch',
  manifest_stale: 'error.manifest.stale',
  timestamp_out_of_range: 'error.manifest.timestamp_out_of_range',
  retention_too_long: 'error.manifest.retention_too_long',
  asset_id_taken: 'error.asset.id_taken',
  asset_not_found: 'error.asset.not_found',
  asset_retained: 'error.asset.retained',
  receipts_not_found: 'error.storage.asset_not_found',
  blob_not_found: 'error.blob.not_found',
  blob_withheld: 'error.blob.withheld',
  share_not_found: 'error.share.not_found',
  share_passphrase_missing: 'error.share.passphrase_required',
  share_passphrase_wrong: 'error.share.passphrase_required',
  share_limited: 'error.share.rate_limited',
  share_used_up: 'error.share.used_up',
  share_changed: 'error.share.changed',
  cursor_invalid: 'error.sync.cursor_invalid',
  upload_too_large: 'error.upload.file_too_large',
  device_not_authorized: 'error.device.not_authorized',
  device_invalid: 'error.device.invalid',
  session_not_found: 'error.auth.session_not_found',
  device_not_found: 'error.device.not_found',
  passkey_invalid: 'error.passkey.invalid',
  passkey_not_found: 'error.passkey.not_found',
  session_bound: 'error.auth.session_bound',
  bin_entry_not_found: 'error.bin.not_found',
  album_not_available: 'error.album.not_available',
  album_not_empty: 'error.album.not_empty',
  lifetime_too_long: 'error.federation.lifetime_too_long',
  revocations_unavailable: 'error.federation.revocations_unavailable',
  channel_invalid: 'error.channel.invalid',
  channel_not_offered: 'error.channel.not_offered',
  channel_not_found: 'error.channel.not_found',
  channel_code_wrong: 'error.channel.code_wrong',
  channel_limited: 'error.channel.rate_limited',
  limit_reached: 'error.request.limit_reached',
  rows_limited: 'error.request.rate_limited',
  range_unsatisfiable: 'error.request.range_not_satisfiable',
  storage_unavailable: 'error.storage.unavailable',
  storage_full: 'error.storage.full',
  overloaded: 'error.request.overloaded',
  body_too_slow: 'error.request.too_slow',
  body_too_large: 'error.request.payload_too_large',
  media_type_unsupported: 'error.request.unsupported_media_type',
  version_unsupported: 'error.protocol.version_unsupported',
  method_not_allowed: 'error.request.method_not_allowed',
  misdirected: 'error.request.misdirected',
  server_moved: 'error.server.moved',
  failed: 'error.request.failed',
} as const satisfies Record<Reason, ProblemCode>

/** The reasons that a row may give: those with a declared code, and those of its gates. */
export type ReasonOf<Name extends OperationName> = {
  [R in Reason]: (typeof CODES)[R] extends OperationOf<Name>['problems'][number] | GateCode<OperationOf<Name>>
    ? R
    : never
}[Reason]

/** As `gateProblems`: codes of the gates that a route may give itself. */
type GateCode<Row> =
  | 'error.request.payload_too_large'
  | 'error.storage.unavailable'
  | (Row extends { readonly method: 'GET' | 'HEAD' } ? never : 'error.storage.full')
  | (Row extends { readonly body: unknown }
      ? 'error.request.unsupported_media_type' | 'error.request.overloaded'
      : never)
  | (Row extends { readonly proves: true } ? 'error.auth.proof_invalid' : never)
  | (Row extends { readonly auth: 'bearer' } ? 'error.auth.session_expired' : never)
  | (Row extends { readonly leaves: 'rows' | 'uploads' } ? 'error.request.rate_limited' : never)
  | (Row extends { readonly writes: true } ? 'error.account.suspended' : never)
  | (Row extends { readonly path: `/v1/${string}` | `/d/${string}` } ? 'error.request.malformed' : never)
  | (Row extends { readonly body: { readonly type: 'application/json' } } ? 'error.request.unprocessable' : never)

interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the answer has none (specification, 413). */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export function codeOf(refusal: Refusal): ProblemCode {
  return CODES[refusal.refused]
}

/** The answer for a refusal (RFC 9457). `row` is undefined for an unknown path. */
export function problemAnswer(refusal: Refusal, requestId: string, row: Operation | undefined): ProblemAnswer {
  const code = codeOf(refusal)
  const { title } = PROBLEMS[code]
  const status = row === undefined ? PROBLEMS[code].status : statusOf(row, code)
  const headers = headersOf(refusal, status)
  if (code === 'error.request.payload_too_large') return { status, headers, body: undefined }
  const detail = 'detail' in refusal ? { detail: refusal.detail } : {}
  const limit = 'limit' in refusal ? { limit: refusal.limit } : {}
  const movedTo = 'movedTo' in refusal ? { moved_to: refusal.movedTo } : {}
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
    body: {
      type: problemType(code),
      title,
      status,
      ...detail,
      instance: `urn:uuid:${requestId}`,
      code,
      ...limit,
      ...movedTo,
    },
  }
}

function headersOf(refusal: Refusal, status: number): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': challengeOf(refusal) }),
    ...('offset' in refusal && refusal.offset !== undefined && { 'X-Service-Offset': String(refusal.offset) }),
    ...('retryAfterSeconds' in refusal && { 'Retry-After': String(refusal.retryAfterSeconds) }),
    ...('allow' in refusal && { Allow: refusal.allow.join(', ') }),
    ...('newest' in refusal && { Upgrade: `${SERVICE}/${refusal.newest}` }),
    ...('size' in refusal && { 'Content-Range': `bytes */${refusal.size}` }),
  }
}

/** RFC 6750, section 3: no error code without a token, `invalid_token` for a bad one. */
function challengeOf({ refused }: Refusal): string {
  const realm = `Bearer realm="${SERVICE}"`
  return refused === 'token_unreadable' || refused === 'session_over' ? `${realm}, error="invalid_token"` : realm
}
