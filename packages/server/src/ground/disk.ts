/**
 * Disks. Some have no hard links and no statement of free space (exFAT, SMB, FUSE): no promise depends on these. A
 * receipt depends on syncs of directories, and one server on locks: without them it does not start.
 */
import { open, rename, statfs } from 'node:fs/promises'
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

/** Over a handle of its own: for directories that are rarely synced. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs `highest` and each directory from `path` up to it. */
export async function syncDirectories(path: string, highest: string): Promise<void> {
  await syncDirectory(highest)
  for (let above = path; above !== highest; above = dirname(above)) await syncDirectory(above)
}

/** Replaces a file of this process alone. Syncs before the rename: a power cut must not leave an empty file instead. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
}
