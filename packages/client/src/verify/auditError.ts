/** What an audit has caught. */
export type AuditReason =
  | 'receipt_malformed'
  | 'receipt_altered'
  | 'reading_differs'
  | 'signature_invalid'
  | 'unknown_key'
  | 'key_malformed'
  | 'key_vanished'
  | 'key_changed'
  | 'key_not_active'
  | 'wrong_server'
  | 'wrong_hash'
  | 'wrong_size'
  | 'wrong_upload'
  | 'wrong_drop'
  | 'wrong_asset'
  | 'wrong_role'
  | 'wrong_envelope'
  | 'receipt_missing'
  | 'chain_broken'
  | 'verdict_malformed'

/** The server, or something on the way, has shown what it cannot have shown honestly. The message says what was caught; keep the receipt. */
export class AuditError extends Error {
  override readonly name = 'AuditError'
  readonly reason: AuditReason

  constructor(reason: AuditReason, caught: string, options?: ErrorOptions) {
    super(`Caught: ${caught}.`, options)
    this.reason = reason
  }
}
