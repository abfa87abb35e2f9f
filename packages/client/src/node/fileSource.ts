import { type FileHandle, open } from 'node:fs/promises'
import { type Source, SourceChanged } from '../seal/source.ts'

export interface OpenFile {
  readonly source: Source
  /** RFC 3339. */
  readonly modifiedAt: string
  close(): Promise<void>
}

/**
 * Opens a file on disk as a source with flat memory. The result of a read is valid until the next read; that is enough for one pass at a time,
 * because WebCrypto copies what it seals (Web Cryptography, section 14.3.1).
 */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r')
  const { size, mtime } = await handle.stat()
  return {
    source: { size, read: createReader(handle) },
    modifiedAt: mtime.toISOString(),
    close: () => handle.close(),
  }
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
