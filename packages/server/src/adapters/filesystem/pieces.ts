import type { FileHandle } from 'node:fs/promises'
import { BlobMissing } from '../../ground/storageErrors.ts'
import type { ByteRange, ReadOptions } from '../../ports/objects.ts'
import { onObject } from './failure.ts'

/** The size of each read and of each piece: what `http/reply.ts` reserves for a download is two of them. */
const PIECE_BYTES = 128 * 1024
/** Fewer, larger pieces take a third of the time if memory is reused. New memory costs as much as the copy. */
const LARGE_PIECE_BYTES = 512 * 1024
/** So many readers at once have large pieces: 32 MiB for all of them. */
const MAX_LARGE_READERS = 32

export interface Pieces {
  /** Reads a piece while the one before is being used. The file stays open. */
  read(handle: FileHandle, range: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>
}

export function createPieces(): Pieces {
  let largeReaders = 0
  return {
    async *read(handle, range, { reuses = false, size } = {}) {
      if (size !== undefined && range.start === 0 && range.end === size && size < PIECE_BYTES)
        return yield await readWhole(handle, size)
      if (size !== undefined) requireSize((await onObject(() => handle.stat())).size, size)
      const isLarge = reuses && range.end - range.start > PIECE_BYTES && largeReaders < MAX_LARGE_READERS
      if (!isLarge)
        return yield* readAhead(handle, range, (left) => Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, left)))
      largeReaders += 1
      const buffers = [Buffer.allocUnsafeSlow(LARGE_PIECE_BYTES), Buffer.allocUnsafeSlow(LARGE_PIECE_BYTES)] as const
      let reads = 0
      try {
        yield* readAhead(handle, range, () => buffers[reads++ % 2 === 0 ? 0 : 1])
      } finally {
        largeReaders -= 1
      }
    },
  }
}

/** Asks for one byte more than there should be: so one call reads a small file and learns its size. */
async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(size + 1)
  let length = 0
  let bytesRead: number
  do {
    const from = length
    ;({ bytesRead } = await onObject(() => handle.read(buffer, from, buffer.length - from, from)))
    length += bytesRead
  } while (bytesRead > 0 && length < size)
  requireSize(length, size)
  return buffer.subarray(0, size)
}

function requireSize(present: number, size: number): void {
  if (present !== size) throw new BlobMissing(`the object has ${present} bytes instead of ${size}`)
}

async function* readAhead(handle: FileHandle, { start, end }: ByteRange, nextBuffer: (left: number) => Buffer) {
  let position = start
  async function readPiece(): Promise<Buffer | undefined> {
    if (position >= end) return undefined
    const left = end - position
    const buffer = nextBuffer(left)
    const { bytesRead } = await onObject(() => handle.read(buffer, 0, Math.min(buffer.length, left), position))
    position += bytesRead
    return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead)
  }
  let next = readPiece()
  try {
    for (let piece = await next; piece !== undefined; piece = await next) {
      next = readPiece()
      // It is awaited later, or not at all.
      next.catch(() => undefined)
      yield piece
    }
  } finally {
    // The caller closes the file.
    await next.catch(() => undefined)
  }
}
