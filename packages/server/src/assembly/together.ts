/** What is opened one after the other, and closed together. */
import type { DirectoryLock } from '../adapters/sql/sqlite/directoryLock.ts'

interface Closable {
  close(): Promise<void>
}

/** Closes what it is given together with the rest. Returns it. */
export type Keep = <Resource extends Closable>(resource: Resource) => Resource

/**
 * What `open` keeps is closed by `close`, the last one first; at once if `open` throws. Each is closed, also when
 * another cannot be: the lock of a directory is the last.
 */
export async function openTogether<Opened extends object>(
  open: (keep: Keep) => Promise<Opened>,
): Promise<Omit<Opened, 'close'> & Closable> {
  const kept: Closable[] = []
  const close = () => kept.reduce((before, next) => before.finally(() => next.close()), Promise.resolve())
  try {
    const opened = await open((resource) => {
      kept.unshift(resource)
      return resource
    })
    return { ...opened, close }
  } catch (error) {
    // What stopped the opening says more than what a half-open resource says at its close.
    await close().catch(() => undefined)
    throw error
  }
}

export const closing = (lock: DirectoryLock): Closable => ({ close: async () => lock.release() })
