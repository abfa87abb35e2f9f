/** Finds the stored upload, or another stored file, that a chosen file belongs to. */
import type { FileIdentity } from './fileIdentity.ts'

type UploadMatch<Stored extends FileIdentity> =
  /** Name, size and time agree. */
  | { readonly is: 'same'; readonly upload: Stored }
  /** Name and size agree, perhaps the time, but with several files. Phones copy pictures with new times: compare. */
  | { readonly is: 'perhaps'; readonly upload: Stored }
  /** Only the name agrees. */
  | { readonly is: 'changed'; readonly upload: Stored }

export function matchOf<Stored extends FileIdentity>(
  file: FileIdentity,
  uploads: readonly Stored[],
): UploadMatch<Stored> | undefined {
  // A guest may choose a folder in one visit and its files, without the folder, in the next.
  const named = uploads.filter(
    ({ name, folder }) => name === file.name && (folder === file.folder || file.folder === ''),
  )
  const ofSize = named.filter(({ size }) => size === file.size)
  const [same, other] = ofSize.filter(({ lastModified }) => lastModified === file.lastModified)
  if (same !== undefined && other === undefined) return { is: 'same', upload: same }
  const perhaps = same ?? ofSize[0]
  if (perhaps !== undefined) return { is: 'perhaps', upload: perhaps }
  const [changed] = named
  return changed === undefined ? undefined : { is: 'changed', upload: changed }
}
