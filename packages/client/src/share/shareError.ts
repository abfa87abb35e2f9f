import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type ShareFault =
  | 'malformed'
  | 'fragment_missing'
  | 'passphrase_missing'
  | 'passphrase_wrong'
  | 'index_swapped'
  | 'index_invalid'
  | 'index_unknown'
  | 'asset_differs'
  | 'too_large'

const FAULTS: Readonly<Record<ShareFault, string>> = {
  malformed: 'This is not the address of a share, or it is incomplete or mistyped. Copy the whole address again.',
  fragment_missing:
    'The part of the address after # is missing. Without it nothing can be opened: ask for the whole address, up to its last character.',
  passphrase_missing: 'This share opens with a passphrase. Its owner gives it to you by another way than the address.',
  passphrase_wrong: 'This passphrase does not open the share. Check it; case, spaces and hyphens do not matter.',
  index_swapped:
    'Tampering detected: the server’s answer was not sealed for this address, or the address was mistyped. Copy it again. If that does not help, tell the owner, but not through this server.',
  index_invalid: 'The share of this address cannot be read. Tell its owner.',
  index_unknown: 'A newer client wrote this share. Use a newer client.',
  asset_differs:
    'Tampering detected: the server’s file is not the shared one. Discard what was read, and tell the owner, but not through this server.',
  too_large: 'These are too many files for one share. Create several shares.',
}

/** Why a share cannot be opened or created. The message is for people and contains nothing of the address. */
export class ShareError extends ReasonedError<ShareFault> {
  override readonly name = 'ShareError'

  constructor(reason: ShareFault, options?: ErrorOptions) {
    super(reason, FAULTS[reason], options)
  }
}
