import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Store } from '../../ports/store.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import {
  append,
  appendChunk,
  bytes,
  inPieces,
  never,
  newLink,
  openDrop,
  readObject,
  uploadRow,
} from '../../testing/guest.ts'
import { inKeyedWorld } from '../../testing/keyedWorld.ts'
import { sha256, type World } from '../../testing/world.ts'
import { createPartRemoval } from '../custody/partRemoval.ts'

const DAY_SECONDS = 86_400
const content = bytes(100)
const chunk = (from: number, to: number) => ({ offset: from, bytes: content.subarray(from, to) })

const partsOf = (store: Store, uploadId: UploadId) => store.read((tx) => tx.parts.keptOf(uploadId))

async function newSession(world: World): Promise<UploadId> {
  return openDrop(world, await newLink(world), content)
}

async function assertLanded(world: World, uploadId: UploadId): Promise<void> {
  const row = await uploadRow(world, uploadId)
  assert.equal(row.state, 'landed')
  assert.equal(sha256(await readObject(world, row)), row.ciphertextHash)
}

describe('a session in a store with keys', () => {
  it(
    'keeps each chunk as a part, and lands',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      for (const [from, to] of [
        [0, 30],
        [30, 31],
        [31, 100],
      ] as const)
        assert.deepEqual(await append(world, uploadId, chunk(from, to)), { offset: to })
      const parts = await partsOf(world.store, uploadId)
      assert.deepEqual(
        parts.map(({ offset, length }) => [offset, length]),
        [
          [0, 30],
          [30, 1],
          [31, 69],
        ],
      )
      await assertLanded(world, uploadId)
      assert.equal(await world.blobs.size((await uploadRow(world, uploadId)).location), 100)
    }),
  )

  it(
    'is the same for another process, which reads what it has not seen when the file is complete',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      await append(world, uploadId, chunk(0, 30))
      const other = { rules: world.restarted() }
      assert.deepEqual(await append(other, uploadId, chunk(30, 60)), { offset: 60 })
      assert.deepEqual(await append(world, uploadId, chunk(60, 100)), { offset: 100 })
      await assertLanded(world, uploadId)
    }),
  )

  it(
    'leaves neither a key nor a row for a chunk that is wrong, empty or cut short',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await newSession(world)
      async function* cut() {
        yield content.subarray(0, 10)
        throw new Error('the connection broke')
      }
      const request = { offset: 0, checksum: sha256(content), signal: never }
      assert.deepEqual(await appendChunk(world, uploadId, { ...request, body: inPieces(bytes(50)) }), {
        refused: 'chunk_corrupt',
        offset: 0,
      })
      assert.deepEqual(await appendChunk(world, uploadId, { ...request, body: inPieces(bytes(0)) }), {
        refused: 'chunk_empty',
      })
      await assert.rejects(appendChunk(world, uploadId, { ...request, body: cut() }), /connection broke/)
      assert.deepEqual(await bucket.keysOf(uploadId), [])
      world.clock.advance(10 * DAY_SECONDS)
      assert.deepEqual(await world.store.read((tx) => tx.parts.due(world.clock.now(), 5)), [])
    }),
  )

  const faults = createFaults()
  it(
    'takes the chunk again after the store failed, and empties the key of the failed attempt twice',
    inKeyedWorld(
      async (world, bucket) => {
        const uploadId = await newSession(world)
        // Stored, and the answer was lost.
        faults.arm('blobWrite', { times: 1, isApplied: true })
        assert.partialDeepStrictEqual(await append(world, uploadId, chunk(0, 30)), { refused: 'storage_unavailable' })
        assert.deepEqual(await append(world, uploadId, chunk(0, 30)), { offset: 30 })
        assert.equal((await bucket.keysOf(uploadId)).length, 2)
        await world.rules.sweep.removeDeleting()
        const [kept] = await partsOf(world.store, uploadId)
        assert.deepEqual(await bucket.keysOf(uploadId), [kept?.key])
        world.clock.advance(DAY_SECONDS)
        const due = () => world.store.read((tx) => tx.parts.due(world.clock.now(), 5))
        assert.equal((await due()).length, 1)
        await world.rules.sweep.removeDeleting()
        world.clock.advance(10 * DAY_SECONDS)
        assert.deepEqual(await due(), [])
        assert.equal(await world.store.read((tx) => tx.parts.isKnown(kept?.key ?? '')), true)
      },
      { around: faults.around },
    ),
  )

  it(
    'keeps a chunk whose recording reported a failure and happened all the same',
    inKeyedWorld(
      async (world, bucket) => {
        // Before its first chunk, a process on PostgreSQL waits for the landings of an earlier one, which is one
        // more write.
        await append(world, await newSession(world), chunk(0, 30))
        const uploadId = await newSession(world)
        // The first write begins the part, the second one records the chunk.
        faults.arm('storeWrite', { after: 1, times: 1, isApplied: true })
        await assert.rejects(append(world, uploadId, chunk(0, 30)), StorageUnavailable)
        faults.disarm()
        world.clock.advance(3600)
        await world.rules.sweep.removeDeleting()
        assert.equal((await bucket.keysOf(uploadId)).length, 1)
        assert.deepEqual(await append(world, uploadId, chunk(0, 30)), { offset: 30 })
        assert.deepEqual(await append(world, uploadId, chunk(30, 100)), { offset: 100 })
        await assertLanded(world, uploadId)
      },
      { around: faults.around },
    ),
  )

  it(
    'stays finishing, and lands later, if the store gives wrong bytes or none when it is read',
    inKeyedWorld(
      async (world) => {
        const uploadId = await newSession(world)
        await append(world, uploadId, chunk(0, 30))
        const other = { ...world, rules: world.restarted() }
        faults.arm('blobRead')
        await assert.rejects(append(other, uploadId, chunk(30, 100)), StorageUnavailable)
        assert.equal((await uploadRow(world, uploadId)).state, 'finishing')
        faults.disarm()
        await other.rules.finishing.resume()
        await assertLanded(world, uploadId)
      },
      { around: faults.around },
    ),
  )
})

