import type { FileHandle } from 'node:fs/promises'
import { StorageUnavailable, type WriteRequest } from '../../ports/blobs.ts'
import { readBody } from './body.ts'
import { onStorage } from './failure.ts'
import type { OpenFile } from './files.ts'

/**
 * Bodies arrive in pieces of 64 KiB or less, gathered to this before one `writev` takes them: half as fast again as a call for each piece, and without
 * the object that joining them costs. A mebibyte gains little more, and two hundred writers at once hold this much each.
 */
const GATHER_BYTES = 256 * 1024
/** Bounds what a body of tiny pieces keeps alive, and stays below the 1024 that one call takes. */
const GATHER_PIECES = 64

/** Writes the body in order. True when the system has all of it; nothing writes to the file any more when it has settled. */
export async function writeBody(file: OpenFile, { offset, body, signal, onBytes }: WriteRequest): Promise<true> {
  const reader = readBody(body, signal)
  let position = offset
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0

  async function flush(): Promise<void> {
    if (gatheredBytes === 0) return
    await writePieces(file.handle, gathered, position)
    file.wrote(gatheredBytes)
    position += gatheredBytes
    gathered = []
    gatheredBytes = 0
  }

  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
      onBytes(piece)
      if (piece.length > 0) gathered.push(piece)
      gatheredBytes += piece.length
      if (gatheredBytes >= GATHER_BYTES || gathered.length >= GATHER_PIECES) await flush()
    }
    await flush()
    signal.throwIfAborted()
    return true
  } finally {
    reader.leave()
  }
}

/** One call as a rule. The system may take less than it was given, when the disk is nearly full for instance; then the rest follows. */
async function writePieces(handle: FileHandle, pieces: readonly Uint8Array[], start: number): Promise<void> {
  let left = [...pieces]
  let position = start
  while (left.length > 0) {
    const { bytesWritten } = await onStorage(() => handle.writev(left, position))
    if (bytesWritten === 0) throw new StorageUnavailable('the storage took no bytes')
    position += bytesWritten
    left = withoutFirst(left, bytesWritten)
  }
}

function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const left: Uint8Array[] = []
  let skipped = 0
  for (const piece of pieces) {
    const cut = Math.min(piece.length, bytes - skipped)
    skipped += cut
    if (cut < piece.length) left.push(piece.subarray(cut))
  }
  return left
}
