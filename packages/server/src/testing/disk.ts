import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import { inWorld, type World } from './world.ts'

/** A disk that is not mounted: in its place the server's empty directories without objects. */
export async function takeAway(directory: string): Promise<() => Promise<void>> {
  const elsewhere = `${directory} away`
  await rename(directory, elsewhere)
  await mkdir(directory)
  for (const name of await readdir(elsewhere)) if (/^[0-9a-f]{2}$/.test(name)) await mkdir(join(directory, name))
  return async () => {
    const made = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    await rm(directory, { recursive: true })
    await rename(elsewhere, directory)
    if (made.length > 0)
      throw new Error(`these files are on the wrong disk now: ${made.map(({ name }) => name).join(', ')}`)
  }
}

interface Disk {
  readonly directory: string
  /** Returns a function that brings the disk back. It throws when files were written in its place. */
  takeAway(): Promise<() => Promise<void>>
}

/** A test in a world whose objects are on their own disk. */
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
