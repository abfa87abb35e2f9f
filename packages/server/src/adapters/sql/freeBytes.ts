import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How many bytes the disk of the file at `path` takes, from a user without privileges. */
export async function freeBytesBeside(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path))
  return bavail * bsize
}