/** Sends a chunk of which all has arrived but the end. `finish` sends that. */
function almostSent(world: World, uploadId: UploadId, { offset, bytes: sent }: ReturnType<typeof chunk>) {
  const [reached, go] = [createGate(), createGate()]
  async function* body() {
    yield sent
    reached.open()
    await go.passed
  }
  const answer = appendChunk({ rules: world.restarted() }, uploadId, {
    offset,
    checksum: sha256(sent),
    body: body(),
    signal: never,
  })
  return {
    reached: reached.passed,
    finish() {
      go.open()
      return answer
    },
  }
}

describe('a chunk that still arrives while another process', () => {
  it(
    'ends its session is answered as to an unknown one',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      const late = almostSent(world, uploadId, chunk(0, 100))
      await late.reached
      assert.equal(await world.rules.ending.cancel(await uploadRow(world, uploadId)), undefined)
      assert.deepEqual(await late.finish(), { refused: 'upload_not_found' })
    }),
  )

  it(
    'lands the file is a repeat, or refused when it differs',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      const same = almostSent(world, uploadId, chunk(0, 100))
      const other = almostSent(world, uploadId, { offset: 0, bytes: bytes(100) })
      await Promise.all([same.reached, other.reached])
      assert.deepEqual(await append(world, uploadId, chunk(0, 100)), { offset: 100 })
      assert.deepEqual(await same.finish(), { offset: 100 })
      assert.deepEqual(await other.finish(), { refused: 'upload_closed', offset: 100 })
      await assertLanded(world, uploadId)
    }),
  )

  it(
    'fails the file for its hash is refused for the same reason',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      const wrong = { offset: 0, bytes: Buffer.alloc(100) }
      const late = almostSent(world, uploadId, wrong)
      await late.reached
      const failed = await append(world, uploadId, wrong)
      assert.equal(Object(failed).refused, 'content_hash_wrong')
      assert.deepEqual(await late.finish(), failed)
    }),
  )
})

/** Another process that stands still at one call of `write`, before it stores the bytes or after. */
function standingStill(world: World, at: 'before' | 'after') {
  const [reached, go] = [createGate(), createGate()]
  const staging = {
    ...world.staging,
    async write(...[place, request]: Parameters<World['staging']['write']>) {
      async function* body() {
        yield* request.body
        if (at === 'after') return
        reached.open()
        await go.passed
      }
      await world.staging.write(place, { ...request, body: body() })
      if (at === 'before') return
      reached.open()
      await go.passed
    },
  }
  const { store, objects, keys } = world
  return { rules: world.rulesOver({ store, staging, objects, keys }), reached: reached.passed, go: go.open }
}

