import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import { append, bytes, never, newLink, openDrop, ownerOf, readObject, uploadRow } from '../../testing/guest.ts'
import { type Bucket, inKeyedWorld } from '../../testing/keyedWorld.ts'
import { createMortal } from '../../testing/mortal.ts'
import { defined, sha256, type World } from '../../testing/world.ts'

const MEBIBYTE = 1024 * 1024
/** One part that the store can copy, then short ones. */
const ENDS = [0, 1, 2, 3].map((short) => 5 * MEBIBYTE + short * 1000)
const content = bytes(5 * MEBIBYTE + 3000)

async function landInChunks(world: World, { file = content, ends = ENDS } = {}): Promise<UploadId> {
  const uploadId = await openDrop(world, await newLink(world), file)
  let from = 0
  for (const end of ends) {
    assert.deepEqual(await append(world, uploadId, { offset: from, bytes: file.subarray(from, end) }), {
      offset: end,
    })
    from = end
  }
  return uploadId
}

const keptOf = ({ store }: World, uploadId: UploadId) => store.read((tx) => tx.parts.keptOf(uploadId))
const tend = (world: Pick<World, 'rules'>, signal = never) => defined(world.rules.parts).tend(signal)

async function assertWhole(world: World, uploadId: UploadId): Promise<void> {
  const row = await uploadRow(world, uploadId)
  assert.equal(sha256(await readObject(world, row)), row.ciphertextHash)
}

/** All that is due goes, in two days. */
async function pass(world: World, rules = world.rules): Promise<void> {
  for (const hours of [2, 25, 25]) {
    world.clock.advance(hours * 3600)
    await rules.sweep.removeDeleting()
  }
}

async function assertTidy(world: World, bucket: Bucket, uploadId: UploadId): Promise<void> {
  const keys = (await keptOf(world, uploadId)).map(({ key }) => key)
  assert.deepEqual(await bucket.keysOf(uploadId), keys.toSorted())
  assert.deepEqual(await world.store.read((tx) => tx.parts.due(world.clock.now(), 5)), [])
}

