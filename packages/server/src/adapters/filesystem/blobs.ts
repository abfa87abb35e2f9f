import { stat } from 'node:fs'
import { open, readdir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { freeBytesOf } from '../../ground/disk.ts'
import { BlobMissing } from '../../ground/storageErrors.ts'
import { checkByteCount, checkLocation, type Objects } from '../../ports/objects.ts'
import type { Replacing } from '../../ports/replacing.ts'
import type { Staging } from '../../ports/staging.ts'
import { createDigests, type Digests } from './digest.ts'
import {
  checkDirectories,
  createDirectories,
  createDirectorySyncs,
  type DirectorySyncs,
  PREFIXES,
} from './directories.ts'
import { onObject, onStorage, READ_ONLY, storageError, systemCode, unlessMissing } from './failure.ts'
import { createFiles, type Files, type OpenFile } from './files.ts'
import { createGathering, type Gathering } from './gathering.ts'
import { createMarker, foreignDirectory, MARKER, type Marker } from './marker.ts'
import { createPieces, type Pieces } from './pieces.ts'
import { createReplacing } from './replacing.ts'
import { createSyncs, type Syncs } from './syncs.ts'
import { writeBody } from './writing.ts'

const nameForm = /^[0-9a-f]{64}\.[0-9a-f-]{36}$/

/** Both ports of the bytes as files (mode 0600) below a directory whose file system keeps what fsync acknowledged. */
export interface FilesystemBlobs extends Staging, Objects {
  readonly replacing: Replacing
  /** Closes all files and ends the threads that hash. The caller makes sure that no call is under way. */
  close(): Promise<void>
}

interface FilesystemBlobsOptions {
  readonly directory: string
  /** False if the database knows objects: a directory without marker and objects is then refused, with advice. */
  readonly createIfMissing: boolean
  /** Creates nothing, and refuses a directory without a marker: for a process that inspects beside a server. */
  readonly asItIs?: boolean
}

interface OpenedDirectory {
  readonly root: string
  readonly marker: Marker
  readonly syncs: Syncs
  readonly files: Files
  readonly directories: DirectorySyncs
  readonly digests: Digests
  readonly gathering: Gathering
  readonly pieces: Pieces
}

/**
 * Creates `directory`, its 256 subdirectories (mode 0700) and its marker, durably. So settling an object has to sync
 * only one directory, and the store can tell a disk that is not mounted from lost objects.
 */
export async function openFilesystemBlobs(options: FilesystemBlobsOptions): Promise<FilesystemBlobs> {
  const root = resolve(options.directory)
  const marker = createMarker(root)
  await prepareDirectory(root, marker, options)
  const syncs = createSyncs()
  const files = createFiles(syncs, marker)
  const directories = createDirectorySyncs(syncs, marker)
  const digests = createDigests()
  const parts = {
    root,
    marker,
    syncs,
    files,
    directories,
    digests,
    gathering: createGathering(),
    pieces: createPieces(),
  }
  return {
    ...writingBlobs(parts),
    ...readingBlobs(parts),
    replacing: createReplacing({ ...parts, pathOf: (location) => pathOf(root, location) }),
    async close() {
      await digests.close()
      await files.close()
      await directories.close()
    },
  }
}

async function prepareDirectory(root: string, marker: Marker, options: FilesystemBlobsOptions): Promise<void> {
  const isMarked = await marker.isThere()
  if (!isMarked && !options.createIfMissing && !(await holdsObjects(root))) throw foreignDirectory(root)
  if (options.asItIs === true) {
    if (!isMarked) throw new Error(`${root} has objects and no ${MARKER}. Start the server once, which makes it.`)
    return
  }
  await createDirectories(root)
  // A directory that has objects but no marker gets its marker now.
  if (!isMarked) await marker.make()
}

function writingBlobs({
  root,
  marker,
  syncs,
  files,
  directories,
  gathering,
}: OpenedDirectory): Omit<Staging, 'check'> & Pick<Objects, 'remove'> {
  return {
    mayFallBack: true,
    newKey: () => undefined,

    async write({ location, offset }, request) {
      const path = pathOf(root, location)
      checkByteCount(offset)
      request.signal.throwIfAborted()
      // Later bytes need an existing file: a new file would have a hole in place of acknowledged bytes.
      const create = offset === 0
      const isWritten = await marker.confirm(() =>
        files.use(path, { create }, (file) => writeBody(file, { ...request, offset }, gathering)),
      )
      if (isWritten === undefined) throw new BlobMissing('no such object')
    },

    async settle(location, size) {
      const path = pathOf(root, location)
      checkByteCount(size)
      const isThere = await marker.confirm(() => files.use(path, { create: false }, (file) => settleFile(file, size)))
      if (isThere === undefined) throw new BlobMissing('no such object')
      await directories.sync(dirname(path))
      await files.release(path)
    },

    async remove(location) {
      const path = pathOf(root, location)
      await files.release(path)
      await marker.confirm(() => onStorage(() => unlessMissing(() => unlinked(path))))
      // Also if there was no file: a killed process may have removed it without a sync.
      await directories.sync(dirname(path))
      syncs.forget(path)
    },
  }
}

function readingBlobs({ root, marker, digests, pieces }: OpenedDirectory): Omit<Objects, 'remove'> {
  return {
    async size(location) {
      const path = pathOf(root, location)
      return await marker.confirm(() => sizeAt(path))
    },

    async *read(location, { start, end }, options) {
      const path = pathOf(root, location)
      checkByteCount(start)
      checkByteCount(end)
      const handle = await marker.confirm(() => onObject(() => unlessMissing(() => open(path, READ_ONLY))))
      if (handle === undefined) throw new BlobMissing('no such object')
      try {
        yield* pieces.read(handle, { start, end }, options)
      } finally {
        await handle.close()
      }
    },

    async digest(location, size, signal) {
      const path = pathOf(root, location)
      checkByteCount(size)
      const digest = await marker.confirm(() => digests.take(path, size, signal).catch(unlessNoObject))
      if (digest === undefined) throw new BlobMissing('no such object')
      return digest
    },

    async check() {
      const freeBytes = await onStorage(() => freeBytesOf(root))
      // Checked afterwards: if the disk was not mounted, `statfs` has measured the disk below the mount point.
      await marker.check()
      return freeBytes
    },

    checkPlaces: () => checkDirectories(root),

    async *list() {
      await marker.check()
      for (const prefix of PREFIXES) {
        // If a directory is missing, fsck reports its objects as missing.
        const names = await onStorage(() => unlessMissing(() => readdir(join(root, prefix))))
        for (const name of names ?? []) if (nameForm.test(name)) yield `${prefix}/${name}`
      }
    },
  }
}

function pathOf(root: string, location: string): string {
  checkLocation(location)
  return `${root}/${location}`
}

/**
 * Undefined if the system reports that there is no such file. A verification asks for thousands of sizes, and the
 * `stat` of `node:fs/promises` makes an array outside of the heap for each.
 */
function sizeAt(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) =>
    stat(path, (error, found) => {
      if (error === null) resolve(found.size)
      else if (systemCode(error) === 'ENOENT') resolve(undefined)
      else reject(storageError(error))
    }),
  )
}

/**
 * Throws an error for people if the directory has objects: a new database would know none of them. `why`: what says
 * that the database is new.
 */
export async function refuseObjectsOfOthers(directory: string, why: string): Promise<void> {
  const root = resolve(directory)
  if (await holdsObjects(root))
    throw new Error(
      `${why}, but ${root} has objects of a server, which a new one would not know. Is the disk of the database mounted? Is DATA_DIR (and DATABASE_URL) the one of before? If the database is lost, restore a backup (\`blindkeep-server restore\`): it keeps the objects that are intact. Only for a new server, move the objects away, or set BLOBS_URL to another directory. Nothing was changed.`,
    )
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

async function settleFile({ handle, sync }: OpenFile, size: number): Promise<true> {
  const { size: present } = await onStorage(() => handle.stat())
  if (present < size) throw new Error(`the object holds ${present} bytes, fewer than ${size}`)
  const isLonger = present > size
  if (isLonger) await onStorage(() => handle.truncate(size))
  // fdatasync may leave out metadata that reading does not need (POSIX). Reading a grown file needs its new size;
  // reading a truncated file does not.
  await sync({ whole: isLonger })
  return true
}
