import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type RecoveryFault = 'not_registered' | 'recovery_key_unreadable'

const FAULTS: Readonly<Record<RecoveryFault, string>> = {
  not_registered: 'These recovery words do not belong to an account yet.',
  recovery_key_unreadable:
    'The server’s answer for this e-mail was not sealed under these words: they belong to another account, they were replaced by newer ones, the account has none, or the server is malicious.',
}

export class RecoveryError extends ReasonedError<RecoveryFault> {
  override readonly name = 'RecoveryError'

  constructor(reason: RecoveryFault, options?: ErrorOptions) {
    super(reason, FAULTS[reason], options)
  }
}
