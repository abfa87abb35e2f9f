/**
 * What some disks do not have (SMB, exFAT, FUSE, Android): rights, times, hard links, syncs of folders, a statement of
 * free space, any name. All of that is extra: a file is kept without it. Only where the server's copy is given up for a
 * file, its bytes have to be synced.
 */
import { createReadStream, existsSync, mkdirSync, type ReadStream, statSync } from 'node:fs'
import { lstat, open, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How systems say "this disk has no such thing". */
const LACKING: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'EMLINK',
  'ENOSYS',
  'ENOTSUP',
  'ENOTTY',
  'EOPNOTSUPP',
  'EOVERFLOW',
  'EPERM',
  'ERANGE',
  'EXDEV',
])

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** For `catch`: undefined if there is no such file or folder. Throws every other failure. */
export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Its errors name the path: the system says of a folder only that it cannot be read. */
export function streamOf(path: string): ReadStream {
  return createReadStream(path).once('error', (error) => Object.assign(error, { path }))
}

/** Whether anything has this name. */
export async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

export const isLacking = (error: unknown) => LACKING.has(codeOf(error))

/** Does something that the disk may lack. Whether it has it; throws every other failure. */
export async function ifDiskHas(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (isLacking(error)) return false
    throw error
  }
}

/**
 * Makes a folder and those above it, if they are missing. Not `recursive`: with that, Node tries without end below a
 * folder like /proc, which exists and takes no new ones, and says of a read-only disk that the path does not exist.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
    if (codeOf(error) === 'EEXIST') throw Object.assign(new Error(), { code: 'ENOTDIR', syscall: 'mkdir', path })
    if (codeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeFolder(dirname(path), mode)
    makeFolder(path, mode)
  }
}

/** New names in a folder survive a power cut once this resolves, where the disk can sync folders. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  await ifDiskHas(async () => {
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
}

/** Undefined where the disk does not say it, as network drives do. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  const stated = await statfs(folder).catch(() => undefined)
  return stated === undefined || stated.blocks === 0 ? undefined : stated.bavail * stated.bsize
}
