import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { content, inboxOf, landedBytes, part, startDrop } from '../../testing/chunks.ts'
import { createGate } from '../../testing/faults.ts'
import {
  accountRow,
  append,
  appendChunk,
  bytes,
  creation,
  inPieces,
  leaveFinishing,
  linkRow,
  never,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, sha256 } from '../../testing/world.ts'

describe('a chunk', () => {
  it(
    'is refused with a reason for each fault and the next offset',
    inWorld(async (world) => {
      const { uploadId } = await startDrop(world)
      const send = async (chunk: { offset: number; bytes: Uint8Array }, claimed: Uint8Array = chunk.bytes) =>
        appendChunk(world, uploadId, {
          offset: chunk.offset,
          checksum: sha256(claimed),
          body: inPieces(chunk.bytes),
          signal: never,
        })
      const at30 = (refused: string) => ({ refused, offset: 30 })
      assert.deepEqual(await send({ offset: 0, bytes: bytes(30) }), at30('chunk_conflict'))
      assert.deepEqual(await send(part(31, 40)), at30('chunk_misplaced'))
      assert.deepEqual(await send(part(10, 40)), at30('chunk_misplaced'))
      assert.deepEqual(await send({ offset: 2 ** 53 - 1, bytes: bytes(1) }), at30('chunk_misplaced'))
      assert.deepEqual(await send({ offset: 30, bytes: bytes(71) }), at30('chunk_past_size'))
      assert.deepEqual(await send(part(30, 40), bytes(10)), at30('chunk_corrupt'))
      assert.deepEqual(await send(part(30, 30)), { refused: 'chunk_empty' })
      // No refused chunk was recorded.
      assert.deepEqual(await send(part(30, 100)), { offset: 100 })
      assert.deepEqual(await send({ offset: 30, bytes: bytes(70) }), { refused: 'upload_closed', offset: 100 })
      assert.deepEqual(await send({ offset: 100, bytes: bytes(1) }), { refused: 'upload_closed', offset: 100 })
    }),
  )

  it(
    'is refused after the ten thousandth of a small file, and a repeat of an earlier one is not',
    inWorld(
      async (world) => {
        const { uploadId } = await startDrop(world)
        const database = new DatabaseSync(defined(world.databasePath))
        database.prepare('update uploads set chunk_count = ?').run(9999)
        database.close()
        assert.deepEqual(await append(world, uploadId, part(30, 40)), { offset: 40 })
        assert.deepEqual(await append(world, uploadId, part(40, 100)), { refused: 'chunks_too_many', offset: 40 })
        assert.deepEqual(await append(world, uploadId, part(30, 40)), { offset: 40 })
      },
      { isOnDisk: true },
    ),
  )
})

describe('bytes with another hash than the declared one', () => {
  it(
    'fail the session, give caps and quota back, and get the same refusal on every repeat',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const declaration = { ciphertextHash: sha256(bytes(1)) }
      const uploadId = notRefused(await world.rules.drops.create(creation(opaqueId, content, { declaration })))
      await append(world, uploadId, part(0, 60))
      const WRONG = { refused: 'content_hash_wrong', offset: 100 }
      assert.deepEqual(await append(world, uploadId, part(60, 100)), WRONG)
      assert.deepEqual(await append(world, uploadId, part(60, 100)), WRONG)
      assert.deepEqual(await append(world, uploadId, { offset: 60, bytes: bytes(40) }), {
        refused: 'upload_closed',
        offset: 100,
      })
      assert.equal((await uploadRow(world, uploadId)).state, 'failed')
      const { openBytes, openSessions, accountId } = await linkRow(world, opaqueId)
      assert.deepEqual([openBytes, openSessions, (await accountRow(world, accountId)).usedBytes], [0, 0, 0])
      assert.equal((await inboxOf(world, opaqueId)).length, 0)
      assert.equal(world.deletingCalls(), 1)
      await world.rules.sweep.removeDeleting()
      assert.equal(await world.blobs.size((await uploadRow(world, uploadId)).location), undefined)
    }),
  )
})

