import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageUnavailable } from '../../ports/blobs.ts'
import { syncOnce } from './directories.ts'
import { onStorage, systemCode, unlessMissing } from './failure.ts'

/** In the root of the blob directory. Only whether it is there counts, so that `touch` makes one too. */
export const MARKER = '.blindkeep-blobs'

const WORDS =
  'Blindkeep keeps objects below this directory. Without this file it takes the disk for one that is not mounted.\n'

/**
 * Tells an object that is lost from a disk that is away. Where a disk is not mounted there is a directory too, an empty one, in which every object looks
 * missing; but the marker is missing with them, and then nothing that is said of objects is worth anything.
 */
export interface Marker {
  isThere(): Promise<boolean>
  /** Durably. */
  make(): Promise<void>
  /** Throws `StorageUnavailable` when it is not there. */
  check(): Promise<void>
  /**
   * What `look` finds. That it finds nothing counts only when it finds nothing again between two sights of the marker: the disk may go or come back
   * at any time. Throws `StorageUnavailable` otherwise. While something is found it costs nothing.
   */
  confirm<Found>(look: () => Promise<Found | undefined>): Promise<Found | undefined>
}

export function createMarker(root: string): Marker {
  const path = join(root, MARKER)

  async function isThere(): Promise<boolean> {
    return (await onStorage(() => unlessMissing(() => stat(path)))) !== undefined
  }

  async function check(): Promise<void> {
    if (!(await isThere()))
      throw new StorageUnavailable(`${path} is missing: the disk of the blob directory seems not to be mounted`)
  }

  return {
    isThere,
    check,
    make: () => onStorage(() => writeMarker(path, root)),
    async confirm(look) {
      const found = await look()
      if (found !== undefined) return found
      await check()
      const again = await look()
      if (again === undefined) await check()
      return again
    },
  }
}

async function writeMarker(path: string, root: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch(unlessThere)
  if (file === undefined) return
  try {
    await file.writeFile(WORDS)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncOnce(root)
}

function unlessThere(error: unknown): undefined {
  if (systemCode(error) !== 'EEXIST') throw error
}

/** For people, at a start: what was found, and what to do in either case. */
export function foreignDirectory(root: string): Error {
  return new Error(
    [
      `the blob directory ${root} does not look like the one that this database belongs to:`,
      `  the database knows of objects, and there is neither an object in it nor the file ${MARKER}.`,
      '  Is the disk mounted? Mount it, or set BLOBS_URL to where the objects are, and start again; nothing was changed.',
      '  Only if the objects are lost for good, and no backup of them is left:',
      `    mkdir -p '${root}' && touch '${join(root, MARKER)}'`,
      '  and start again. What is lost is then called lost, and uploads that were under way begin anew or fail.',
    ].join('\n'),
  )
}
