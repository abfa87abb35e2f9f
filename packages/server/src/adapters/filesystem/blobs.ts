import { type FileHandle, open, readdir, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BlobMissing, type Blobs } from '../../ports/blobs.ts'
import { createDigests } from './digest.ts'
import { createDirectories, createDirectorySyncs, PREFIXES } from './directories.ts'
import { onStorage, unlessMissing } from './failure.ts'
import { createFiles, type OpenFile } from './files.ts'
import { createMarker, foreignDirectory, MARKER } from './marker.ts'
import { createSyncs } from './syncs.ts'
import { writeBody } from './writing.ts'

/** Of each read and each piece that it gives out. */
const READ_BYTES = 128 * 1024

const locationForm = /^[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f-]{36}$/
const nameForm = /^[0-9a-f]{64}\.[0-9a-f-]{36}$/

/** `Blobs` as files (mode 0600) below one directory, which has to lie on a file system that keeps what fsync has acknowledged. */
export interface FilesystemBlobs extends Blobs {
  /** Closes what is open and ends the threads that hash. Nothing may be under way. */
  close(): Promise<void>
}

interface FilesystemBlobsOptions {
  readonly directory: string
  /** Whether there may be no objects yet. When objects are known, a directory without marker and objects is refused with an error for people. */
  readonly createIfMissing: boolean
  /** Makes nothing, and refuses every directory without marker: for whoever looks at it beside its server. */
  readonly asItIs?: boolean
}

/**
 * Creates `directory`, the 256 below it (mode 0700) and its marker durably, so that settling an object has one directory to sync, and that a disk which
 * is not mounted can be told from objects that are lost.
 */
export async function openFilesystemBlobs(options: FilesystemBlobsOptions): Promise<FilesystemBlobs> {
  const root = resolve(options.directory)
  const marker = createMarker(root)
  const isMarked = await marker.isThere()
  if (!isMarked && !options.createIfMissing && !(await holdsObjects(root))) throw foreignDirectory(root)
  if (options.asItIs !== true) {
    await createDirectories(root)
    // Directories of before there was a marker have objects and get it now.
    if (!isMarked) await marker.make()
  } else if (!isMarked) throw new Error(`${root} has objects and no ${MARKER}. Start the server once, which makes it.`)
  const syncs = createSyncs()
  const files = createFiles(syncs, marker)
  const directories = createDirectorySyncs(syncs, marker)
  const digests = createDigests()

  function pathOf(location: string): string {
    if (!locationForm.test(location)) throw new RangeError('not a location of this store')
    return join(root, location)
  }

  return {
    async write(location, request) {
      const path = pathOf(location)
      checkByteCount(request.offset)
      request.signal.throwIfAborted()
      // What comes later than the first byte goes into a file that is there: a new one would have a hole where acknowledged bytes were.
      const create = request.offset === 0
      const isWritten = await marker.confirm(() => files.use(path, { create }, (file) => writeBody(file, request)))
      if (isWritten === undefined) throw new BlobMissing('no such object')
    },

    async settle(location, size) {
      const path = pathOf(location)
      checkByteCount(size)
      const isThere = await marker.confirm(() => files.use(path, { create: false }, (file) => settleFile(file, size)))
      if (isThere === undefined) throw new BlobMissing('no such object')
      await directories.sync(dirname(path))
      await files.release(path)
    },

    async size(location) {
      const path = pathOf(location)
      const found = await marker.confirm(() => onStorage(() => unlessMissing(() => stat(path))))
      return found?.size
    },

    async *read(location, { start, end }) {
      const path = pathOf(location)
      checkByteCount(start)
      checkByteCount(end)
      const handle = await marker.confirm(() => onStorage(() => unlessMissing(() => open(path, 'r'))))
      if (handle === undefined) throw new BlobMissing('no such object')
      try {
        yield* readRange(handle, { start, end })
      } finally {
        await handle.close()
      }
    },

    async digest(location, size, signal) {
      const path = pathOf(location)
      checkByteCount(size)
      const digest = await marker.confirm(() => digests.take(path, size, signal).catch(unlessNoObject))
      if (digest === undefined) throw new BlobMissing('no such object')
      return digest
    },

    async remove(location) {
      const path = pathOf(location)
      await files.release(path)
      await marker.confirm(() => onStorage(() => unlessMissing(() => unlinked(path))))
      // Also when it was gone already: whoever unlinked it may have been killed before that was durable.
      await directories.sync(dirname(path))
      syncs.forget(path)
    },

    async freeBytes() {
      const { bavail, bsize } = await onStorage(() => statfs(root))
      // After it: what was counted is this disk's, not that of the one which lies below its mount.
      await marker.check()
      return bavail * bsize
    },

    async *list() {
      await marker.check()
      for (const prefix of PREFIXES) {
        // One that is missing is missed by the rows of its objects.
        const names = await onStorage(() => unlessMissing(() => readdir(join(root, prefix))))
        for (const name of names ?? []) if (nameForm.test(name)) yield `${prefix}/${name}`
      }
    },

    async close() {
      await digests.close()
      await files.close()
      await directories.close()
    },
  }
}

async function holdsObjects(root: string): Promise<boolean> {
  for (const prefix of PREFIXES) {
    const names = await onStorage(() => unlessMissing(() => readdir(join(root, prefix))))
    if (names?.some((name) => nameForm.test(name)) === true) return true
  }
  return false
}

async function unlinked(path: string): Promise<true> {
  await unlink(path)
  return true
}

function unlessNoObject(error: unknown): undefined {
  if (!(error instanceof BlobMissing)) throw error
}

function checkByteCount(value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('not a number of bytes')
}

async function settleFile({ handle, sync }: OpenFile, size: number): Promise<true> {
  const { size: present } = await onStorage(() => handle.stat())
  if (present < size) throw new Error(`the object holds ${present} bytes, fewer than ${size}`)
  const isLonger = present > size
  if (isLonger) await onStorage(() => handle.truncate(size))
  // POSIX lets fdatasync leave out what the bytes can be read without. A file that has grown cannot be read without its new size, one that was cut can.
  await sync({ whole: isLonger })
  return true
}

async function* readRange(handle: FileHandle, range: { readonly start: number; readonly end: number }) {
  let position = range.start
  while (position < range.end) {
    // A new buffer each time, as a consumer may hold on to the last one: a socket does until it has been sent.
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, range.end - position))
    const { bytesRead } = await onStorage(() => handle.read(buffer, 0, buffer.length, position))
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
