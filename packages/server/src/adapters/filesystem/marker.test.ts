import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshLocation, readBytes, writeBytes } from '../../contracts/bytes/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { openFilesystemBlobs } from './blobs.ts'
import { createMarker, MARKER } from './marker.ts'

function inDirectory(work: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const above = await mkdtemp(join(tmpdir(), 'blindkeep-marker-'))
    try {
      await work(join(above, 'blobs'))
    } finally {
      await rm(above, { recursive: true })
    }
  }
}

/** One object, written by a process that has ended. */
async function leaveObject(directory: string): Promise<{ readonly location: string; readonly bytes: Buffer }> {
  const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
  const object = { location: freshLocation(), bytes: randomBytes(100) }
  await writeBytes(blobs, object.location, object.bytes)
  await blobs.settle(object.location, 100)
  await blobs.close()
  return object
}

/** Opens like a start whose database knows objects. */
async function openKnown(directory: string) {
  return openFilesystemBlobs({ directory, createIfMissing: false })
}

describe('the marker of a blob directory', () => {
  it(
    'is created with the directory, with a text for its owner only',
    inDirectory(async (directory) => {
      await (await openFilesystemBlobs({ directory, createIfMissing: true })).close()
      const path = join(directory, MARKER)
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.match(await readFile(path, 'utf8'), /^Blindkeep keeps objects below this directory\..*\n$/)
      assert.equal((await readdir(directory)).length, 257)
    }),
  )

  it(
    'is not needed if the directory has objects, and is created then',
    inDirectory(async (directory) => {
      const { location, bytes } = await leaveObject(directory)
      await rm(join(directory, MARKER))
      const blobs = await openKnown(directory)
      assert.ok(bytes.equals(await readBytes(blobs, location)))
      await blobs.close()
      assert.ok((await readdir(directory)).includes(MARKER))
    }),
  )

  it(
    'and everything else stays unchanged if the directory is only inspected',
    inDirectory(async (directory) => {
      const { location, bytes } = await leaveObject(directory)
      for (const prefix of await readdir(directory))
        if (prefix !== location.slice(0, 2) && prefix !== MARKER) await rm(join(directory, prefix), { recursive: true })
      const before = await readdir(directory)
      const look = () => openFilesystemBlobs({ directory, createIfMissing: false, asItIs: true })
      const blobs = await look()
      assert.ok(bytes.equals(await readBytes(blobs, location)))
      for await (const listed of blobs.list()) assert.equal(listed, location)
      await blobs.close()
      assert.deepEqual(await readdir(directory), before)
      await rm(join(directory, MARKER))
      await assert.rejects(look(), /Start the server once, which makes it/)
      assert.deepEqual(await readdir(directory), [location.slice(0, 2)])
    }),
  )

  it(
    'is sufficient if an operator created it',
    inDirectory(async (directory) => {
      await mkdir(directory)
      await writeFile(join(directory, MARKER), '')
      const blobs = await openKnown(directory)
      await writeBytes(blobs, freshLocation(), randomBytes(10))
      await blobs.close()
    }),
  )

  const strange = {
    'is not there': async () => undefined,
    'is empty': (directory: string) => mkdir(directory),
    'has the directories of a server and no object': async (directory: string) => {
      await (await openFilesystemBlobs({ directory, createIfMissing: true })).close()
      await rm(join(directory, MARKER))
    },
    'has other files alone': async (directory: string) => {
      await mkdir(join(directory, 'ab'), { recursive: true })
      await writeFile(join(directory, 'ab', 'notes.txt'), 'x')
    },
  }
  for (const [what, make] of Object.entries(strange)) {
    it(
      `is required if the database knows objects and the directory ${what}: nothing is created, and the error tells what to do`,
      inDirectory(async (directory) => {
        await make(directory)
        const before = await listed(directory)
        await assert.rejects(openKnown(directory), ({ name, message }: Error) => {
          assert.equal(name, 'Error')
          assert.ok(message.includes(directory))
          assert.match(message, /does not look like the one that this database belongs to/)
          assert.match(message, /Is the disk mounted\?/)
          assert.ok(message.includes(`touch '${join(directory, MARKER)}'`))
          return true
        })
        assert.deepEqual(await listed(directory), before)
      }),
    )
  }

  it(
    'confirms a missing object only if the marker is there before and after a second look',
    inDirectory(async (directory) => {
      await mkdir(directory)
      const path = join(directory, MARKER)
      const marker = createMarker(directory)
      const go = async () => rm(path)
      const come = async () => writeFile(path, '')
      const stay = async () => undefined
      // The event after each look, and the result: undefined is an object that is really missing.
      const stories = [
        { begins: come, after: [stay, stay], found: [undefined, undefined], comesTo: undefined },
        { begins: stay, after: [stay, stay], found: [undefined, 'an object'], comesTo: 'an object' },
        { begins: stay, after: [stay, go], found: [undefined, undefined], comesTo: StorageUnavailable },
        { begins: stay, after: [come, stay], found: [undefined, 'an object'], comesTo: 'an object' },
        { begins: go, after: [stay], found: [undefined], comesTo: StorageUnavailable },
        { begins: stay, after: [stay], found: ['an object'], comesTo: 'an object' },
      ]
      for (const { begins, after, found, comesTo } of stories) {
        await begins()
        let looks = 0
        const answer = marker.confirm(async () => {
          const seen = found[looks]
          await after[looks]?.()
          looks += 1
          return seen
        })
        if (comesTo === StorageUnavailable) await assert.rejects(answer, StorageUnavailable)
        else assert.equal(await answer, comesTo)
        assert.equal(looks, found.length)
      }
    }),
  )
})

async function listed(directory: string): Promise<readonly string[] | undefined> {
  return readdir(directory, { recursive: true }).catch(() => undefined)
}
