import { join } from 'node:path'
import { type LinkParts, parseLink, parseSendState, type SendState } from '@blindkeep/client/guest'
import { type Answers, answersText } from '@blindkeep/client/questions'
import { openVault } from '../home/vault.ts'
import type { Landing } from '../outcomes/afterLanding.ts'
import { type RememberedFile, rememberedFile } from '../send/remembered.ts'

export interface LandedBefore extends Landing {
  readonly uploadId: string
  readonly ciphertextHash: string
  /** Sealed bytes. */
  readonly size: number
}

/** What the sender says with every file of a call. */
export interface Words {
  readonly note?: string | undefined
  readonly sender?: string | undefined
  /** Undefined if the link asks nothing, or does not open. */
  readonly fields?: Answers | undefined
}

/** Other words are another header, and another header another drop. */
function hasSameWords({ header }: SendState, { note, sender, fields }: Words): boolean {
  const hasSameFields = fields === undefined || header.fields === answersText(fields)
  return header.note === note && header.sender === sender && hasSameFields
}

/** Whether an upload that has begun goes on with this call: none does once its server has moved. */
export function goesOn(state: SendState, { link, ...words }: Words & { readonly link: string }): boolean {
  return hasSameWords(state, words) && isAtSameServer(state, link)
}

export function isAtSameServer(state: SendState, link: string): boolean {
  return state.baseUrl === parseLink(link).baseUrl
}

/**
 * Of a file sent through a link, wherever its server is. SECRET: an unlanded one's state has the file's key. `path`:
 * absolute.
 */
export function rememberedDrop(
  home: string,
  link: string | LinkParts,
  path: string,
): RememberedFile<SendState, LandedBefore> {
  const { opaqueId } = parseLink(link)
  const directory = join(home, 'drops')
  const vault = openVault({ directory })
  return rememberedFile({ home, directory, vault, about: [opaqueId, path], parseState: parseSendState })
}
