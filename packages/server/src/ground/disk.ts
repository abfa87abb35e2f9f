/**
 * What some disks do not have (exFAT, SMB, FUSE), where no promise depends on it: hard links, a statement of free
 * space. A receipt depends on syncs of directories, and one server on locks: without them it does not start.
 */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How systems say "this disk has no such thing". */
const LACKING: ReadonlySet<unknown> = new Set(['EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV'])

export function isLacking(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LACKING.has(error.code)
}

/** Bytes that the disk takes from an ordinary user. Infinity if unknown: then a write shows that it is full. */
export async function freeBytesOf(path: string): Promise<number> {
  try {
    const { blocks, bavail, bsize } = await statfs(path)
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
  } catch (error) {
    if (isLacking(error)) return Number.POSITIVE_INFINITY
    throw error
  }
}

/** The same for the disk of the file at `path`, which need not exist. */
export async function freeBytesBeside(path: string): Promise<number> {
  return await freeBytesOf(dirname(path))
}
