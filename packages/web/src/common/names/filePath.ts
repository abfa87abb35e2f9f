/** Folder and name with a slash; the name alone for a file that was chosen by itself (`folder` is empty). */
export function filePath({ folder, name }: { readonly folder: string; readonly name: string }): string {
  return folder === '' ? name : `${folder}/${name}`
}
