/** What this machine remembers of each file that it sends through a link, so that the same line goes on and sends nothing twice. */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LinkParts, parseLink, parseSendState, type SendState } from '@blindkeep/client/guest'
import { whileAlone } from '../home/claims.ts'
import { readPrivate, writePrivate } from '../home/files.ts'

/** A file as it was when it was prepared. Another size or time is another content, which gets a key of its own. */
export interface Version {
  readonly size: number
  /** RFC 3339. */
  readonly modifiedAt: string
}

export interface LandedBefore {
  readonly uploadId: string
  readonly ciphertextHash: string
  /** Sealed bytes. */
  readonly size: number
}

export type Kept =
  /** SECRET: `state` has the file's key. */
  | { readonly is: 'sending'; readonly version: Version; readonly state: SendState }
  | { readonly is: 'landed'; readonly version: Version; readonly landed: LandedBefore; readonly hasReceipt: boolean }

export interface KeptFile {
  read(): Promise<Kept | undefined>
  write(kept: Kept): Promise<void>
  remove(): Promise<void>
  /** Runs `work` while no other process does so for this file and link. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

/** `path`: absolute. The name of the record tells neither the link nor the file. */
export function keptFile(home: string, link: string | LinkParts, path: string): KeptFile {
  const { baseUrl, opaqueId } = parseLink(link)
  const name = createHash('sha256').update(`${baseUrl}\n${opaqueId}\n${path}`).digest('hex')
  const record = join(home, 'drops', `${name}.json`)
  return {
    async read() {
      const text = await readPrivate(record)
      return text === undefined ? undefined : parseKept(text)
    },
    write: (kept) => writePrivate(record, JSON.stringify(kept)),
    remove: () => rm(record, { force: true }),
    alone: (work) => whileAlone({ home, path: record, doing: 'sends this file' }, work),
  }
}

/** A record that cannot be read is as none: the file is prepared again, with a key of its own. */
function parseKept(text: string): Kept | undefined {
  try {
    const kept = JSON.parse(text) as Kept
    if (kept.is === 'sending') return { ...kept, state: parseSendState(kept.state) }
    return kept.is === 'landed' ? kept : undefined
  } catch {
    return undefined
  }
}

export function isSameVersion(one: Version, other: Version): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt
}
