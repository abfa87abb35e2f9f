/** Finds the stored upload, or another stored file, that a chosen file belongs to. */
import { type FileIdentity, isOneChosenElsewhere } from './fileIdentity.ts'

type UploadMatch<Stored extends FileIdentity> =
  /** Folder, name, size and time agree. */
  | { readonly is: 'same'; readonly upload: Stored }
  /**
   * Name and size agree, but the folder or the time does not, or several files are alike: compare. Phones copy pictures
   * with new times, and archives give the files of many folders one time.
   */
  | { readonly is: 'perhaps'; readonly upload: Stored }
  /** Only the name agrees. */
  | { readonly is: 'changed'; readonly upload: Stored }

export function matchOf<Stored extends FileIdentity>(
  file: FileIdentity,
  uploads: readonly Stored[],
): UploadMatch<Stored> | undefined {
  const alike = uploads.filter((upload) => isOneChosenElsewhere(upload, file))
  const [same, other] = alike.filter(({ folder }) => folder === file.folder)
  if (same !== undefined && other === undefined) return { is: 'same', upload: same }
  // A guest may choose a folder in one visit and its files, without the folder, in the next.
  const named = uploads.filter(
    ({ name, folder }) => name === file.name && (folder === file.folder || file.folder === ''),
  )
  const perhaps = same ?? alike[0] ?? named.find(({ size }) => size === file.size)
  if (perhaps !== undefined) return { is: 'perhaps', upload: perhaps }
  const [changed] = named
  return changed === undefined ? undefined : { is: 'changed', upload: changed }
}
