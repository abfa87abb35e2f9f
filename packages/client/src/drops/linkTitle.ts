/**
 * What the owner of a link says to its guests: a title, a message and a name, a line each, what it asks them, and which
 * kinds of files it wants. A sealed blob of purpose `link-title` without content, whose header has the title as `name`,
 * the message as `note`, the name as `sender`, and `questions` and `file_kinds`. Its key follows from the link secret,
 * which is in the fragment: guests read it, and the server does not. Links without words have one too: that it opens
 * shows a guest's client that the secret is not mistyped, before a file is sealed that no one could open.
 */
import { type Bytes, fromBase64, utf8 } from '@blindkeep/protocol/bytes'
import { MAX_LINK_TITLE_BYTES } from '@blindkeep/protocol/suites'
import { linkTitleKey } from '../seal/derive.ts'
import { plainLine } from '../seal/plainLine.ts'
import { SealError } from '../seal/sealError.ts'
import { openWords, sealWords } from '../seal/sealedHeader.ts'
import { fileKindsText, parseFileKinds } from './fileKinds.ts'
import { parseQuestions, type Question, questionsText } from './questions.ts'

/** A line each. */
interface Lines {
  readonly title: string | undefined
  readonly message: string | undefined
  /** What the owner is called. Only the owner says so. */
  readonly from: string | undefined
}

/** The owner's words. For a guest they come from another person: show them as text, and say whose they are. */
export interface LinkTitle extends Lines {
  readonly questions: readonly Question[] | undefined
  /** Endings of the names of the files that the owner wants, as in `pdf`. */
  readonly fileKinds: readonly string[] | undefined
}

interface LinkTitleSeal {
  /** 16 bytes. */
  readonly linkSecret: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

/** Throws `RangeError` for a text that is too long, and for questions and kinds of files that no reader takes. */
export async function sealLinkTitle(
  { linkSecret, opaqueId, salt }: LinkTitleSeal,
  given: Partial<LinkTitle>,
): Promise<Bytes> {
  const words = linesOf(given)
  requireFitting(words, (message) => new RangeError(message))
  const key = linkTitleKey(linkSecret, opaqueId)
  const { title: name, message: note, from: sender } = words
  const questions = given.questions && questionsText(given.questions)
  const file_kinds = given.fileKinds && fileKindsText(given.fileKinds)
  const header = { name, note, sender, questions, file_kinds }
  return sealWords({ key, purpose: 'link-title', contextId: opaqueId, salt }, header)
}

/** Throws `SealError`. */
export async function openLinkTitle({ linkSecret, opaqueId }: LinkTitleSeal, sealed: Uint8Array): Promise<LinkTitle> {
  const key = linkTitleKey(linkSecret, opaqueId)
  const words = await openWords({ key, purpose: 'link-title', contextId: opaqueId }, sealed)
  const opened = { title: words.name, message: words.note, from: words.sender }
  requireFitting(opened, (message) => new SealError('header_invalid', message))
  const [questions, fileKinds] = [parseQuestions(words.questions), parseFileKinds(words.file_kinds)]
  return { ...linesOf(opened), questions, fileKinds }
}

const linesOf = ({ title, message, from }: Partial<Lines>): Lines => ({
  title: plainLine(title),
  message: plainLine(message),
  from: plainLine(from),
})

/** From the server: base64, or nothing. `fault` says why it does not open. Never throws `SealError`. */
export async function openGivenTitle(
  sealOf: () => LinkTitleSeal,
  sealed: string | null | undefined,
): Promise<LinkTitle & { readonly fault: string | undefined }> {
  const lines = { title: undefined, message: undefined, from: undefined }
  const none = { ...lines, questions: undefined, fileKinds: undefined, fault: undefined }
  if (sealed === undefined || sealed === null) return none
  try {
    return { ...none, ...(await openLinkTitle(sealOf(), fromBase64(sealed))) }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { ...none, fault: error.message }
  }
}

const NAMES = { title: 'the title of a link', message: 'the message of a link', from: 'the name of a link’s owner' }

function requireFitting(words: Lines, errorOf: (message: string) => Error): void {
  for (const part of ['title', 'message', 'from'] as const) {
    const bytesMax = MAX_LINK_TITLE_BYTES[part]
    if (utf8(words[part] ?? '').length > bytesMax) throw errorOf(`${NAMES[part]} has at most ${bytesMax} bytes`)
  }
}
