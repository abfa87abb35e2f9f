import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
import { isRefusal } from '../refusals.ts'

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

describe('bytes that were declared and not sent', () => {
  it('stop no upload of anybody, however many they are', async () => {
    const disk = createSmallDisk(100 * GB)
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const declared = declaredFor(world, albumOwner, bytes(1), { size: 50 * GB })
        for (let round = 0; round < 3; round += 1) {
          assert.equal(await declaredDrop(world, 81 * GB), 'created')
          assert.equal(await declaredDrop(world, 81 * GB, await newLink(world, {}, albumOwner.accountId)), 'created')
        }
        assert.equal(await blobCreation(world, albumOwner, declared), 'opened')
        await land(world, await newLink(world), bytes(100))
      },
      { settings: { freeSpaceFloorBytes: GB }, around: disk.around },
    )()
  })

  it(
    'reserve four largest chunks for each account at most, its guests’ included',
    onDisk(10 * CHUNK, async (world) => {
      const owner = await newAccount(world)
      for (let round = 0; round < 8; round += 1)
        assert.equal(await declaredDrop(world, GB, await newLink(world, {}, owner)), 'created')
      assert.equal(await declaredDrop(world, 6 * CHUNK), 'created')
    }),
  )

  it(
    'reserve 64 largest chunks at most for all accounts together',
    onDisk(65 * CHUNK, async (world) => {
      for (let round = 0; round < 80; round += 1) assert.equal(await declaredDrop(world, GB), 'created')
    }),
  )

  it(
    'reserve what the session still has to send if that is less than a largest chunk',
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
    'reserve nothing any more when the session has ended',
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
    onDisk(20_000, async (world, disk) => {
      const sizes = Array.from({ length: 40 }, () => bytes(1000))
      const opaqueId = await newLink(world)
      const ids = await Promise.all(sizes.map((content) => openDrop(world, opaqueId, content)))
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
