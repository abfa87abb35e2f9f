import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { freshLocation, readBytes, writeBody, writeBytes } from '../../contracts/bytes/world.ts'
import { describeObjects } from '../../contracts/objects.ts'
import { describeStaging } from '../../contracts/staging.ts'
import { BlobMissing, StorageUnavailable, SyncFailed } from '../../ground/storageErrors.ts'
import { takeAway } from '../../testing/disk.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from './blobs.ts'

async function openWorld() {
  const above = mkdtempSync(join(tmpdir(), 'blindkeep-blobs-'))
  const directory = join(above, 'new', 'blobs')
  const opened: FilesystemBlobs[] = []
  const reopen = async () => {
    const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
    opened.push(blobs)
    return blobs
  }
  const close = async () => {
    for (const each of opened) await each.close()
    rmSync(above, { recursive: true })
  }
  const blobs = await reopen()
  return { blobs, directory, reopen, leave: () => takeAway(directory), close }
}

type World = Awaited<ReturnType<typeof openWorld>>

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = await openWorld()
    try {
      await work(world)
    } finally {
      await world.close()
    }
  }
}

/** How many descriptors of this process are files below `directory`, not counting directories. */
function openFilesBelow(directory: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return '' // The one that reads the list is closed by now.
    }
  })
  return targets.filter((target) => target.startsWith(directory) && target.length > join(directory, 'ab').length).length
}

describeStaging('the filesystem adapter', openWorld, { hasKeys: false })
describeObjects('the filesystem adapter', openWorld, { hasKeys: false })

