/** Joins folder and name with a slash. Returns only the name of a file that was chosen by itself (`folder` is empty). */
export function filePath({ folder, name }: { readonly folder: string; readonly name: string }): string {
  return folder === '' ? name : `${folder}/${name}`
}
