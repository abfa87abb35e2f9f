import { join } from 'node:path'
import { type LinkParts, parseLink, parseSendState, type SendState } from '@blindkeep/client/guest'
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
}

/** Another note or sender is another header, and another header another drop. */
export function hasSameWords({ header }: SendState, { note, sender }: Words): boolean {
  return header.note === note && header.sender === sender
}

/** Of a file sent through a link. SECRET: an unlanded one's state has the file's key. `path`: absolute. */
export function rememberedDrop(
  home: string,
  link: string | LinkParts,
  path: string,
): RememberedFile<SendState, LandedBefore> {
  const { baseUrl, opaqueId } = parseLink(link)
  const directory = join(home, 'drops')
  const vault = openVault({ directory })
  return rememberedFile({ home, directory, vault, about: [baseUrl, opaqueId, path], parseState: parseSendState })
}
