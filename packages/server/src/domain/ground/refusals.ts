/**
 * Why a rule refuses a request. There are more reasons than error codes: `http/problem.ts` maps them, and only there
 * reasons that a client must not tell apart become one answer.
 */
export type Refusal =
  | { readonly refused: 'request_malformed'; readonly detail: string }
  | { readonly refused: 'request_unprocessable'; readonly detail: string }
  | { readonly refused: 'not_found' }
  | { readonly refused: 'unauthenticated' }
  | { readonly refused: 'token_unreadable' }
  | { readonly refused: 'session_over' }
  | { readonly refused: 'account_suspended' }
  | { readonly refused: 'credentials_wrong' }
  | { readonly refused: 'proof_invalid' }
  | { readonly refused: 'recovery_invalid' }
  | { readonly refused: 'registration_invalid'; readonly detail: string }
  | { readonly refused: 'registration_closed' }
  | { readonly refused: 'email_taken' }
  | { readonly refused: 'attempts_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'challenge_over' }
  | { readonly refused: 'totp_code_wrong' }
  | { readonly refused: 'totp_already_active' }
  | { readonly refused: 'totp_not_pending' }
  | { readonly refused: 'totp_not_enrolled' }
  | { readonly refused: 'link_not_live' }
  | { readonly refused: 'link_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'source_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'links_exhausted' }
  | { readonly refused: 'opaque_id_taken' }
  | { readonly refused: 'passphrase_missing' }
  | { readonly refused: 'passphrase_wrong' }
  | { readonly refused: 'declaration_malformed'; readonly detail: string }
  | { readonly refused: 'file_too_large'; readonly limit: number }
  | { readonly refused: 'cap_below_use'; readonly detail: string }
  | { readonly refused: 'caps_exhausted' }
  | { readonly refused: 'inbox_full' }
  | { readonly refused: 'quota_exceeded' }
  | { readonly refused: 'upload_not_found' }
  | { readonly refused: 'offset_missing' }
  | { readonly refused: 'checksum_missing' }
  | { readonly refused: 'chunk_empty' }
  | { readonly refused: 'chunk_corrupt'; readonly offset: number }
  | { readonly refused: 'chunk_misplaced'; readonly offset: number }
  | { readonly refused: 'chunk_conflict'; readonly offset: number }
  | { readonly refused: 'chunk_past_size'; readonly offset: number }
  | { readonly refused: 'chunks_too_many'; readonly offset: number }
  | { readonly refused: 'upload_closed'; readonly offset: number }
  | { readonly refused: 'content_hash_wrong'; readonly offset: number }
  | { readonly refused: 'drop_not_found' }
  | { readonly refused: 'adoption_mismatch'; readonly detail: string }
  | { readonly refused: 'content_type_unsupported' }
  | { readonly refused: 'suite_unknown' }
  | { readonly refused: 'manifest_invalid'; readonly detail: string }
  | { readonly refused: 'manifest_mismatch'; readonly detail: string; readonly offset?: number }
  | { readonly refused: 'manifest_stale'; readonly detail: string; readonly offset?: number }
  | { readonly refused: 'timestamp_out_of_range' }
  | { readonly refused: 'retention_too_long'; readonly detail: string }
  | { readonly refused: 'asset_id_taken'; readonly offset?: number }
  | { readonly refused: 'asset_not_found' }
  | { readonly refused: 'asset_retained' }
  | { readonly refused: 'receipts_not_found' }
  | { readonly refused: 'blob_not_found' }
  | { readonly refused: 'blob_withheld' }
  | { readonly refused: 'share_not_found' }
  | { readonly refused: 'share_passphrase_missing' }
  | { readonly refused: 'share_passphrase_wrong' }
  | { readonly refused: 'share_used_up' }
  | { readonly refused: 'share_changed' }
  | { readonly refused: 'share_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'cursor_invalid' }
  | { readonly refused: 'upload_too_large'; readonly limit: number }
  | { readonly refused: 'device_not_authorized' }
  | { readonly refused: 'device_invalid' }
  | { readonly refused: 'session_not_found' }
  | { readonly refused: 'device_not_found' }
  | { readonly refused: 'passkey_invalid' }
  | { readonly refused: 'passkey_not_found' }
  | { readonly refused: 'session_bound' }
  | { readonly refused: 'bin_entry_not_found' }
  | { readonly refused: 'album_not_available' }
  | { readonly refused: 'album_not_empty' }
  | { readonly refused: 'lifetime_too_long' }
  | { readonly refused: 'revocations_unavailable' }
  | { readonly refused: 'channel_invalid'; readonly detail: string }
  | { readonly refused: 'channel_not_offered' }
  | { readonly refused: 'channel_not_found' }
  | { readonly refused: 'channel_code_wrong' }
  | { readonly refused: 'channel_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'limit_reached'; readonly detail: string }
  | { readonly refused: 'rows_limited'; readonly retryAfterSeconds: number }
  | { readonly refused: 'range_unsatisfiable'; readonly size: number }
  /** `cause` is for the log alone. */
  | { readonly refused: 'storage_unavailable'; readonly cause?: unknown }
  | { readonly refused: 'storage_full'; readonly cause?: unknown }
  | { readonly refused: 'overloaded'; readonly retryAfterSeconds: number }
  | { readonly refused: 'body_too_slow' }
  | { readonly refused: 'body_too_large' }
  | { readonly refused: 'media_type_unsupported' }
  | { readonly refused: 'version_unsupported'; readonly newest: string }
  | { readonly refused: 'misdirected' }
  | { readonly refused: 'server_moved'; readonly movedTo: string }
  | { readonly refused: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly refused: 'failed' }

export type Reason = Refusal['refused']

/** The refusals with these reasons. */
export type Refuses<R extends Reason> = Extract<Refusal, { readonly refused: R }>

export function isRefusal<Value>(answer: Value): answer is Extract<Value, Refusal> {
  return typeof answer === 'object' && answer !== null && 'refused' in answer
}
