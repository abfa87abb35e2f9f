import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store, WriteTx } from '../../ports/store.ts'
import { creation as blobCreation, openDeclared } from '../../testing/assetSessions.ts'
import { declaredFor, newAlbumOwner } from '../../testing/assets.ts'
import {
  append,
  appendChunk,
  bytes,
  creation,
  inPieces,
  land,
  linkRow,
  never,
  newLink,
  notRefused,
  openDrop,
  uploadRow,
} from '../../testing/guest.ts'
import { createSmallDisk } from '../../testing/smallDisk.ts'
import { inWorld, newAccount, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const GB = 1e9
const CHUNK = 1000
const FLOOR = 10_000

const reasonOf = (answer: unknown): string => (isRefusal(answer) ? String(Object(answer).refused) : 'created')
const declaredDrop = async (world: World, size: number, opaqueId?: Awaited<ReturnType<typeof newLink>>) =>
  reasonOf(
    await world.rules.drops.create(creation(opaqueId ?? (await newLink(world)), bytes(1), { declaration: { size } })),
  )

/** A world on a disk with `free` bytes above the floor, whose largest chunk has 1000 bytes. */
function onDisk(free: number, work: (world: World, disk: ReturnType<typeof createSmallDisk>) => Promise<void>) {
  const disk = createSmallDisk(FLOOR + free)
  const settings = { freeSpaceFloorBytes: FLOOR, chunkBytesMax: CHUNK }
  return inWorld((world) => work(world, disk), { settings, around: disk.around })
}

describe('a file that is declared', () => {
  it(
    'is admitted if it fits beside what the open uploads of its account lack, also when many arrive at once',
    onDisk(50 * CHUNK, async (world) => {
      const owner = await newAccount(world)
      const links = await Promise.all([1, 2, 3, 4].map(() => newLink(world, {}, owner)))
      const answers = await Promise.all(links.map((opaqueId) => declaredDrop(world, 30 * CHUNK, opaqueId)))
      assert.deepEqual(answers.toSorted(), ['created', 'storage_full', 'storage_full', 'storage_full'])
      assert.equal(await declaredDrop(world, 21 * CHUNK, links[0]), 'storage_full')
      assert.equal(await declaredDrop(world, 20 * CHUNK, links[0]), 'created')
    }),
  )

  it(
    'is refused if it is larger than the room that is left, although its first chunk would fit',
    onDisk(10 * CHUNK, async (world) => {
      assert.equal(await declaredDrop(world, 10 * CHUNK + 1), 'storage_full')
      assert.equal(await declaredDrop(world, 10 * CHUNK), 'created')
    }),
  )

  it(
    'leaves to an upload of another account what that one lacks, up to as much as it has received',
    onDisk(100 * CHUNK, async (world) => {
      const uploadId = await openDrop(world, await newLink(world), bytes(60 * CHUNK))
      for (let offset = 0; offset < 20 * CHUNK; offset += CHUNK)
        notRefused(await append(world, uploadId, { offset, bytes: bytes(CHUNK) }))
      // 80 are left; 20 and four are claimed of the 40 that it lacks.
      assert.equal(await declaredDrop(world, 57 * CHUNK), 'storage_full')
      assert.equal(await declaredDrop(world, 56 * CHUNK), 'created')
    }),
  )
})

describe('bytes that were declared and not sent', () => {
  it('stop no upload of other accounts, however many they are', async () => {
    const disk = createSmallDisk(100 * GB)
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const declared = declaredFor(world, albumOwner, bytes(1), { size: 50 * GB })
        for (let round = 0; round < 6; round += 1) assert.equal(await declaredDrop(world, 81 * GB), 'created')
        assert.equal(await blobCreation(world, albumOwner, declared), 'opened')
        await land(world, await newLink(world), bytes(100))
      },
      { settings: { freeSpaceFloorBytes: GB }, around: disk.around },
    )()
  })

  it(
    'stop uploads of their own account for a quarter of an hour after the last chunk',
    onDisk(10 * CHUNK, async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, {}, owner)
      const uploadId = await openDrop(world, opaqueId, bytes(10 * CHUNK))
      world.clock.advance(60)
      notRefused(await append(world, uploadId, { offset: 0, bytes: bytes(1) }))
      world.clock.advance(900)
      assert.equal(await declaredDrop(world, CHUNK, opaqueId), 'storage_full')
      world.clock.advance(1)
      assert.equal(await declaredDrop(world, CHUNK, opaqueId), 'created')
    }),
  )

  it(
    'claim four largest chunks of each account at most, its guests’ included',
    onDisk(100 * CHUNK, async (world) => {
      const owner = await newAccount(world)
      for (let round = 0; round < 8; round += 1)
        assert.equal(await declaredDrop(world, 10 * CHUNK, await newLink(world, {}, owner)), 'created')
      assert.equal(await declaredDrop(world, 96 * CHUNK + 1), 'storage_full')
      assert.equal(await declaredDrop(world, 96 * CHUNK), 'created')
    }),
  )

  it(
    'claim 64 largest chunks at most of all accounts together',
    onDisk(165 * CHUNK, async (world) => {
      for (let round = 0; round < 80; round += 1) assert.equal(await declaredDrop(world, 100 * CHUNK), 'created')
      assert.equal(await declaredDrop(world, 101 * CHUNK + 1), 'storage_full')
    }),
  )

  it(
    'are what a session still has to send',
    onDisk(1000, async (world, disk) => {
      const content = bytes(600)
      const uploadId = await openDrop(world, await newLink(world), content)
      assert.equal(await declaredDrop(world, 401), 'storage_full')
      notRefused(await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 500) }))
      assert.equal(disk.freeBytes(), FLOOR + 500)
      assert.equal(await declaredDrop(world, 401), 'storage_full')
      assert.equal(await declaredDrop(world, 400), 'created')
      notRefused(await append(world, uploadId, { offset: 500, bytes: content.subarray(500) }))
      assert.equal(await declaredDrop(world, 1), 'storage_full')
    }),
  )

  it(
    'claim nothing any more when the session has ended',
    onDisk(CHUNK, async (world) => {
      const uploadId = await openDrop(world, await newLink(world), bytes(CHUNK))
      assert.equal(await declaredDrop(world, 1), 'storage_full')
      notRefused(await world.rules.ending.cancel(await uploadRow(world, uploadId)))
      assert.equal(await declaredDrop(world, CHUNK), 'created')
    }),
  )
})

