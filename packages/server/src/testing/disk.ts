import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import { inWorld, type World } from './world.ts'

/** A disk that is not mounted: in its place there is what lies below, with the directories that a server once made there, and no object. */
export async function takeAway(directory: string): Promise<() => Promise<void>> {
  const elsewhere = `${directory} away`
  await rename(directory, elsewhere)
  await mkdir(directory)
  for (const name of await readdir(elsewhere)) if (/^[0-9a-f]{2}$/.test(name)) await mkdir(join(directory, name))
  return async () => {
    const made = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    await rm(directory, { recursive: true })
    await rename(elsewhere, directory)
    if (made.length > 0) throw new Error(`on the wrong disk there is now ${made.map(({ name }) => name).join(', ')}`)
  }
}

interface Disk {
  readonly directory: string
  /** Gives what brings it back, which throws when anything was written in its place. */
  takeAway(): Promise<() => Promise<void>>
}

/** A test in a world whose objects lie on a disk of their own. */
export function inWorldWithDisk(work: (world: World, disk: Disk) => Promise<void>): () => Promise<void> {
  return async () => {
    const above = await mkdtemp(join(tmpdir(), 'blindkeep-disk-'))
    const directory = join(above, 'blobs')
    const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
    const disk = { directory, takeAway: () => takeAway(directory) }
    try {
      await inWorld((world) => work({ ...world, blobsDirectory: directory }, disk), {
        around: { blobs: () => blobs },
      })()
    } finally {
      await blobs.close()
      await rm(above, { recursive: true })
    }
  }
}
