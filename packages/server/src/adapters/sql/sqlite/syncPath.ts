import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file durable, or what was created, renamed or removed in a directory. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