describe('of two requests for one session,', () => {
  /** A body that gives some bytes and then stalls, like a dead connection. */
  async function* stalled(first: Uint8Array, onStall: () => void): AsyncIterable<Uint8Array> {
    yield first
    onStall()
    await new Promise(() => undefined)
  }

  it(
    'the newer stops one that stalls, and overwrites its bytes',
    inWorld(async (world) => {
      const { opaqueId, uploadId } = await startDrop(world)
      const writes = createGate()
      const older = appendChunk(world, uploadId, {
        offset: 30,
        checksum: sha256(content.subarray(30)),
        body: stalled(bytes(20), writes.open),
        signal: never,
      })
      await writes.passed
      assert.deepEqual(await append(world, uploadId, part(30, 40)), { offset: 40 })
      const { refused } = defined(await older.then((answer) => ('refused' in answer ? answer : undefined)))
      assert.equal(refused, 'chunk_misplaced')
      assert.deepEqual(await append(world, uploadId, part(40, 100)), { offset: 100 })
      assert.deepEqual(await landedBytes(world, opaqueId), Buffer.from(content))
    }),
  )

  it(
    'a stalled one gets upload_not_found when the link is revoked',
    inWorld(async (world) => {
      const { opaqueId, uploadId } = await startDrop(world)
      const writes = createGate()
      const body = stalled(bytes(20), writes.open)
      const stuck = appendChunk(world, uploadId, { offset: 30, checksum: sha256(content), body, signal: never })
      await writes.passed
      await world.rules.links.revoke(await ownerOf(world, opaqueId), opaqueId)
      assert.deepEqual(await stuck, { refused: 'upload_not_found' })
    }),
  )

  it(
    'or eight, with the same last chunk, one lands the drop and a repeat of the others gets its answer',
    inWorld(async (world) => {
      for (let round = 0; round < 20; round += 1) {
        const { opaqueId, uploadId } = await startDrop(world)
        const answers = await Promise.all(Array.from({ length: 8 }, () => append(world, uploadId, part(30, 100))))
        // A stopped request answers with an offset; its repeat gets the final answer.
        for (const answer of answers) {
          if (!('refused' in answer)) assert.equal(answer.offset, 100)
          else assert.equal(answer.refused, 'chunk_misplaced')
        }
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { offset: 100 })
        assert.deepEqual(await landedBytes(world, opaqueId), Buffer.from(content))
      }
    }),
  )

  it('the newer waits for one that has all its bytes, and gets the same answer', async () => {
    const [isSettling, maySettle] = [createGate(), createGate()]
    await inWorld(
      async (world) => {
        const { opaqueId, uploadId } = await startDrop(world)
        const older = append(world, uploadId, part(30, 100))
        await isSettling.passed
        const newer = append(world, uploadId, part(30, 100))
        await new Promise(setImmediate)
        maySettle.open()
        assert.deepEqual(await Promise.all([older, newer]), [{ offset: 100 }, { offset: 100 }])
        assert.equal((await inboxOf(world, opaqueId)).length, 1)
      },
      {
        around: {
          blobs: (real) => ({
            ...real,
            async settle(location, size) {
              isSettling.open()
              await maySettle.passed
              await real.settle(location, size)
            },
          }),
        },
      },
    )()
  })

  it(
    'one whose client disconnects does not change the session',
    inWorld(async (world) => {
      const { uploadId } = await startDrop(world)
      const [request, writes] = [new AbortController(), createGate()]
      const cut = appendChunk(world, uploadId, {
        offset: 30,
        checksum: sha256(content),
        body: stalled(bytes(20), writes.open),
        signal: request.signal,
      })
      await writes.passed
      request.abort(new Error('disconnected'))
      await assert.rejects(cut, /disconnected/)
      assert.equal((await uploadRow(world, uploadId)).receivedBytes, 30)
      assert.equal(world.rules.writers.isWriting(uploadId), false)
      assert.deepEqual(await append(world, uploadId, part(30, 100)), { offset: 100 })
    }),
  )
})

describe('the last chunks of a single-use link’s sessions', () => {
  it(
    'land one of them; the others get upload_not_found',
    inWorld(async (world) => {
      for (let round = 0; round < 10; round += 1) {
        const opaqueId = await newLink(world, { singleUse: true })
        const uploads = await Promise.all(Array.from({ length: 8 }, () => openDrop(world, opaqueId, content)))
        const answers = await Promise.all(uploads.map((uploadId) => append(world, uploadId, part(0, 100))))
        assert.equal(answers.filter((answer) => !('refused' in answer)).length, 1)
        assert.equal(answers.filter((answer) => 'refused' in answer && answer.refused === 'upload_not_found').length, 7)
        assert.equal((await inboxOf(world, opaqueId)).length, 1)
        const { openSessions, openBytes, landedFiles, accountId } = await linkRow(world, opaqueId)
        assert.deepEqual([openSessions, openBytes, landedFiles], [0, 0, 1])
        assert.equal((await accountRow(world, accountId)).usedBytes, 100)
      }
    }),
  )

  it(
    'end a session that is still writing, and have its bytes removed',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { singleUse: true })
      const [slow, quick] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
      const writes = createGate()
      async function* endless(): AsyncIterable<Uint8Array> {
        yield content.subarray(0, 10)
        writes.open()
        await new Promise(() => undefined)
      }
      const stuck = appendChunk(world, slow, {
        offset: 0,
        checksum: sha256(content),
        body: endless(),
        signal: never,
      })
      await writes.passed
      assert.deepEqual(await append(world, quick, part(0, 100)), { offset: 100 })
      assert.deepEqual(await stuck, { refused: 'upload_not_found' })
      assert.equal(world.deletingCalls(), 1)
    }),
  )

  it('land the second one after the first, for which it waited, has failed', async () => {
    const [isRead, mayBeRead] = [createGate(), createGate()]
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world, { singleUse: true })
        const declaration = { ciphertextHash: sha256(bytes(1)) }
        const wrong = notRefused(await world.rules.drops.create(creation(opaqueId, content, { declaration })))
        const right = await openDrop(world, opaqueId, content)
        await leaveFinishing(world, wrong, content)
        const first = world.rules.finishing.finish(wrong)
        await isRead.passed
        const second = append(world, right, part(0, 100))
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        assert.equal((await uploadRow(world, right)).state, 'open')
        mayBeRead.open()
        assert.deepEqual(await Promise.all([first, second]), [
          { refused: 'content_hash_wrong', offset: 100 },
          { offset: 100 },
        ])
        assert.equal((await linkRow(world, opaqueId)).claimedBy, undefined)
      },
      {
        around: {
          blobs: (real) => ({
            ...real,
            async *read(location, range) {
              isRead.open()
              await mayBeRead.passed
              yield* real.read(location, range)
            },
          }),
        },
      },
    )()
  })
})
