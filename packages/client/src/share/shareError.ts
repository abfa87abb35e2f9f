export type ShareFault =
  | 'malformed'
  | 'fragment_missing'
  | 'index_swapped'
  | 'index_invalid'
  | 'index_unknown'
  | 'asset_differs'
  | 'too_large'

const FAULTS: Readonly<Record<ShareFault, string>> = {
  malformed: 'This is no address of a share, or one that was cut or mistyped. Copy it again, whole.',
  fragment_missing:
    'The part of the address after # is missing. Nothing can be opened without it: ask for the whole address, up to its last character.',
  index_swapped:
    'Caught: what the server gives for this address was not sealed for it, or the address was mistyped. Copy it again; if it stays so, tell its owner, by another way than this server.',
  index_invalid: 'What was shared under this address cannot be read. Tell its owner.',
  index_unknown: 'What was shared under this address was written by a newer client. Use a newer one.',
  asset_differs:
    'Caught: the server gave another file than was shared. Throw away what was read, and tell its owner, by another way than this server.',
  too_large: 'These are too many for one share. Make several.',
}

/** Why nothing is shown, or shared. The message says it to people and repeats nothing of the address. */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly reason: ShareFault

  constructor(reason: ShareFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}
