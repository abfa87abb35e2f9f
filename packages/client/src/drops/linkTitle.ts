/**
 * What the owner of a link says to its guests: a title and a message, a line each. A sealed blob of purpose
 * `link-title` without content, whose header has the title as `name` and the message as `note`. Its key follows from
 * the link secret, which is in the fragment: guests read it, and the server does not. Links without words have one too:
 * that it opens shows a guest's client that the secret is not mistyped, before a file is sealed that no one could open.
 */
import { type Bytes, fromBase64, utf8 } from '@blindkeep/protocol/bytes'
import { MAX_LINK_TITLE_BYTES } from '@blindkeep/protocol/suites'
import { linkTitleKey } from '../seal/derive.ts'
import { plainLine } from '../seal/plainLine.ts'
import { SealError } from '../seal/sealError.ts'
import { openWords, sealWords } from '../seal/sealedHeader.ts'

/** The owner's words. For a guest they come from another person: show them as text, and say whose they are. */
export interface LinkTitle {
  readonly title: string | undefined
  readonly message: string | undefined
}

interface LinkTitleSeal {
  /** 16 bytes. */
  readonly linkSecret: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

/** Throws `RangeError` for a text that is too long. */
export async function sealLinkTitle(
  { linkSecret, opaqueId, salt }: LinkTitleSeal,
  given: Partial<LinkTitle>,
): Promise<Bytes> {
  const [name, note] = [plainLine(given.title), plainLine(given.message)]
  requireFitting({ title: name, message: note }, (message) => new RangeError(message))
  const key = linkTitleKey(linkSecret, opaqueId)
  return sealWords({ key, purpose: 'link-title', contextId: opaqueId, salt }, { name, note })
}

/** Throws `SealError`. */
export async function openLinkTitle({ linkSecret, opaqueId }: LinkTitleSeal, sealed: Uint8Array): Promise<LinkTitle> {
  const key = linkTitleKey(linkSecret, opaqueId)
  const { name, note } = await openWords({ key, purpose: 'link-title', contextId: opaqueId }, sealed)
  const opened = { title: name, message: note }
  requireFitting(opened, (message) => new SealError('header_invalid', message))
  return { title: plainLine(opened.title), message: plainLine(opened.message) }
}

/** From the server: base64, or nothing. `fault` says why it does not open. Never throws `SealError`. */
export async function openGivenTitle(
  sealOf: () => LinkTitleSeal,
  sealed: string | null | undefined,
): Promise<LinkTitle & { readonly fault: string | undefined }> {
  const none = { title: undefined, message: undefined, fault: undefined }
  if (sealed === undefined || sealed === null) return none
  try {
    return { ...none, ...(await openLinkTitle(sealOf(), fromBase64(sealed))) }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { ...none, fault: error.message }
  }
}

function requireFitting({ title = '', message = '' }: LinkTitle, errorOf: (message: string) => Error): void {
  const { title: titleMax, message: messageMax } = MAX_LINK_TITLE_BYTES
  if (utf8(title).length > titleMax) throw errorOf(`the title of a link has at most ${titleMax} bytes`)
  if (utf8(message).length > messageMax) throw errorOf(`the message of a link has at most ${messageMax} bytes`)
}
