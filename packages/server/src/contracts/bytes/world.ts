import { createHash, randomUUID } from 'node:crypto'
import type { Objects } from '../../ports/objects.ts'
import type { Staging, StagingPlace } from '../../ports/staging.ts'

/** Both ports of one store. */
export interface Bytes extends Staging, Objects {}

/** An adapter over its own empty store. With keys, written parts count at once: the world keeps their index. */
export interface BytesWorld {
  readonly blobs: Bytes
  /** Opens the same store as a new process does. */
  reopen(): Promise<Bytes>
  /** Makes the store unreachable, like a disk that is unmounted. Answers a function that brings it back. */
  leave(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Makes a test of `work`: opens an empty store for it, and closes the store afterwards. */
export type InWorld = (work: (world: BytesWorld) => Promise<void>) => () => Promise<void>

export type OpenWorld = () => Promise<BytesWorld>

export function inWorldOf(openWorld: OpenWorld): InWorld {
  return (work) => async () => {
    const world = await openWorld()
    try {
      await work(world)
    } finally {
      await world.close()
    }
  }
}

/** A new location. */
export function freshLocation(): string {
  const hash = createHash('sha256').update(randomUUID()).digest('hex')
  return `${hash.slice(0, 2)}/${hash}.${randomUUID()}`
}

/** Texts that look like a location of the server and are none. */
export function badLocations(): readonly string[] {
  const good = freshLocation()
  return [
    '',
    '../escape',
    `/${good}`,
    `${good}/..`,
    `${good}\0`,
    `${good}\n`,
    `../${good}`,
    good.toUpperCase(),
    good.slice(3, 67),
    good.replace('/', '\\'),
    `${good.slice(0, 3)}../../${good.slice(3)}`,
  ]
}

/** A place at a new location. */
export function freshPlace(staging: Staging): StagingPlace {
  const location = freshLocation()
  return { location, key: staging.newKey(location), offset: 0 }
}

/** A body that gives `bytes` in pieces of `pieceBytes`. */
export async function* bodyOf(bytes: Uint8Array, pieceBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes)
}

export async function writeBytes(staging: Staging, location: string, bytes: Uint8Array, offset = 0): Promise<void> {
  await writeBody(staging, location, bodyOf(bytes), offset)
}

/** As `writeBytes`, of a body that may fail. */
export async function writeBody(
  staging: Staging,
  location: string,
  body: AsyncIterable<Uint8Array>,
  offset = 0,
): Promise<void> {
  const place = { location, key: staging.newKey(location), offset }
  await staging.write(place, { body, signal: new AbortController().signal, onBytes: () => undefined })
}

export async function readBytes(objects: Objects, location: string, start = 0, end = 2 ** 40): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of objects.read(location, { start, end })) pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function listAll(objects: Objects): Promise<string[]> {
  const found: string[] = []
  for await (const location of objects.list()) found.push(location)
  return found.toSorted()
}
