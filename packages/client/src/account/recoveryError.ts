export type RecoveryFault = 'not_registered' | 'recovery_key_unreadable'

const FAULTS: Readonly<Record<RecoveryFault, string>> = {
  not_registered: 'These recovery words do not belong to an account yet.',
  recovery_key_unreadable:
    'The server’s answer for this e-mail was not sealed under these words: they belong to another account, the account has none, or the server is malicious.',
}

export class RecoveryError extends Error {
  override readonly name = 'RecoveryError'
  readonly reason: RecoveryFault

  constructor(reason: RecoveryFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}
