/** What this machine remembers of each file that it sends, so that the same line goes on and sends nothing twice. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { OpenFile } from '@blindkeep/client/node'
import { isObject } from '@blindkeep/protocol/json'
import { whileAlone } from '../home/claims.ts'
import { hasTexts, unlessDamaged } from '../home/damaged.ts'
import type { Vault } from '../home/vault.ts'

/** A file as it was when it was prepared. Another size or time is another content, which gets a key of its own. */
export interface Version {
  readonly size: number
  /** RFC 3339, or milliseconds for a date beyond it. */
  readonly modifiedAt: string
  /** Milliseconds since 1970: the last change of anything about it. Absent in earlier records. */
  readonly changedMs?: number
}

export function versionOf({ source, modifiedAt, modifiedMs, changedMs }: OpenFile): Version {
  return { size: source.size, modifiedAt: modifiedAt ?? String(modifiedMs), changedMs }
}

export type Remembered<State, Landed> =
  | { readonly is: 'sending'; readonly version: Version; readonly state: State }
  | { readonly is: 'landed'; readonly version: Version; readonly landed: Landed; readonly hasReceipt: boolean }

export interface RememberedFile<State, Landed> {
  read(): Promise<Remembered<State, Landed> | undefined>
  write(kept: Remembered<State, Landed>): Promise<void>
  remove(): Promise<void>
  /** Runs `work` while no other process does so for this file and destination. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

interface RememberedFileOptions<State> {
  /** A directory that all processes of this user share. */
  readonly home: string
  /** The directory of `vault`. */
  readonly directory: string
  readonly vault: Vault
  /** A folder in it for records of this kind, with its slash; by default they have the directory alone. */
  readonly folder?: string
  /** Destination and path of the file. The name of the record does not tell them. */
  readonly about: readonly string[]
  /** Throws `RangeError` for anything else than a state. */
  readonly parseState: (json: unknown) => State
}

export function rememberedFile<State, Landed>(options: RememberedFileOptions<State>): RememberedFile<State, Landed> {
  const { home, directory, vault, folder = '', about, parseState } = options
  const name = `${folder}${createHash('sha256').update(about.join('\n')).digest('hex')}`
  const is = (json: unknown): json is Remembered<State, Landed> => isKept(json)
  const reading = { is, says: 'how far a file was sent', without: 'to send it again' }
  return {
    /** A record that cannot be read is as none: the file is prepared again, with a key of its own. */
    async read() {
      try {
        const kept = await vault.read(name, reading).catch(unlessDamaged)
        return kept?.is === 'sending' ? { ...kept, state: parseState(kept.state) } : kept
      } catch (error) {
        if (error instanceof RangeError) return undefined
        throw error
      }
    },
    write: (kept) => vault.write(name, kept),
    remove: () => vault.remove(name),
    alone: (work) => whileAlone({ home, path: join(directory, `${name}.json`), doing: 'sends this file' }, work),
  }
}

function isKept(json: unknown): boolean {
  if (!isObject(json) || !isObject(json.version)) return false
  const { is, version, landed } = json
  if (!hasTexts(version, ['modifiedAt']) || !('size' in version) || typeof version.size !== 'number') return false
  return is === 'sending' || (is === 'landed' && isObject(landed))
}

export function isSameVersion(one: Version, other: Version): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt
}

/**
 * Of one version: whether nothing about the file was changed between the two. Its own time is no proof, because
 * programs set it as they like. False on a disk without times, and after another name or other rights, too: then its
 * content has to be compared.
 */
export function isUntouched(one: Version | undefined, { changedMs = 0 }: Version): boolean {
  return changedMs > 0 && one?.changedMs === changedMs
}
