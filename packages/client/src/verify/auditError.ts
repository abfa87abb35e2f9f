import { ReasonedError } from '@blindkeep/protocol/reasonedError'

/** What an audit has found. */
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
  | 'outside_era'
  | 'moves_malformed'
  | 'moves_vanished'
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
  | 'chain_forked'
  | 'verdict_malformed'

/** The server, or a party in between, sent what no honest server sends. The message says what. Keep the receipt. */
export class AuditError extends ReasonedError<AuditReason> {
  override readonly name = 'AuditError'
  /** The server that contradicts what is remembered of it (`key_vanished`, `key_changed`, `moves_vanished`). */
  readonly serverId: string | undefined
  /** The message, as a part of a sentence. */
  readonly finding: string

  constructor(reason: AuditReason, finding: string, options: ErrorOptions & { readonly serverId?: string } = {}) {
    super(reason, `Tampering detected: ${finding}.`, options)
    this.serverId = options.serverId
    this.finding = finding
  }
}
