/** What is opened one after the other, and closed together. */
import type { DirectoryLock } from '../adapters/sql/sqlite/directoryLock.ts'

interface Closable {
  close(): Promise<void>
}

/** Closes what it is given together with the rest. Returns it. */
export type Keep = <Resource extends Closable>(resource: Resource) => Resource

/** What `open` keeps is closed by `close`, the last one first; at once if `open` throws. */
export async function openTogether<Opened extends object>(
  open: (keep: Keep) => Promise<Opened>,
): Promise<Omit<Opened, 'close'> & Closable> {
  const kept: Closable[] = []
  const close = async () => {
    for (const resource of kept) await resource.close()
  }
  try {
    const opened = await open((resource) => {
      kept.unshift(resource)
      return resource
    })
    return { ...opened, close }
  } catch (error) {
    await close()
    throw error
  }
}

export const closing = (lock: DirectoryLock): Closable => ({ close: async () => lock.release() })
