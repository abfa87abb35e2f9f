import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type LinkFault = 'malformed' | 'fragment_missing' | 'key_swapped' | 'words_altered' | 'suite_unknown'

const FAULTS: Readonly<Record<LinkFault, string>> = {
  malformed: 'This is not an upload link, or it is incomplete or mistyped. Copy the whole link again.',
  fragment_missing:
    'The part of the link after # is missing. Without it nothing can be sealed: ask for the whole link, up to its last character.',
  key_swapped:
    'The server’s key for this link is not the one in the link: the link is mistyped, or the server is tampering. Nothing was sent. Copy the whole link again. If this stays, tell the owner, but not through this server.',
  words_altered:
    'What the owner wrote does not open with this link: the link is mistyped, or the server has changed it. Nothing was sent. Copy the whole link again. If this stays, ask the owner for a new one.',
  suite_unknown: 'This link needs a cipher that this client does not know. Use a newer client.',
}

/** Why the client seals nothing for a link. The message is for people and contains nothing of the link. */
export class LinkError extends ReasonedError<LinkFault> {
  override readonly name = 'LinkError'

  constructor(reason: LinkFault, options?: ErrorOptions) {
    super(reason, FAULTS[reason], options)
  }
}
