import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Address } from '../../adapters/s3/address.ts'
import type { CredentialSources } from '../../adapters/s3/credentials.ts'
import { openS3, type S3Store } from '../../adapters/s3/store.ts'
import type { Bytes, BytesWorld } from '../../contracts/bytes/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { PartIndex, PlacedPart } from '../../ports/parts.ts'
import { type S3Options, type S3Server, startS3, TEST_BUCKET } from './server.ts'

/** So long that no test meets it, also beside other tests on a busy machine. */
const ANSWER_MS = 30_000

/** The parts that were written, in memory, in place of the database's table. */
export function createMemoryIndex() {
  const byLocation = new Map<string, PlacedPart[]>()
  const index: PartIndex = {
    partsOf: async (location) => byLocation.get(location)?.toSorted((one, other) => one.offset - other.offset) ?? [],
  }
  return {
    ...index,
    keep(location: string, part: PlacedPart): void {
      byLocation.set(location, [...(byLocation.get(location) ?? []), part])
    },
    replace(location: string, parts: readonly PlacedPart[]): void {
      byLocation.set(location, [...parts])
    },
  }
}

export type MemoryIndex = ReturnType<typeof createMemoryIndex>

/** A bucket that the adapter may use alone, below a new prefix. */
export interface Place {
  readonly address: S3Address
  readonly credentials: CredentialSources
  leave(): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface S3World extends BytesWorld {
  readonly store: S3Store
  readonly index: MemoryIndex
}

export async function openS3World(place: Place): Promise<S3World> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-s3-'))
  const index = createMemoryIndex()
  const opened: S3Store[] = []
  const open = async () => {
    const { address, credentials } = place
    const spoolDirectory = join(directory, 'spool')
    const store = await openS3({
      address,
      credentials,
      spoolDirectory,
      index,
      createIfMissing: true,
      answerMs: ANSWER_MS,
    })
    opened.push(store)
    return store
  }
  const store = await open()
  return {
    store,
    index,
    blobs: bytesOf(store, index),
    reopen: async () => bytesOf(await open(), index),
    leave: place.leave,
    async close() {
      for (const each of opened) await each.close()
      await place.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** Each part that was written counts at once. */
function bytesOf({ staging, objects }: S3Store, index: MemoryIndex): Bytes {
  return {
    ...staging,
    ...objects,
    async write(target, request) {
      let length = 0
      const onBytes = (piece: Uint8Array) => {
        length += piece.length
        request.onBytes(piece)
      }
      await staging.write(target, { ...request, onBytes })
      index.keep(target.location, { key: target.key ?? '', offset: target.offset, length })
    },
    async remove(location) {
      await objects.remove(location)
      index.replace(location, [])
    },
  }
}

/** A bucket of the double. It is away when the double no longer knows the bucket. */
export async function openDouble(options: S3Options = {}): Promise<Place & { readonly s3: S3Server }> {
  const s3 = await startS3(options)
  const address = {
    bucket: TEST_BUCKET,
    prefix: `${randomUUID()}/`,
    endpoint: s3.endpoint,
    region: 'us-east-1',
    pathStyle: true,
  }
  return {
    s3,
    address,
    credentials: { ...s3.credentials, file: undefined },
    async leave() {
      const bucket = s3.store.buckets.get(TEST_BUCKET)
      if (bucket === undefined) throw new StorageUnavailable('the bucket is away already')
      s3.store.buckets.delete(TEST_BUCKET)
      return async () => void s3.store.buckets.set(TEST_BUCKET, bucket)
    },
    close: () => s3.close(),
  }
}
