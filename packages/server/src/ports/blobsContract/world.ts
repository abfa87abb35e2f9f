import { createHash, randomUUID } from 'node:crypto'
import type { Blobs } from '../blobs.ts'

/** One adapter over an empty store of its own. */
export interface BlobsWorld {
  readonly blobs: Blobs
  /** Opens the same store as a new process does. */
  reopen(): Promise<Blobs>
  /** Makes the store unreachable, like a disk that is unmounted. Answers a function that brings it back. */
  leave(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Makes a test of `work`: opens an empty store for it, and closes the store afterwards. */
export type InWorld = (work: (world: BlobsWorld) => Promise<void>) => () => Promise<void>

/** A new location. */
export function freshLocation(): string {
  const hash = createHash('sha256').update(randomUUID()).digest('hex')
  return `${hash.slice(0, 2)}/${hash}.${randomUUID()}`
}

/** A body that gives `bytes` in pieces of `pieceBytes`. */
export async function* bodyOf(bytes: Uint8Array, pieceBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes)
}

export async function writeBytes(blobs: Blobs, location: string, bytes: Uint8Array, offset = 0): Promise<void> {
  await blobs.write(location, {
    offset,
    body: bodyOf(bytes),
    signal: new AbortController().signal,
    onBytes: () => undefined,
  })
}

export async function readBytes(blobs: Blobs, location: string, start = 0, end = 2 ** 40): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of blobs.read(location, { start, end })) pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function listAll(blobs: Blobs): Promise<string[]> {
  const found: string[] = []
  for await (const location of blobs.list()) found.push(location)
  return found.toSorted()
}
