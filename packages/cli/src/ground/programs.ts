import { access, constants, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The path of a program: as it is given, or of a name in PATH. Undefined if this user can run none there. */
export async function findProgram(given: string): Promise<string | undefined> {
  const inPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const place of /[\\/]/.test(given) ? [given] : inPath.map((folder) => join(folder, given)))
    if (await isProgram(place)) return place
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
