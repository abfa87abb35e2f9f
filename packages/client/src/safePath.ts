/** Paths from other people, for a disk or archive: `safeName` handles each step, so no path leads elsewhere. */
import { utf8 } from '@blindkeep/protocol/bytes'
import { beginningOf, MAX_EXTENSION_BYTES, MAX_NAME_BYTES, safeName, shortName } from './ground/safeName.ts'

/** Folders in one name, and their bytes: systems bound a path. What exceeds is dropped, and the file stays inside. */
const [MAX_FOLDERS, MAX_FOLDERS_BYTES] = [32, 640]

export interface SafePath {
  readonly folders: readonly string[]
  readonly name: string
}

/**
 * `name` as a sender wrote it: unverified, `/` between folders. Different names may become equal. `into`: folders that
 * come before those of the name, each any text (`folderTemplate.ts`); none is left out, and an empty one is `_`.
 */
export function safePath(name: string | undefined, into: readonly string[] = []): SafePath {
  const steps = (name ?? '').split('/').filter((step) => !/^[. ]*$/u.test(step))
  const before = into.map((step) => wholeFolder(step, Math.floor(MAX_FOLDERS_BYTES / into.length)))
  return { folders: [...before, ...foldersOf(steps.slice(0, -1), before)], name: safeName(steps.at(-1) ?? '') }
}

function foldersOf(steps: readonly string[], before: readonly string[]): readonly string[] {
  let bytes = utf8(before.join('')).length
  const isShort = (folder: string) => {
    bytes += utf8(folder).length
    return bytes <= MAX_FOLDERS_BYTES
  }
  return steps
    .slice(0, MAX_FOLDERS - before.length)
    .map((step) => safeName(step))
    .filter(isShort)
}

const NO_TEXT = '_'

function wholeFolder(step: string, bytesMax: number): string {
  return safeName(shortName(safeName(step, NO_TEXT), Math.min(bytesMax, MAX_NAME_BYTES)), NO_TEXT)
}

/** Encrypted folders of eCryptfs bound a name to 143 bytes; a number fits behind it. */
const MAX_PLAIN_BYTES = 120

/** For a disk that refuses a safe name: letters that every disk knows, and fewer of them. */
export function plainName(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]/gu, '_')
  return safeName(shortName(ascii, MAX_PLAIN_BYTES))
}

/** The same name for 1, `a (2).txt` for 2: before the ending, and within the length of a name. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name
  const dot = name.lastIndexOf('.')
  // A longer ending would leave no room for the number.
  const isEnding = dot > 0 && utf8(name.slice(dot)).length <= MAX_EXTENSION_BYTES
  const [stem, ending] = isEnding ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const suffix = ` (${number})${ending}`
  return beginningOf(stem, MAX_NAME_BYTES - utf8(suffix).length) + suffix
}
