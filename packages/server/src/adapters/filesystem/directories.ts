import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onStorage } from './failure.ts'
import type { Marker } from './marker.ts'
import type { Syncs } from './syncs.ts'

/** The first two hex digits of every content address: `00` to `ff`. */
export const PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
)

/** Creates `root` and one directory for each prefix below it, mode 0700, durably, also those that a killed process made and did not sync. */
export async function createDirectories(root: string): Promise<void> {
  await onStorage(async () => {
    const oldestNew = await mkdir(root, { recursive: true, mode: 0o700 })
    const present = new Set(await readdir(root))
    const missing = PREFIXES.filter((prefix) => !present.has(prefix))
    await Promise.all(missing.map((prefix) => mkdir(join(root, prefix), { recursive: true, mode: 0o700 })))
    // Up to the directory that holds the highest new entry; the one above `root` in any case, as a killed process may have made that.
    const highest = dirname(oldestNew ?? root)
    await syncOnce(highest)
    for (let above = root; above !== highest; above = dirname(above)) await syncOnce(above)
  })
}

/** For a directory that is synced no more than now and then. */
export async function syncOnce(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes entries of directories durable, over handles that stay open: one for each prefix at most. */
interface DirectorySyncs {
  sync(path: string): Promise<void>
  close(): Promise<void>
}

export function createDirectorySyncs(syncs: Syncs, marker: Pick<Marker, 'check'>): DirectorySyncs {
  const handles = new Map<string, Promise<FileHandle>>()

  /** One that was opened while the disk was away would be synced ever after, and what it is to make durable would not be. */
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
