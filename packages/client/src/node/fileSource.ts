import { type FileHandle, open } from 'node:fs/promises'
import { fileDateText } from '../ground/fileDate.ts'
import { type Source, SourceChanged } from '../seal/source.ts'

export interface OpenFile {
  readonly source: Source
  /** RFC 3339. Undefined for a date that no header can say. */
  readonly modifiedAt: string | undefined
  /** Milliseconds since 1970, as the system says it. */
  readonly modifiedMs: number
  /** The same of the last change of anything, which no program can set. Not above 0 on a disk without times. */
  readonly changedMs: number
  close(): Promise<void>
}

/**
 * Opens a file on disk as a source with flat memory. The result of a read is valid until the next read; that is enough
 * for one pass at a time, because WebCrypto copies what it seals (Web Cryptography, section 14.3.1). Reads the whole
 * file if it has more or fewer bytes than the system states. Throws `SourceChanged` for a large file that ends before
 * the size that the system states: a mount may give the beginning of what it could not fetch; and for one that goes on
 * and on behind that size.
 */
export async function openFile(path: string | Buffer, signal?: AbortSignal): Promise<OpenFile> {
  const handle = await open(path, 'r')
  const named = <Result>(work: () => Promise<Result>) => withPath(String(path), work)
  try {
    const { size: stated, mtime, mtimeMs, ctimeMs } = await handle.stat()
    const size = await named(() => sizeOf(handle, stated, signal))
    const read = createReader(handle)
    return {
      source: {
        size,
        read: (from, to) => named(() => read(from, to)),
        requireEnd: () => named(() => requireEnd(handle, size)),
      },
      // As Node rounds it, and so as `utimes` gives it back: a date keeps its milliseconds on each way.
      modifiedAt: fileDateText(mtime.getTime()),
      modifiedMs: mtimeMs,
      changedMs: ctimeMs,
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The system's errors of an open file do not say which file it is: adds that. */
export async function withPath<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path })
    throw error
  }
}

const PIECE_BYTES = 1024 * 1024
/** The largest page of a system, which it states as the size of its own short files. */
const MAX_PAGE_BYTES = 64 * 1024

/** Behind the stated size. Of such documents a system may give a page at a time. */
const MAX_READS_BEHIND = 8_192

/** Mounts state 0 bytes of documents that they make as they are read, and the system a page of its own short ones. */
async function sizeOf(handle: FileHandle, stated: number, signal: AbortSignal | undefined): Promise<number> {
  const isAsStated = (await hasByteAt(handle, stated - 1)) && !(await hasByteAt(handle, stated))
  if (isAsStated) return stated
  const piece = new Uint8Array(PIECE_BYTES)
  for (let size = 0, readsBehind = 0; readsBehind < MAX_READS_BEHIND; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(piece, 0, piece.length, size)
    if (bytesRead === 0) {
      await requireStated(handle, size)
      return size
    }
    size += bytesRead
    if (size > stated) readsBehind += 1
  }
  throw new SourceChanged('The file is still being written. Send it again once it is complete.')
}

async function requireStated(handle: FileHandle, size: number): Promise<void> {
  const { size: stated } = await handle.stat()
  if (stated > size && stated > MAX_PAGE_BYTES)
    throw new SourceChanged(
      `Its disk states ${stated} bytes and gives ${size} of them. Send it again once the disk gives all, or send a copy of it.`,
    )
}

async function hasByteAt(handle: FileHandle, position: number): Promise<boolean> {
  return position < 0 || (await handle.read(new Uint8Array(1), 0, 1, position)).bytesRead > 0
}

async function requireEnd(handle: FileHandle, size: number): Promise<void> {
  if (await hasByteAt(handle, size)) throw new SourceChanged('the file is longer than it was')
}

function createReader(handle: FileHandle): Source['read'] {
  let memory = new Uint8Array(0)
  return async (from, to) => {
    if (memory.length < to - from) memory = new Uint8Array(to - from)
    const bytes = memory.subarray(0, to - from)
    await fill(handle, bytes, from)
    return bytes
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled)
    if (bytesRead === 0) throw new SourceChanged('the file is shorter than it was')
    filled += bytesRead
  }
}
