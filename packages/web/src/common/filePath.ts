/** A file's path within the folder that was chosen. `folder` is empty for a file that was chosen by itself. */
export function filePath({ folder, name }: { readonly folder: string; readonly name: string }): string {
  return folder === '' ? name : `${folder}/${name}`
}
