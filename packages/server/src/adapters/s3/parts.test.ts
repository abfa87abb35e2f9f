import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { freshLocation, readBytes, writeBytes } from '../../contracts/bytes/world.ts'
import { hash } from '../../contracts/store/world.ts'
import { BlobMissing, ObjectUnreadable, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { StoredObject } from '../../testing/s3/bucket.ts'
import { type S3Server, TEST_BUCKET } from '../../testing/s3/server.ts'
import { openDouble, openS3World, type Place, type S3World } from '../../testing/s3/world.ts'
import { openS3 } from './store.ts'

interface World extends S3World {
  readonly s3: S3Server
  readonly place: Place
  /** The objects of the double's bucket, by whole key. */
  readonly objects: Map<string, StoredObject>
}

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const place = await openDouble()
    const world = await openS3World(place)
    const objects = place.s3.store.buckets.get(TEST_BUCKET)?.objects ?? new Map()
    await work({ ...world, s3: place.s3, place, objects }).finally(() => world.close())
  }
}

const never = new AbortController().signal
const MEBIBYTE = 1024 * 1024

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Writes three parts. */
async function writeParts({ blobs }: World, location: string, partBytes = 50_000): Promise<Buffer> {
  const bytes = randomBytes(3 * partBytes)
  for (const offset of [0, partBytes, 2 * partBytes])
    await writeBytes(blobs, location, bytes.subarray(offset, offset + partBytes), offset)
  return bytes
}

/** Joins all parts of the location into one key, removes them, and names the key in the index. */
async function seal({ store: { keyedBytes, staging }, index }: World, location: string): Promise<string> {
  const parts = await index.partsOf(location)
  const key = staging.newKey(location) ?? ''
  const joiningId = await keyedBytes.create(key)
  const pieces = []
  for (const [at, part] of parts.entries()) {
    const range = { start: 0, end: part.length }
    pieces.push(await keyedBytes.copy({ key, joiningId, number: at + 1 }, { key: part.key, range }))
  }
  await keyedBytes.complete({ key, joiningId }, pieces)
  index.replace(location, [{ key, offset: 0, length: parts.reduce((sum, { length }) => sum + length, 0) }])
  for (const part of parts) await keyedBytes.remove(part.key)
  return key
}

/** Never of the object alone: what a store answers of it may be the store's own trouble. */
function isOfStore(error: unknown): boolean {
  return (
    error instanceof StorageUnavailable && !(error instanceof ObjectUnreadable || error instanceof StorageForbidden)
  )
}

describe('an object in parts', () => {
  it(
    'is missing as soon as one of its parts is, and never because access is denied or the marker is deleted',
    inWorld(async (world) => {
      const { blobs, index, objects, place, s3 } = world
      const location = freshLocation()
      const bytes = await writeParts(world, location)
      s3.meddle((line) => (line.includes(location) ? 'forbidden' : undefined))
      for (const call of [() => blobs.size(location), () => readBytes(blobs, location)])
        await assert.rejects(call(), isOfStore)
      s3.meddle(undefined)
      const [, second] = await index.partsOf(location)
      objects.delete(`${place.address.prefix}${second?.key}`)
      assert.equal(await blobs.size(location), undefined)
      await assert.rejects(readBytes(blobs, location, 60_000), BlobMissing)
      await assert.rejects(blobs.digest(location, bytes.length, never), BlobMissing)
      assert.ok(bytes.subarray(0, 50_000).equals(await readBytes(blobs, location, 0, 50_000)))
      objects.delete(`${place.address.prefix}blindkeep-store`)
      for (const call of [
        () => blobs.size(location),
        () => blobs.size(freshLocation()),
        () => readBytes(blobs, location),
      ])
        await assert.rejects(call(), StorageUnavailable)
    }),
  )

  it(
    'cannot be read while one of its parts is in an archive class, and can again once that is restored',
    inWorld(async (world) => {
      const { blobs, index, objects, place } = world
      const location = freshLocation()
      const bytes = await writeParts(world, location)
      const [, second] = await index.partsOf(location)
      const key = `${place.address.prefix}${second?.key}`
      const part = objects.get(key)
      assert.ok(part !== undefined)
      for (const archivedAs of ['GLACIER', 'DEEP_ARCHIVE'] as const) {
        objects.set(key, { ...part, archivedAs })
        await assert.rejects(blobs.size(location), ObjectUnreadable)
        await assert.rejects(readBytes(blobs, location), ObjectUnreadable)
        await assert.rejects(blobs.digest(location, bytes.length, never), /archive class.*lifecycle rule/)
        assert.ok(bytes.subarray(0, 50_000).equals(await readBytes(blobs, location, 0, 50_000)))
      }
      objects.set(key, part)
      assert.equal(await blobs.size(location), bytes.length)
      assert.ok(bytes.equals(await readBytes(blobs, location)))
    }),
  )

  it(
    'ends where its first short part ends',
    inWorld(async (world) => {
      const { blobs, index } = world
      const location = freshLocation()
      const bytes = await writeParts(world, location)
      const parts = await index.partsOf(location)
      index.replace(
        location,
        parts.map((part, at) =>
          at === 1 ? { ...part, length: 60_000 } : { ...part, offset: part.offset + (at === 2 ? 10_000 : 0) },
        ),
      )
      assert.equal(await blobs.size(location), 100_000)
      assert.ok(bytes.subarray(0, 100_000).equals(await readBytes(blobs, location)))
      const expected = { sha256: hashOf(bytes.subarray(0, 100_000)), size: 100_000 }
      assert.deepEqual(await blobs.digest(location, bytes.length, never), expected)
    }),
  )

  it(
    'is read on when it is sealed in the middle of a read, and has its size and hash before and after',
    inWorld(async (world) => {
      const { blobs } = world
      const location = freshLocation()
      const bytes = await writeParts(world, location, 5 * MEBIBYTE)
      const expected = { sha256: hashOf(bytes), size: bytes.length }
      assert.deepEqual(await blobs.digest(location, bytes.length, never), expected)
      const pieces: Uint8Array[] = []
      let isSealed = false
      for await (const piece of blobs.read(location, { start: 0, end: bytes.length })) {
        pieces.push(Buffer.from(piece))
        if (!isSealed) await seal(world, location)
        isSealed = true
      }
      assert.ok(bytes.equals(Buffer.concat(pieces)))
      assert.equal(await blobs.size(location), bytes.length)
      assert.deepEqual(await blobs.digest(location, bytes.length, never), expected)
    }),
  )
})

