import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type AccountFault =
  | 'kdf_unknown'
  | 'salt_refused'
  | 'email_malformed'
  | 'email_differs'
  | 'account_id_differs'
  | 'account_key_missing'
  | 'account_key_unreadable'
  | 'passkey_refused'
  | 'passkey_key_unreadable'

const FAULTS: Readonly<Record<AccountFault, string>> = {
  kdf_unknown:
    'The server demands a key derivation that this client does not know. Nothing was derived from the password.',
  salt_refused: 'The server’s salt is not 16 random bytes. Nothing was derived from the password.',
  email_malformed: 'This is not a plain e-mail address. Nothing was sent.',
  email_differs: 'Tampering detected: the server names another e-mail address for this account than the owner’s.',
  account_id_differs: 'Tampering detected: the server names another account for this account key than before.',
  account_key_missing: 'The server keeps no account key for this account, so nothing in it can be opened.',
  account_key_unreadable: 'Tampering detected: the account key from the server was not sealed under this password.',
  passkey_refused: 'The server knows no such passkey: it was removed, or belongs to another server at the same host.',
  passkey_key_unreadable:
    'Tampering detected: what the server keeps for this passkey was not sealed under it, or is missing.',
}

/** The server's account key cannot be used, it wants a refused key derivation, or it does not know the passkey. */
export class AccountError extends ReasonedError<AccountFault> {
  override readonly name = 'AccountError'

  constructor(reason: AccountFault, options?: ErrorOptions) {
    super(reason, FAULTS[reason], options)
  }
}
