export type RecoveryFault = 'not_registered' | 'recovery_key_unreadable'

const FAULTS: Readonly<Record<RecoveryFault, string>> = {
  not_registered: 'These recovery words belong to no account yet.',
  recovery_key_unreadable:
    'What the server gives for this e-mail was not sealed under these words: they are another account’s, the account has none, or the server lies.',
}

export class RecoveryError extends Error {
  override readonly name = 'RecoveryError'
  readonly reason: RecoveryFault

  constructor(reason: RecoveryFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}