describe('a chunk that would take free space below the floor', () => {
  it(
    'is refused before it is written; what was acknowledged stays, and the upload lands when there is room',
    onDisk(5000, async (world, disk) => {
      const content = bytes(2000)
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      const [first, second] = [content.subarray(0, 1000), content.subarray(1000)]
      notRefused(await append(world, uploadId, { offset: 0, bytes: first }))
      disk.fillTo(4000)
      world.clock.advance(1)
      for (let round = 0; round < 3; round += 1)
        assert.deepEqual(await append(world, uploadId, { offset: 1000, bytes: second }), {
          refused: 'storage_full',
        })
      assert.equal((await uploadRow(world, uploadId)).receivedBytes, 1000)
      assert.equal(disk.freeBytes(), FLOOR)
      disk.fillTo(0)
      assert.deepEqual(await append(world, uploadId, { offset: 1000, bytes: second }), { offset: 2000 })
      assert.equal((await linkRow(world, opaqueId)).landedFiles, 1)
    }),
  )

  it(
    'is refused while it arrives, if many arrive at once',
    onDisk(40_000, async (world, disk) => {
      const sizes = Array.from({ length: 40 }, () => bytes(1000))
      const opaqueId = await newLink(world)
      const ids = await Promise.all(sizes.map((content) => openDrop(world, opaqueId, content)))
      disk.fillTo(20_000)
      world.clock.advance(1)
      const answers = await Promise.all(
        ids.map((uploadId, index) => {
          const content = sizes[index] ?? bytes(0)
          const body = inPieces(content, 100)
          return appendChunk(world, uploadId, { offset: 0, checksum: sha256(content), body, signal: never })
        }),
      )
      assert.ok(disk.freeBytes() >= FLOOR, `${disk.freeBytes()} bytes are free`)
      const refused = answers.filter((answer) => isRefusal(answer) && answer.refused === 'storage_full').length
      assert.ok(refused >= 20 && refused < 40, `${refused} were refused`)
    }),
  )

  it(
    'is refused to an owner as to a guest',
    onDisk(1000, async (world, disk) => {
      const albumOwner = await newAlbumOwner(world)
      const content = bytes(500)
      const uploadId = await openDeclared(world, albumOwner, declaredFor(world, albumOwner, content))
      disk.fillTo(1000)
      world.clock.advance(1)
      const send = () => append(world, uploadId, { offset: 0, bytes: content })
      assert.deepEqual(await send(), { refused: 'storage_full' })
      disk.fillTo(0)
      assert.deepEqual(await send(), { offset: 500 })
    }),
  )
})

describe('free space', () => {
  it('is compared with the rows of open sessions only when they might leave no room', async () => {
    let asked = 0
    const seen = (uploads: object, name: string | symbol) => {
      if (name === 'claims') asked += 1
      return Reflect.get(uploads, name)
    }
    const counting = (tx: WriteTx): WriteTx =>
      Object.create(tx, { uploads: { value: new Proxy(tx.uploads, { get: seen }) } })
    const store = (real: Store): Store => ({
      ...real,
      write: (locks, work) => real.write(locks, (tx) => work(counting(tx))),
    })
    const { blobs } = createSmallDisk(1000 * CHUNK).around
    await inWorld(
      async (world) => {
        for (let round = 0; round < 10; round += 1) assert.equal(await declaredDrop(world, 100 * CHUNK), 'created')
        assert.equal(asked, 1)
        assert.equal(await declaredDrop(world, 900 * CHUNK), 'created')
        assert.equal(await declaredDrop(world, 1001 * CHUNK), 'storage_full')
        assert.equal(asked, 2)
      },
      { settings: { chunkBytesMax: CHUNK }, around: { store, blobs } },
    )()
  })

  it(
    'is measured once a second, not for each chunk',
    onDisk(50_000, async (world, disk) => {
      const content = bytes(30_000)
      const uploadId = await openDrop(world, await newLink(world), content)
      const before = disk.timesAsked()
      for (let offset = 0; offset < content.length; offset += 1000)
        notRefused(await append(world, uploadId, { offset, bytes: content.subarray(offset, offset + 1000) }))
      assert.equal(disk.timesAsked(), before)
      world.clock.advance(1)
      await land(world, await newLink(world), bytes(1))
      assert.equal(disk.timesAsked(), before + 1)
    }),
  )
})
