/** `Replacing` for files: a new file beside the object, and a rename. */
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobDigest } from '../../ports/objects.ts'
import type { Replacing } from '../../ports/replacing.ts'
import type { Digests } from './digest.ts'
import { type DirectorySyncs, PREFIXES } from './directories.ts'
import { onStorage, systemCode, unlessMissing } from './failure.ts'
import type { Marker } from './marker.ts'
import { isOf, type Owner, UNFINISHED, writeNewFile } from './newFile.ts'

interface ReplacingParts {
  readonly root: string
  /** Of an object. Throws for any other text. */
  readonly pathOf: (location: string) => string
  readonly marker: Pick<Marker, 'check'>
  readonly directories: DirectorySyncs
  readonly digests: Digests
}

const unfinishedForm = /^[0-9a-f]{64}\.[0-9a-f-]{36}\.new$/

export function createReplacing({ root, pathOf, marker, directories, digests }: ReplacingParts): Replacing {
  /** A lost disk takes them with it. Follows no link that `owner` puts in its place. */
  async function makeDirectory(path: string, owner: Owner): Promise<void> {
    const isNew = await mkdir(path, { mode: 0o700 }).then(() => true, unlessThere)
    const found = await lstat(path)
    // Killed before it gave it away, a run of root has left its own.
    const isLeft = found.isDirectory() && found.uid === 0 && process.geteuid?.() === 0
    if ((isNew || isLeft) && !isOf(found, owner)) await giveDirectory(path, owner)
  }

  return {
    async clear() {
      await marker.check()
      for (const directory of PREFIXES.map((prefix) => join(root, prefix))) {
        const names = (await onStorage(() => unlessMissing(() => readdir(directory)))) ?? []
        for (const name of names.filter((each) => unfinishedForm.test(each)))
          await onStorage(() => rm(join(directory, name), { force: true }))
      }
    },

    async replace(location, body, expected) {
      const path = pathOf(location)
      const unfinished = path + UNFINISHED
      await marker.check()
      // Root may run the command. The server is the owner of `root`, and has to read what is new.
      const owner = await onStorage(() => stat(root))
      await onStorage(() => makeDirectory(dirname(path), owner))
      await directories.sync(root)
      try {
        await writeNewFile(unfinished, { body, on: onStorage, owner })
        if (!isSame(await digests.take(unfinished, expected.size, NEVER), expected)) return false
        await marker.check()
        await onStorage(() => rename(unfinished, path))
        await directories.sync(dirname(path))
        return true
      } finally {
        // Frees its space. If that fails, the next run removes the file.
        await rm(unfinished, { force: true }).catch(() => undefined)
      }
    },
  }
}

const NEVER = new AbortController().signal

/** By the open directory, as `writeNewFile` does it. */
async function giveDirectory(path: string, owner: Owner): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await directory.chown(owner.uid, owner.gid)
  } finally {
    await directory.close()
  }
}

function isSame(one: BlobDigest, other: BlobDigest): boolean {
  return one.size === other.size && one.sha256 === other.sha256
}

function unlessThere(error: unknown): false {
  if (systemCode(error) !== 'EEXIST') throw error
  return false
}