describe('two processes over one store of rows and one store of bytes', () => {
  for (const at of ['before', 'after'] as const)
    it(
      `keep what a receipt says when a writer of the second comes late, having stood still ${at} it stored its bytes`,
      inKeyedWorld(async (world, bucket) => {
        const uploadId = await newSession(world)
        const late = standingStill(world, at)
        const other = bytes(100)
        const writing = append(late, uploadId, { offset: 0, bytes: other })
        await late.reached
        assert.deepEqual(await append(world, uploadId, chunk(0, 100)), { offset: 100 })
        await assertLanded(world, uploadId)
        late.go()
        assert.deepEqual(await writing, { refused: 'chunk_misplaced', offset: 100 })
        await assertLanded(world, uploadId)
        // What it left goes, and what counts stays.
        for (let day = 0; day < 4; day++) {
          await world.rules.sweep.sweep()
          world.clock.advance(DAY_SECONDS)
        }
        const [kept] = await partsOf(world.store, uploadId)
        assert.deepEqual(await bucket.keysOf(uploadId), [kept?.key])
        await assertLanded(world, uploadId)
      }),
    )

  it(
    'acknowledge one of two different chunks at one offset, and the file has that one',
    inKeyedWorld(async (world) => {
      const uploadId = await newSession(world)
      const late = standingStill(world, 'after')
      const writing = append(late, uploadId, { offset: 0, bytes: bytes(30) })
      await late.reached
      assert.deepEqual(await append(world, uploadId, chunk(0, 30)), { offset: 30 })
      late.go()
      assert.deepEqual(await writing, { refused: 'chunk_misplaced', offset: 30 })
      assert.deepEqual(await append(late, uploadId, chunk(30, 100)), { offset: 100 })
      await assertLanded(world, uploadId)
    }),
  )

  it(
    'keep one part of a chunk that both have stored, and remove the other at once',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await newSession(world)
      const late = standingStill(world, 'after')
      const writing = append(late, uploadId, chunk(0, 30))
      await late.reached
      assert.deepEqual(await append(world, uploadId, chunk(0, 30)), { offset: 30 })
      assert.equal((await bucket.keysOf(uploadId)).length, 2)
      late.go()
      assert.deepEqual(await writing, { offset: 30 })
      await world.rules.sweep.removeDeleting()
      const [kept] = await partsOf(world.store, uploadId)
      assert.deepEqual(await bucket.keysOf(uploadId), [kept?.key])
    }),
  )

  it(
    'leave nothing of a session that ended while the second wrote to it',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await newSession(world)
      await append(world, uploadId, chunk(0, 30))
      const late = standingStill(world, 'after')
      const writing = append(late, uploadId, chunk(30, 60))
      await late.reached
      assert.equal(await world.rules.ending.cancel(await uploadRow(world, uploadId)), undefined)
      late.go()
      assert.deepEqual(await writing, { refused: 'upload_not_found' })
      for (let hours = 0; hours < 4 * 24; hours += 6) {
        await world.rules.sweep.removeDeleting()
        world.clock.advance(6 * 3600)
      }
      assert.deepEqual(await bucket.keysOf(uploadId), [])
      assert.deepEqual(await partsOf(world.store, uploadId), [])
      assert.deepEqual(await world.store.read((tx) => tx.parts.due(world.clock.now(), 5)), [])
    }),
  )
})

describe('keys without a row', () => {
  it(
    'are removed once they are old, and no other key is, also when its session is long gone',
    inKeyedWorld(async (world, bucket) => {
      const uploadId = await newSession(world)
      await append(world, uploadId, chunk(0, 100))
      const { location } = await uploadRow(world, uploadId)
      const stray = world.staging.newKey(location)
      await bucket.real.write(
        { location, key: stray, offset: 0 },
        { body: inPieces(bytes(10)), signal: never, onBytes: () => undefined },
      )
      world.clock.advance(world.settings.receiptGuestSeconds + 1)
      await world.rules.sweep.sweep()
      assert.equal(await world.store.read((tx) => tx.uploads.find(uploadId)), undefined)
      const { removeLeftovers } = createPartRemoval(
        {
          store: world.store,
          clock: world.clock,
          keyedBytes: {
            remove: bucket.real.keyedBytes.remove,
            async *list() {
              for await (const { key } of bucket.real.keyedBytes.list()) yield { key, ageSeconds: 200_000 }
            },
          },
        },
        { partGraceSeconds: 3600 },
      )
      assert.equal(await removeLeftovers(never), 1)
      assert.equal((await bucket.keysOf(uploadId)).length, 1)
      assert.deepEqual(await readObject(world, { location, size: 100 }), Buffer.from(content))
    }),
  )
})
