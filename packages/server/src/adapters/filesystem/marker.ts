import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../../ground/disk.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { onStorage, systemCode, unlessMissing } from './failure.ts'

/** A file in the root of the blob directory. Only its existence counts, so `touch` creates a valid one. */
export const MARKER = '.blindkeep-blobs'

const MARKER_TEXT =
  'Blindkeep keeps objects below this directory. Without this file Blindkeep assumes that the disk is not mounted.\n'

/**
 * Tells a lost object from a disk that is away. If a disk is not mounted, its mount point is an empty directory,
 * in which every object looks missing. But the marker is missing there too, and then the store reports nothing
 * about objects.
 */
export interface Marker {
  isThere(): Promise<boolean>
  /** Creates the marker durably. */
  make(): Promise<void>
  /** Throws `StorageUnavailable` if the marker is missing. */
  check(): Promise<void>
  /**
   * Answers what `look` finds. If `look` finds nothing, `confirm` checks the marker, looks again, and checks the marker
   * again, because the disk may disappear or come back at any time. Throws `StorageUnavailable` if the marker is
   * missing. Costs nothing as long as `look` finds something.
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
    await file.writeFile(MARKER_TEXT)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncDirectory(root)
}

function unlessThere(error: unknown): undefined {
  if (systemCode(error) !== 'EEXIST') throw error
}

/** Tells the operator at start-up what is wrong and what to do. */
export function foreignDirectory(root: string): Error {
  return new Error(
    [
      `the blob directory ${root} does not look like the one that this database belongs to:`,
      `  the database knows objects, but the directory has neither an object nor the file ${MARKER}.`,
      '  Is the disk mounted? Mount it, or set BLOBS_URL to the directory of the objects, and start again. Nothing was changed.',
      '  Only if the objects are lost permanently:',
      `    mkdir -p '${root}' && touch '${join(root, MARKER)}'`,
      '  and, if you have a backup, bring them back: `blindkeep-server fsck --repair-from BACKUP`. Then start again.',
      '  The server reports the others as lost, and open uploads start again or fail.',
    ].join('\n'),
  )
}