describe('single keys', () => {
  it(
    'are listed with their ages, also those of unfinished joins, which removing a key ends, and neither marker nor witness is one',
    inWorld(async (world) => {
      const { blobs, place, s3, store, index } = world
      await store.witness.write({ life: 0, receiptSeq: 1, receiptHash: hash(1) })
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(10))
      const [part] = await index.partsOf(location)
      const key = store.staging.newKey(location) ?? ''
      // The store begins, and its answer with the id is lost.
      s3.meddle((line) => (line.startsWith('POST') ? 'lost' : undefined))
      await assert.rejects(store.keyedBytes.create(key), StorageUnavailable)
      s3.meddle(undefined)
      const listed = []
      for await (const each of store.keyedBytes.list()) listed.push(each)
      assert.deepEqual(
        listed.map((each) => each.key),
        [part?.key, key],
      )
      for (const own of ['blindkeep-store', 'blindkeep-witness'])
        await assert.rejects(store.keyedBytes.remove(own), RangeError)
      assert.ok((listed[0]?.ageSeconds ?? 99) < 60)
      for (const _ of [1, 2]) await store.keyedBytes.remove(key)
      assert.equal(s3.store.buckets.get(TEST_BUCKET)?.uploads.size, 0)
      assert.equal(await store.keyedBytes.size(part?.key ?? ''), 10)
      assert.equal(await store.keyedBytes.size(key), undefined)
      for (const bad of ['', location, `${place.address.prefix}${key}`, `${key}/x`])
        await assert.rejects(store.keyedBytes.remove(bad), RangeError)
    }),
  )
})

describe('the marker of a store', () => {
  it(
    'has one id for all processes, and a store without it is refused when the database knows objects',
    inWorld(async ({ place, store, index, objects }) => {
      const open = (createIfMissing: boolean) => openS3({ ...place, spoolDirectory: '/tmp', index, createIfMissing })
      const second = await open(false)
      assert.deepEqual([second.storeId, second.isNew, store.isNew], [store.storeId, false, true])
      objects.delete(`${place.address.prefix}blindkeep-store`)
      await assert.rejects(open(false), /does not look like the one that this database belongs to/)
      const other = await open(true)
      assert.notEqual(other.storeId, store.storeId)
      await assert.rejects(store.objects.check(), StorageUnavailable)
      for (const each of [second, other]) await each.close()
    }),
  )

  it(
    'is looked for before each write from the first look on that does not find it, until one does',
    inWorld(async ({ place, store: { objects, staging }, objects: present }) => {
      const key = `${place.address.prefix}blindkeep-store`
      const marker = present.get(key)
      assert.ok(marker !== undefined)
      present.delete(key)
      await assert.rejects(objects.check(), StorageUnavailable)
      await assert.rejects(staging.check(), StorageUnavailable)
      present.set(key, marker)
      await staging.check()
    }),
  )

  it(
    'is made once by two nodes that start together',
    inWorld(async ({ place, index, objects }) => {
      objects.delete(`${place.address.prefix}blindkeep-store`)
      const open = () => openS3({ ...place, spoolDirectory: '/tmp', index, createIfMissing: true })
      const [one, other] = await Promise.all([open(), open()])
      assert.equal(one.storeId, other.storeId)
      assert.equal([one, other].filter(({ isNew }) => isNew).length, 1)
      for (const each of [one, other]) await each.close()
    }),
  )
})
