import type { FileHandle } from 'node:fs/promises'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { WriteRequest } from '../../ports/staging.ts'
import { readBody } from '../body.ts'
import { onStorage } from './failure.ts'
import type { OpenFile } from './files.ts'
import type { Gathering } from './gathering.ts'

/** Limits the memory for a body of tiny pieces, and stays below the 1024 pieces that one call accepts. */
const GATHER_PIECES = 64

/** Writes the body in order. Resolves with true when the system has all bytes. Once settled, it writes nothing more. */
export async function writeBody(
  file: OpenFile,
  { offset, body, signal, onBytes }: WriteRequest & { readonly offset: number },
  gathering: Gathering,
): Promise<true> {
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

  gathering.enter()
  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
      onBytes(piece)
      if (piece.length > 0) gathered.push(piece)
      gatheredBytes += piece.length
      if (gatheredBytes >= gathering.limitBytes() || gathered.length >= GATHER_PIECES) await flush()
    }
    await flush()
    signal.throwIfAborted()
    return true
  } finally {
    gathering.leave()
    reader.leave()
  }
}

/** Usually one call. The system may write a part, for instance on a nearly full disk; another call continues. */
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
