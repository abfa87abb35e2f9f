export type AccountFault = 'kdf_unknown' | 'account_key_missing' | 'account_key_unreadable'

const FAULTS: Readonly<Record<AccountFault, string>> = {
  kdf_unknown:
    'The server asks for a key derivation that this client does not know, so nothing was derived from the password.',
  account_key_missing: 'The server keeps no account key for this account, so nothing in it can be opened.',
  account_key_unreadable: 'Caught: what the server gives as the account key was not sealed under this password.',
}

/** Signing in worked, or would have, but what the server gave cannot be used. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly reason: AccountFault

  constructor(reason: AccountFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}
