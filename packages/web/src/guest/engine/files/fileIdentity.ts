/** Tells one file from another without reading it. */
import { filePath } from '../../../common/names/filePath.ts'
import type { ChosenFile } from '../../ground/messages.ts'

export interface FileIdentity {
  readonly name: string
  /** Path with `/` between folders; empty for a file that was chosen by itself. */
  readonly folder: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly lastModified: number
}

export function identityOf({ file, folder }: ChosenFile): FileIdentity {
  return { name: file.name, folder, size: file.size, lastModified: file.lastModified }
}

const paths = new Intl.Collator(undefined, { numeric: true })

/** As people count: `2.jpg` before `10.jpg`. Browsers give any order, and a link may take only the first ones. */
export function inPathOrder(files: readonly ChosenFile[]): readonly ChosenFile[] {
  return files
    .map((chosen) => ({ chosen, path: filePath(identityOf(chosen)) }))
    .sort((one, other) => paths.compare(one.path, other.path))
    .map(({ chosen }) => chosen)
}

/** The same file can be chosen from higher up or further down: by itself, or with more of the folders it is in. */
export function isOneChosenElsewhere(one: FileIdentity, other: FileIdentity): boolean {
  const isAlike = one.name === other.name && one.size === other.size && one.lastModified === other.lastModified
  return isAlike && (isEndOf(one.folder, other.folder) || isEndOf(other.folder, one.folder))
}

function isEndOf(end: string, folder: string): boolean {
  return end === '' || `/${folder}`.endsWith(`/${end}`)
}

/** The same text for the same file. Browsers give no path with a line break, and one would do no harm. */
export function identityKey({ folder, name, size, lastModified }: FileIdentity): string {
  return [folder, name, size, lastModified].join('\n')
}
