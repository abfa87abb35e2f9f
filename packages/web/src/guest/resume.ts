/** Whether a file that was chosen is one that is known already. */
import type { FileIdentity } from './entries.ts'
import type { KeptUpload } from './keep.ts'

/** One text for what is one file. A line break stands in no path that a browser gives, and would be harmless. */
export function identityOf({ folder, name, size, lastModified }: FileIdentity): string {
  return [folder, name, size, lastModified].join('\n')
}

export type Match =
  /** By all that can be told without reading it. */
  | { readonly is: 'same'; readonly upload: KeptUpload }
  /** As phones do that make a new copy of a picture for every choice: its bytes will tell. */
  | { readonly is: 'perhaps'; readonly upload: KeptUpload }
  /** Of the same name, and another file. */
  | { readonly is: 'changed'; readonly upload: KeptUpload }

/** The upload that the file goes on with, if there is one. */
export function matchOf(file: FileIdentity, kept: readonly KeptUpload[]): Match | undefined {
  // Whoever chose a folder first and its files afterwards chose the same files.
  const named = kept.filter(({ name, folder }) => name === file.name && (folder === file.folder || file.folder === ''))
  const ofSize = named.filter(({ size }) => size === file.size)
  const same = ofSize.find(({ lastModified }) => lastModified === file.lastModified)
  if (same !== undefined) return { is: 'same', upload: same }
  const [perhaps] = ofSize
  if (perhaps !== undefined) return { is: 'perhaps', upload: perhaps }
  const [changed] = named
  return changed === undefined ? undefined : { is: 'changed', upload: changed }
}
