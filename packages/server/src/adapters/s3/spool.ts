import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { WriteRequest } from '../../ports/staging.ts'
import { readBody } from '../body.ts'

/** A body that is not larger stays in memory. */
const MEMORY_BYTES = 256 * 1024
/** Pieces are written to the file together, up to so many bytes. */
const GATHER_BYTES = 256 * 1024
const READ_BYTES = 128 * 1024

/** A whole body with its size and hash, which can be sent again and again. */
export interface Spooled {
  readonly size: number
  /** Base64, as the store's headers have it. */
  readonly sha256: string
  /** A new stream each time, which calls `onPiece` when a piece is wanted, or the bytes. */
  body(onPiece?: () => void): Readable | Uint8Array
  /** Frees the memory or the file. */
  release(): Promise<void>
}

/** Takes bodies whose length is not known. Their files have no name, so a killed process leaves nothing. */
export interface Spool {
  take(source: WriteRequest): Promise<Spooled>
}

export async function openSpool(directory: string): Promise<Spool> {
  await onDisk(() => mkdir(directory, { recursive: true, mode: 0o700 }))
  return { take: (source) => spooled(directory, source) }
}

async function spooled(directory: string, { body, signal, onBytes }: WriteRequest): Promise<Spooled> {
  const reader = readBody(body, signal)
  const hash = createHash('sha256')
  const target = gathering(directory)
  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
      onBytes(piece)
      hash.update(piece)
      await target.add(piece)
    }
    signal.throwIfAborted()
    return await target.end(hash.digest('base64'))
  } catch (error) {
    await target.drop()
    throw error
  } finally {
    reader.leave()
  }
}

/** Gathers pieces in memory, and moves to a file when they are too many. */
function gathering(directory: string) {
  let file: FileHandle | undefined
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0
  let written = 0

  async function flush(): Promise<FileHandle> {
    file ??= await openUnnamed(directory)
    const handle = file
    const bytes = Buffer.concat(gathered)
    await onDisk(async () => {
      // Once is the rule; a nearly full disk may take a part.
      for (let at = 0; at < bytes.length; )
        at += (await handle.write(bytes, at, bytes.length - at, written + at)).bytesWritten
    })
    written += bytes.length
    gathered = []
    gatheredBytes = 0
    return handle
  }

  return {
    async add(piece: Uint8Array): Promise<void> {
      gathered.push(piece)
      gatheredBytes += piece.length
      if (gatheredBytes > (file === undefined ? MEMORY_BYTES : GATHER_BYTES)) await flush()
    },
    async end(sha256: string): Promise<Spooled> {
      if (file === undefined) return inMemory(Buffer.concat(gathered), sha256)
      return inFile(await flush(), written, sha256)
    },
    async drop(): Promise<void> {
      await file?.close()
    },
  }
}

export function inMemory(bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('base64')): Spooled {
  return { size: bytes.length, sha256, body: () => bytes, release: async () => undefined }
}

function inFile(file: FileHandle, size: number, sha256: string): Spooled {
  return {
    size,
    sha256,
    body(onPiece) {
      const stream = Readable.from(piecesOf(file, size, onPiece), { objectMode: false, highWaterMark: READ_BYTES })
      // The library does not listen. A request whose body breaks off ends by its time.
      stream.on('error', () => undefined)
      return stream
    },
    release: () => file.close(),
  }
}

/** By the handle, not the descriptor: another file may get its number as soon as it is closed. */
async function* piecesOf(file: FileHandle, size: number, onPiece?: () => void): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size; ) {
    onPiece?.()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) throw new StorageUnavailable('the spool’s file is shorter than what was written')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function openUnnamed(directory: string): Promise<FileHandle> {
  const path = join(directory, `${randomUUID()}.spooled`)
  return onDisk(async () => {
    const file = await open(path, 'wx+', 0o600)
    await unlink(path).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    return file
  })
}

/** Every failure of the disk is one of the storage. */
async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StorageUnavailable(`the spool’s disk answered ${code ?? 'an error'}`, { cause: error })
  }
}