describe('the filesystem adapter', () => {
  it(
    'creates files with mode 0600 and directories with mode 0700',
    inWorld(async ({ blobs, directory }) => {
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(10))
      const modes = [directory, dirname(join(directory, location)), join(directory, location)].map(
        (path) => statSync(path).mode & 0o777,
      )
      assert.deepEqual(modes, [0o700, 0o700, 0o600])
    }),
  )

  it(
    'keeps at most a mebibyte in memory of a body that arrives faster than it is written',
    inWorld(async ({ blobs, directory }) => {
      const location = freshLocation()
      const piece = randomBytes(65_536)
      let aheadMost = 0
      async function* body() {
        for (let taken = 0; taken < 64; taken++) {
          const written = statSync(join(directory, location), { throwIfNoEntry: false })?.size ?? 0
          aheadMost = Math.max(aheadMost, taken * piece.length - written)
          yield piece
        }
      }
      await writeBody(blobs, location, body())
      assert.ok(aheadMost <= 1_048_576, `held ${aheadMost} bytes`)
    }),
  )

  it(
    'closes the file when a reader stops early or throws, and after settling or removing',
    inWorld(async ({ blobs, directory }) => {
      const [location, other] = [freshLocation(), freshLocation()]
      for (const each of [location, other]) await writeBytes(blobs, each, randomBytes(2_000_000))
      await blobs.settle(location, 2_000_000)
      await blobs.remove(other)
      const range = { start: 0, end: 2_000_000 }
      for await (const _ of blobs.read(location, range)) break
      await assert.rejects(async () => {
        for await (const _ of blobs.read(location, range)) throw new Error('the client has disconnected')
      }, /has disconnected/)
      await readBytes(blobs, location)
      assert.equal(openFilesBelow(directory), 0)
    }),
  )

  it(
    'keeps a bounded number of unsettled files open',
    inWorld(async ({ blobs, directory }) => {
      const locations = Array.from({ length: 300 }, freshLocation)
      for (const location of locations) await writeBytes(blobs, location, randomBytes(10))
      assert.equal(openFilesBelow(directory), 256)
      for (const location of locations) await blobs.settle(location, 10)
      assert.equal(openFilesBelow(directory), 0)
    }),
  )

  it(
    'lists no files that are not its own',
    inWorld(async ({ blobs, directory }) => {
      writeFileSync(join(directory, 'ab', 'notes.txt'), 'x')
      writeFileSync(join(directory, 'lost'), 'x')
      for await (const location of blobs.list()) assert.fail(location)
    }),
  )

  it(
    'throws StorageUnavailable with its cause for a full disk, and continues when there is room',
    inWorld(async ({ blobs, directory }) => {
      // Every write to this device fails as on a full disk.
      const location = freshLocation()
      symlinkSync('/dev/full', join(directory, location))
      await assert.rejects(writeBytes(blobs, location, randomBytes(10)), (error) => {
        assert.ok(error instanceof StorageUnavailable)
        assert.match(String(error.cause), /ENOSPC/)
        return true
      })
      await blobs.remove(location)
      await writeBytes(blobs, location, Buffer.from('there is room'))
      await blobs.settle(location, 13)
    }),
  )

  it(
    'throws StorageUnavailable for a file or directory that was removed',
    inWorld(async ({ blobs, directory }) => {
      const location = freshLocation()
      rmSync(dirname(join(directory, location)), { recursive: true })
      await assert.rejects(writeBytes(blobs, location, randomBytes(10)), StorageUnavailable)
      writeFileSync(dirname(join(directory, location)), '')
      for (const call of [
        () => writeBytes(blobs, location, randomBytes(10)),
        () => blobs.size(location),
        () => readBytes(blobs, location),
      ]) {
        await assert.rejects(call(), StorageUnavailable)
      }
    }),
  )

  it(
    'does not wait for a pipe in the place of an object',
    inWorld(async ({ blobs, directory }) => {
      const location = freshLocation()
      execFileSync('mkfifo', [join(directory, location)])
      const first = (size: number) =>
        blobs.read(location, { start: 0, end: size }, { size })[Symbol.asyncIterator]().next()
      await assert.rejects(first(1000), StorageUnavailable)
      await assert.rejects(first(300_000), BlobMissing)
      assert.equal((await blobs.digest(location, 1000, new AbortController().signal)).size, 0)
    }),
  )

  it(
    'refuses to settle an object after a failed sync, until the object is removed',
    inWorld(async ({ blobs, directory, reopen }) => {
      // This device cannot be synced: EINVAL, standing for any error of fsync.
      const location = freshLocation()
      const path = join(directory, location)
      symlinkSync('/dev/full', path)
      await assert.rejects(blobs.settle(location, 0), SyncFailed)
      unlinkSync(path)
      writeFileSync(path, 'a sync would succeed now')
      await assert.rejects(blobs.settle(location, 24), SyncFailed)
      await assert.rejects(writeBytes(blobs, location, Buffer.from('more'), 24), SyncFailed)
      // A new process reads the bytes again before it settles them.
      await (await reopen()).settle(location, 24)
      await blobs.remove(location)
      await writeBytes(blobs, location, Buffer.from('all of them again'))
      await blobs.settle(location, 17)
    }),
  )

  it(
    'starts to sync a long file early, and settles all of it',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const chunk = randomBytes(8 * 1024 * 1024)
      for (let index = 0; index < 3; index++) await writeBytes(blobs, location, chunk, index * chunk.length)
      await blobs.settle(location, 3 * chunk.length)
      assert.ok(chunk.equals(await readBytes(blobs, location, 2 * chunk.length, 3 * chunk.length)))
    }),
  )

  it(
    'opens a directory that it created before, also after a subdirectory was lost',
    inWorld(async ({ directory, reopen }) => {
      rmSync(join(directory, 'ab'), { recursive: true })
      await reopen()
      assert.equal(readdirSync(directory).length, 257)
    }),
  )

  it('refuses to open over a file', async () => {
    const above = mkdtempSync(join(tmpdir(), 'blindkeep-blobs-'))
    writeFileSync(join(above, 'taken'), '')
    await assert.rejects(
      openFilesystemBlobs({ directory: join(above, 'taken'), createIfMissing: true }),
      StorageUnavailable,
    )
    rmSync(above, { recursive: true })
  })
})