describe('joining', () => {
  it(
    'makes one key of several parts, which stay until no reader can be at them',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await landInChunks(world)
      const before = await keptOf(world, uploadId)
      assert.equal(before.length, 4)
      const { location } = await uploadRow(world, uploadId)
      const reading = world.blobs.read(location, { start: 0, end: content.length })[Symbol.asyncIterator]()
      let seen = defined((await reading.next()).value as Uint8Array | undefined).length
      await tend(world)
      const [joined, ...others] = await keptOf(world, uploadId)
      const { ciphertextHash } = await uploadRow(world, uploadId)
      assert.deepEqual(others, [])
      assert.deepEqual(joined, { key: joined?.key, offset: 0, length: content.length, checksum: ciphertextHash })
      await world.rules.sweep.removeDeleting()
      assert.equal((await bucket.keysOf(uploadId)).length, 5)
      await assertWhole(world, uploadId)
      await pass(world)
      for (let step = await reading.next(); step.done !== true; step = await reading.next()) seen += step.value.length
      assert.equal(seen, content.length)
      await assertTidy(world, bucket, uploadId)
      await assertWhole(world, uploadId)
      assert.deepEqual(await world.store.read((tx) => tx.parts.toJoin(undefined, 5)), [])
    }),
  )

  it(
    'goes on as if nothing had happened when the answer to the last request is lost',
    inKeyedWorld(
      async (world, bucket) => {
        const uploadId = await landInChunks(world)
        await tend(world)
        assert.equal((await keptOf(world, uploadId)).length, 1)
        await pass(world)
        await assertTidy(world, bucket, uploadId)
      },
      {
        around: {
          keyedBytes: (real) => ({
            ...real,
            async complete(joining, pieces) {
              await real.complete(joining, pieces)
              throw new StorageUnavailable('a test lost the answer')
            },
          }),
        },
      },
    ),
  )

  /** Changes the first byte of each piece that it uploads. */
  const lossy = (real: KeyedBytes): KeyedBytes => ({
    ...real,
    upload: (piece, given) =>
      real.upload(
        piece,
        Uint8Array.from(given, (byte, at) => (at === 0 ? byte ^ 1 : byte)),
      ),
  })
  it(
    'keeps the parts, and does not try again, when the joined bytes are wrong',
    inKeyedWorld(
      async (world, bucket) => {
        const uploadId = await landInChunks(world)
        const before = await keptOf(world, uploadId)
        for (let turn = 0; turn < 3; turn++) await tend(world)
        assert.deepEqual(await keptOf(world, uploadId), before)
        assert.equal((await bucket.keysOf(uploadId)).length, 5)
        assert.deepEqual(
          world.logged.map(({ event }) => event),
          ['the joined parts of an object have other bytes'],
        )
        assert.equal(world.suspectCalls(), 1)
        await pass(world)
        await assertTidy(world, bucket, uploadId)
        await assertWhole(world, uploadId)
      },
      { around: { keyedBytes: lossy } },
    ),
  )

  /** Flips a bit in the middle of what is asked for, each time again. */
  const spoiling = (real: KeyedBytes): KeyedBytes => ({
    ...real,
    async *read(key, range) {
      const pieces: Uint8Array[] = []
      for await (const piece of real.read(key, range)) pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      const middle = Math.floor(bytes.length / 2)
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
      yield bytes
    },
  })
  it(
    'keeps the parts when every answer of the store is wrong at the same place',
    inKeyedWorld(
      async (world) => {
        // Short parts alone: all of them pass through this process.
        const uploadId = await landInChunks(world, { file: content.subarray(0, 900), ends: [300, 600, 900] })
        const before = await keptOf(world, uploadId)
        assert.equal(before.length, 3)
        await tend(world)
        assert.deepEqual(await keptOf(world, uploadId), before)
        await assertWhole(world, uploadId)
      },
      { around: { keyedBytes: spoiling } },
    ),
  )

  it(
    'gives way when the object is discarded and collected meanwhile',
    inKeyedWorld(
      async (world, bucket) => {
        const uploadId = await landInChunks(world)
        const { opaqueId } = await uploadRow(world, uploadId)
        meanwhile = async () => {
          meanwhile = async () => undefined
          const owner = await ownerOf(world, opaqueId)
          const [drop] = await world.rules.inbox.list(owner)
          await world.rules.inbox.discard(owner, defined(drop).dropId)
          await world.rules.sweep.sweep()
          world.clock.advance(world.settings.collectGraceSeconds + 1)
          await world.rules.sweep.sweep()
        }
        await tend(world)
        assert.deepEqual(await keptOf(world, uploadId), [])
        await pass(world)
        assert.deepEqual(await bucket.keysOf(uploadId), [])
      },
      {
        around: {
          keyedBytes: (real) => ({
            ...real,
            async complete(joining, pieces) {
              await real.complete(joining, pieces)
              await meanwhile()
            },
          }),
        },
      },
    ),
  )
  let meanwhile = async (): Promise<void> => undefined

  it(
    'of two processes is done by one',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await landInChunks(world)
      await Promise.all([tend(world), tend({ rules: world.restarted() })])
      assert.equal((await keptOf(world, uploadId)).length, 1)
      await pass(world)
      await assertTidy(world, bucket, uploadId)
      await assertWhole(world, uploadId)
    }),
  )

  const mortal = createMortal()
  it(
    'survives the death of its process at any call, and leaves nothing',
    inKeyedWorld(
      async (world, bucket) => {
        let died = true
        for (let calls = 0; died; calls++) {
          assert.ok(calls < 60)
          const uploadId = await landInChunks(world)
          const doomed = world.restarted()
          mortal.dieAfter(calls)
          await tend({ rules: doomed }).catch(() => undefined)
          died = mortal.revive()
          await assertWhole(world, uploadId)
          const rules = world.restarted()
          await pass(world, rules)
          await tend({ rules })
          await pass(world, rules)
          assert.equal((await keptOf(world, uploadId)).length, 1, `after ${calls} calls`)
          await assertTidy(world, bucket, uploadId)
          await assertWhole(world, uploadId)
        }
      },
      { around: mortal.around },
    ),
  )
})
