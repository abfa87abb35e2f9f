export type LinkFault = 'malformed' | 'fragment_missing' | 'key_swapped' | 'suite_unknown'

const FAULTS: Readonly<Record<LinkFault, string>> = {
  malformed: 'This is no upload link, or one that was cut or mistyped. Copy it again, whole.',
  fragment_missing:
    'The part of the link after # is missing. Nothing can be sealed without it: ask for the whole link, up to its last character.',
  key_swapped:
    'Caught: the key that the server gives for this link is not the one that its owner put into it. Nothing was sent. Tell the owner, by another way than this server.',
  suite_unknown: 'This link asks for a cipher that this client does not know. Use a newer client.',
}

/** Why nothing is sealed for a link. The message says it to people and repeats nothing of the link. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly reason: LinkFault

  constructor(reason: LinkFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}
