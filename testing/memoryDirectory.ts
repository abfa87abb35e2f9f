/** Memory that Linux shows as a directory: nothing that is written there waits for a disk. */
import { statfsSync } from 'node:fs'

const DIRECTORY = '/dev/shm'
/** Containers have 64 MB of it unless they ask for more, and pages crash when it is full. */
const ENOUGH_BYTES = 2 * 1024 ** 3

/** Undefined where there is none, or little. */
export function memoryDirectory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(DIRECTORY)
    return bavail * bsize >= ENOUGH_BYTES ? DIRECTORY : undefined
  } catch {
    return undefined
  }
}
