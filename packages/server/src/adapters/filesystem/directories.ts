import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectories } from '../../ground/disk.ts'
import { onStorage } from './failure.ts'
import type { Marker } from './marker.ts'
import type { Syncs } from './syncs.ts'

const READ_WRITE_ENTER = constants.R_OK | constants.W_OK | constants.X_OK

/** The first two hex digits of every content address: `00` to `ff`. */
export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
)

/**
 * Creates `root` and a directory for each prefix below it (mode 0700), durably. Also syncs what a killed process
 * created without a sync. Throws `StorageForbidden` if this user may not use one of them.
 */
export async function createDirectories(root: string): Promise<void> {
  await onStorage(async () => {
    const oldestNew = await mkdir(root, { recursive: true, mode: 0o700 })
    const present = new Set(await readdir(root))
    const missing = PREFIXES.filter((prefix) => !present.has(prefix))
    await Promise.all(missing.map((prefix) => mkdir(join(root, prefix), { recursive: true, mode: 0o700 })))
    // As a copy by another user has left it. Otherwise the first object in it would tell.
    await checkDirectories(root)
    // Sync up to the parent of the highest new directory, and always the parent of `root`: a killed process may have
    // created `root` without a sync.
    await syncDirectories(root, dirname(oldestNew ?? root))
  })
}

/** Throws `StorageUnavailable` if an object could not be put into one of the directories below `root`. */
export async function checkDirectories(root: string): Promise<void> {
  await onStorage(() => Promise.all(PREFIXES.map((prefix) => access(join(root, prefix), READ_WRITE_ENTER))))
}

/** Makes entries of directories durable. Keeps at most one open handle for each prefix. */
export interface DirectorySyncs {
  sync(path: string): Promise<void>
  close(): Promise<void>
}

export function createDirectorySyncs(syncs: Syncs, marker: Pick<Marker, 'check'>): DirectorySyncs {
  const handles = new Map<string, Promise<FileHandle>>()

  /** A handle from while the disk was away is of another directory: its syncs would never keep the objects' entries. */
  async function openHere(path: string): Promise<FileHandle> {
    await marker.check()
    const handle = await onStorage(() => open(path, 'r'))
    try {
      await marker.check()
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  function handleOf(path: string): Promise<FileHandle> {
    const found = handles.get(path)
    if (found !== undefined) return found
    const opened = openHere(path)
    handles.set(path, opened)
    opened.catch(() => handles.delete(path))
    return opened
  }

  return {
    async sync(path) {
      await syncs.sync(path, await handleOf(path), { whole: true })
    },
    async close() {
      const opened = [...handles.values()]
      handles.clear()
      await Promise.all(opened.map(async (handle) => (await handle).close()))
    },
  }
}
