import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chown, link, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { badLocations, freshLocation, writeBytes } from '../../contracts/bytes/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { inPieces } from '../../testing/guest.ts'
import { sha256 } from '../../testing/world.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from './blobs.ts'
import { MARKER } from './marker.ts'

function inDirectory(work: (blobs: FilesystemBlobs, root: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-replacing-'))
    const blobs = await openFilesystemBlobs({ directory: root, createIfMissing: true })
    try {
      await work(blobs, root)
    } finally {
      await blobs.close()
      await rm(root, { recursive: true })
    }
  }
}

const content = randomBytes(300_000)
const expected = { sha256: sha256(content), size: content.length }
const OTHER_USER = 65_534

const namesBeside = (path: string) => readdir(dirname(path))

async function* broken(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes.subarray(0, 1000)
  throw new Error('the source broke')
}

describe('replacing an object in a directory', () => {
  it(
    'puts the new bytes in its place, while a reader goes on with the old ones',
    inDirectory(async (blobs, root) => {
      const location = freshLocation()
      const old = randomBytes(300_000)
      await writeBytes(blobs, location, old, 0)
      const reading = blobs.read(location, { start: 0, end: old.length })[Symbol.asyncIterator]()
      const pieces = [Buffer.from((await reading.next()).value)]
      assert.equal(await blobs.replacing.replace(location, inPieces(content), expected), true)
      for (let step = await reading.next(); step.done !== true; step = await reading.next())
        pieces.push(Buffer.from(step.value))
      assert.ok(Buffer.concat(pieces).equals(old))
      const path = join(root, location)
      assert.ok((await readFile(path)).equals(content))
      assert.deepEqual([await namesBeside(path), (await stat(path)).mode & 0o777], [[location.slice(3)], 0o600])
    }),
  )

  it(
    'leaves the object as it was when the source breaks, or gives other bytes than were expected',
    inDirectory(async (blobs, root) => {
      const location = freshLocation()
      const path = join(root, location)
      await writeBytes(blobs, location, content, 0)
      await assert.rejects(blobs.replacing.replace(location, broken(content), expected), /the source broke/)
      for (const wrong of [content.subarray(1), Buffer.concat([content, content]), randomBytes(content.length)])
        assert.equal(await blobs.replacing.replace(location, inPieces(wrong), expected), false)
      assert.ok((await readFile(path)).equals(content))
      assert.deepEqual(await namesBeside(path), [location.slice(3)])
    }),
  )

  it(
    'writes nothing while the disk is away',
    inDirectory(async (blobs, root) => {
      const location = freshLocation()
      await rename(join(root, MARKER), join(root, 'away'))
      await rm(dirname(join(root, location)), { recursive: true })
      await assert.rejects(blobs.replacing.replace(location, inPieces(content), expected), StorageUnavailable)
      await assert.rejects(blobs.replacing.clear(), StorageUnavailable)
      assert.ok(!(await readdir(root)).includes(location.slice(0, 2)))
    }),
  )

  it(
    'makes the directory of a lost disk again, and gives what is new to the owner of the whole',
    { skip: process.getuid?.() === 0 ? false : 'needs root' },
    inDirectory(async (blobs, root) => {
      const location = freshLocation()
      const path = join(root, location)
      await rm(dirname(path), { recursive: true })
      await chown(root, OTHER_USER, OTHER_USER)
      assert.equal(await blobs.replacing.replace(location, inPieces(content), expected), true)
      // As a run has left it that was killed before it gave it away.
      await chown(dirname(path), 0, 0)
      assert.equal(await blobs.replacing.replace(location, inPieces(content), expected), true)
      for (const [each, mode] of [
        [dirname(path), 0o700],
        [path, 0o600],
      ] as const) {
        const found = await stat(each)
        assert.deepEqual([found.uid, found.gid, found.mode & 0o777], [OTHER_USER, OTHER_USER, mode])
      }
    }),
  )

  it(
    'gives no file of others to the owner of the whole, who puts a link in the place of what is new',
    { skip: process.getuid?.() === 0 ? false : 'needs root' },
    inDirectory(async (blobs, root) => {
      const location = freshLocation()
      const unfinished = join(root, `${location}.new`)
      const other = join(root, 'of root')
      await writeFile(other, 'secret')
      await chown(root, OTHER_USER, OTHER_USER)
      async function* swapping() {
        yield content
        await rm(unfinished)
        await symlink(other, unfinished)
      }
      assert.equal(await blobs.replacing.replace(location, swapping(), expected), false)
      assert.deepEqual([(await stat(other)).uid, await readFile(other, 'utf8')], [0, 'secret'])
      await assert.rejects(stat(join(root, location)), { code: 'ENOENT' })
      const directory = dirname(join(root, location))
      for (const put of [link, symlink]) {
        await rm(directory, { recursive: true })
        await put(other, directory)
        await assert.rejects(blobs.replacing.replace(location, inPieces(content), expected), /ENOTDIR/)
        assert.equal((await stat(other)).uid, 0)
      }
    }),
  )

  it(
    'clears what killed processes have left, and nothing else',
    inDirectory(async (blobs, root) => {
      const [location, lost] = [freshLocation(), freshLocation()]
      await writeBytes(blobs, location, content, 0)
      for (const each of [location, lost]) await writeFile(join(root, `${each}.new`), 'half')
      const other = join(root, lost.slice(0, 2), 'mine.new')
      await writeFile(other, 'of a person')
      await blobs.replacing.clear()
      const left = (await readdir(root, { recursive: true })).filter((name) => name.includes('.'))
      assert.deepEqual(left.toSorted(), [MARKER, location, other.slice(root.length + 1)].toSorted())
    }),
  )

  it(
    'refuses a text that is no location',
    inDirectory(async (blobs) => {
      for (const bad of badLocations())
        await assert.rejects(blobs.replacing.replace(bad, inPieces(content), expected), RangeError)
    }),
  )
})
