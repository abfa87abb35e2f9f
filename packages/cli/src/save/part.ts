/**
 * A file before it has its name. Another process may save the same file into the same folder (another profile, another
 * machine with the same disk), and removes what it takes for the rest of an ended one. So a part is known by its inode,
 * and stays open until it has its name: the system gives an inode that is open to no other file.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileDateOf } from '@blindkeep/client/fileDate'
import { withPath } from '@blindkeep/client/node'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { codeOf, freeBytes, ifDiskHas, unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'

export interface Part {
  readonly path: string
  /** The caller closes it. */
  readonly handle: FileHandle
  readonly ino: number
  readonly dev: number
  readonly size: number
}

export interface WrittenPart extends Part {
  /** Of what was written, lowercase hex. */
  readonly sha256: string
}

export interface PartContent {
  /** Bytes of the file. */
  readonly size: number
  /** RFC 3339, unverified. */
  readonly modifiedAt?: string | undefined
  /** Called once there is room. A failure of the stream leaves no file. Its pieces are empty once they are written. */
  readonly content: () => Promise<ReadableStream<Bytes>>
  /** Called with all bytes that are written. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Resolves once all bytes are synced, where the disk can do that. */
export async function writePart(
  path: string,
  { size, modifiedAt, content, onBytes }: PartContent,
): Promise<WrittenPart> {
  // Left by a killed process, and incomplete. It may be no file of ours: removing follows no link.
  await rm(path, { force: true })
  await requireRoom(dirname(path), size)
  const stream = await content()
  const handle = await open(path, 'wx', 0o600).catch(async (error: unknown) => {
    await stream.cancel()
    throw codeOf(error) === 'EEXIST' ? anotherProcess(path) : error
  })
  const own = await partOf(path, handle)
  try {
    return await withPath(path, async () => {
      const sha256 = await writeAll(handle, stream, onBytes)
      const modified = fileDateOf(modifiedAt)
      if (modified !== undefined) await ifDiskHas(() => handle.utimes(new Date(), modified))
      await ifDiskHas(() => handle.chmod(0o666 & ~process.umask()))
      await ifDiskHas(() => handle.sync())
      return { ...(await reopened(path, handle)), sha256 }
    })
  } catch (error) {
    if (await isOwn(own)) await rm(path, { force: true })
    await handle.close().catch(() => undefined)
    throw error
  }
}

/** Some disks (NFS, FUSE) say only at closing that they lost a file. Another handle keeps its inode. */
async function reopened(path: string, handle: FileHandle): Promise<Part> {
  const part = await openPart(path, await partOf(path, handle))
  if (part === undefined) throw anotherProcess(path)
  try {
    await handle.close()
  } catch (error) {
    await part.handle.close()
    throw error
  }
  return part
}

/** Of what an open file has now, lowercase hex. */
export async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of handle.createReadStream({ start: 0, autoClose: false })) hash.update(piece)
  return hash.digest('hex')
}

/** An earlier part. Undefined without one, or for another file than was written: not even a whole one. */
export async function openPart(
  path: string,
  written: { readonly ino?: number; readonly size?: number },
): Promise<Part | undefined> {
  const handle = await open(path, 'r').catch(unlessMissing)
  if (handle === undefined) return undefined
  const part = await partOf(path, handle)
  const { ino = part.ino, size = part.size } = written
  if (part.ino === ino && part.size === size) return part
  await handle.close()
  return undefined
}

/** Whether the path still names this part. */
export async function isOwn({ path, ino, dev }: Part): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.ino === ino && found.dev === dev,
    () => false,
  )
}

export async function requireOwn(part: Part): Promise<void> {
  if (!(await isOwn(part))) throw anotherProcess(part.path)
}

function anotherProcess(path: string): LocalError {
  return new LocalError(
    `Another process saves the same file into ${dirname(path)}. Wait until it has ended, and call this again.`,
  )
}

async function partOf(path: string, handle: FileHandle): Promise<Part> {
  const { ino, dev, size } = await handle.stat()
  return { path, handle, ino, dev, size }
}

async function writeAll(
  handle: FileHandle,
  stream: ReadableStream<Bytes>,
  onBytes?: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  let written = 0
  for await (const piece of stream) {
    await handle.writeFile(piece)
    hash.update(piece)
    written += piece.length
    onBytes?.(written)
    freeWritten(piece)
  }
  return hash.digest('hex')
}

/** At once: V8 would let a hundred MiB of written pieces pile up. Leaves parts of larger buffers alone. */
export function freeWritten({ buffer, byteLength }: Bytes): void {
  if (byteLength === buffer.byteLength) buffer.transfer(0)
}

async function requireRoom(directory: string, size: number): Promise<void> {
  const free = await freeBytes(directory)
  if (free !== undefined && free < size)
    throw new LocalError(`${sizeText(size)} do not fit: the disk of ${directory} has ${sizeText(free)} left.`)
}
